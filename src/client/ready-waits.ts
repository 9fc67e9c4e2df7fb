import { HoldfastError } from '../base/error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Links } from './links.ts';
import { callAt } from './timer.ts';

/** Those who wait until a leader is known; bounded by the callers of ready(). */
export class ReadyWaits {
  private readonly clock: Clock;
  private readonly links: Links;
  private readonly waits = new Set<(error: HoldfastError | null) => void>();

  constructor(clock: Clock, links: Links) {
    this.clock = clock;
    this.links = links;
  }

  /** Rejects with UNAVAILABLE after `limitMs`. */
  add(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = callAt(this.clock, this.clock.monoUs() + limitMs * 1000, () => {
        const text = `no leader was found within ${limitMs} ms; tried ${this.links.describe()}`;
        settle(new HoldfastError('UNAVAILABLE', text));
      });
      const settle = (error: HoldfastError | null): void => {
        this.waits.delete(settle);
        limit.cancel();
        if (error === null) resolve();
        else reject(error);
      };
      this.waits.add(settle);
    });
  }

  /** Ends all waits if a leader is known, or with this error. */
  tell(failure: HoldfastError | null): void {
    if (failure === null && this.links.leader() === null) return;
    for (const settle of [...this.waits]) settle(failure);
  }
}
