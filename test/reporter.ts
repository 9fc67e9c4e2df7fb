import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed, N skipped` alone as the last line of a run. */
export default class TotalsReporter implements Reporter {
  /** Files that could not be loaded and errors outside of any test count as failed. */
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const totals = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      totals.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        totals[state === 'pending' ? 'skipped' : state] += 1;
      }
    }
    const { passed, failed, skipped } = totals;
    process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
