import { HoldfastError } from '../base/error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Links } from './links.ts';
import { callAt } from './timer.ts';

/** Those who wait until their client is ready; bounded by the callers of ready(). */
export class ReadyWaits {
  private readonly clock: Clock;
  private readonly links: Links;
  private readonly isUsable: () => boolean;
  private readonly waits = new Set<(error: HoldfastError | null) => void>();

  /** `isUsable`: with less than ready a wait is content that is over. */
  constructor(clock: Clock, links: Links, isUsable: () => boolean) {
    this.clock = clock;
    this.links = links;
    this.isUsable = isUsable;
  }

  /** Rejects with UNAVAILABLE after `limitMs` if it is not even usable. */
  add(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = callAt(this.clock, this.clock.monoUs() + limitMs * 1000, () => {
        const text = `no leader was found within ${limitMs} ms; tried ${this.links.describe()}`;
        settle(this.isUsable() ? null : new HoldfastError('UNAVAILABLE', text));
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

  /** Ends all waits: it is ready (null), or never will be. */
  tell(failure: HoldfastError | null): void {
    for (const settle of [...this.waits]) settle(failure);
  }
}
