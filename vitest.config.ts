import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import TotalsReporter from './test/reporter.ts';
import CorpusFirst from './test/sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.mjs'],
    // Conditions are waited for, on machines of any speed; nothing is judged by the time it takes.
    expect: { poll: { timeout: 30_000, interval: 50 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // The default leaves a core idle: of two, every second one, while half of the tests wait.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: CorpusFirst },
    reporters: ['default', new TotalsReporter()],
  },
});
