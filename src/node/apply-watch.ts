import type { Index, MonoUs } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';

/**
 * Sees whether committed entries reach the machine (A12): a node that applies nothing while there
 * is something to apply answers nothing either, and must not look healthy. Fed at every tick.
 */
export class ApplyWatch {
  private appliedIndex: Index = 0;
  private sinceUs: MonoUs | null = null;

  look(commitIndex: Index, appliedIndex: Index, nowUs: MonoUs): void {
    const hasMoved = appliedIndex !== this.appliedIndex;
    this.appliedIndex = appliedIndex;
    if (commitIndex <= appliedIndex) this.sinceUs = null;
    else if (hasMoved || this.sinceUs === null) this.sinceUs = nowUs;
  }

  /** How long entries have waited while none was applied, whole milliseconds; 0: none waits. */
  stuckMs(nowUs: MonoUs): number {
    return this.sinceUs === null ? 0 : Math.floor((nowUs - this.sinceUs) / US_PER_MS);
  }
}
