import type { Clock, Timer } from '../ports/clock.ts';
import { callAt } from './timer.ts';

/** How long holders may finish while their client closes. It may be cut short, never extended. */
export class Drain {
  private readonly clock: Clock;
  private dueUs = Infinity;
  private timer: Timer | null = null;
  // One for each session of the client.
  private readonly waits: (() => void)[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isOver(): boolean {
    return this.clock.monoUs() >= this.dueUs;
  }

  /** Ends in so many milliseconds, unless it ends before. */
  within(drainMs: number): void {
    const dueUs = this.clock.monoUs() + drainMs * 1000;
    if (dueUs >= this.dueUs) return;
    this.dueUs = dueUs;
    this.timer?.cancel();
    this.timer = callAt(this.clock, dueUs, () => {
      for (const wait of this.waits.splice(0)) wait();
    });
  }

  /** Calls back at the end. */
  whenOver(callback: () => void): void {
    this.waits.push(callback);
  }

  /** Nobody waits any more. */
  stop(): void {
    this.timer?.cancel();
  }
}
