import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';

/** What is there within this time needs no word. */
const FIRST_MS = 1_000;
const PAUSE_MS_MAX = 30_000;

/**
 * Calls `tell` while something is awaited: after a second, and again after pauses that double, up
 * to half a minute. Ends with `stop`, which may be called twice.
 */
export class Reminder {
  private readonly clock: Clock;
  private readonly tell: () => void;
  private timer: Timer;

  constructor(clock: Clock, tell: () => void) {
    this.clock = clock;
    this.tell = tell;
    this.timer = this.arm(FIRST_MS);
  }

  stop(): void {
    this.timer.cancel();
  }

  private arm(pauseMs: number): Timer {
    return this.clock.after(pauseMs * US_PER_MS, () => {
      this.timer = this.arm(Math.min(PAUSE_MS_MAX, 2 * pauseMs));
      this.tell();
    });
  }
}
