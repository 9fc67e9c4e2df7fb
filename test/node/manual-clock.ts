import type { Clock, Timer } from '../../src/ports/clock.ts';

/** A clock that moves when it is told to. `soon` call-backs run with `turn()`. */
export class ManualClock implements Clock {
  nowUs = 0;
  private readonly turnQueue: (() => void)[] = [];
  private timers: { dueUs: number; callback: () => void }[] = [];

  monoUs(): number {
    return this.nowUs;
  }

  bootUs(): number {
    return this.nowUs;
  }

  wallMs(): number {
    return 1_800_000_000_000 + Math.floor(this.nowUs / 1_000);
  }

  after(delayUs: number, callback: () => void): Timer {
    const timer = { dueUs: this.nowUs + delayUs, callback };
    this.timers.push(timer);
    return {
      cancel: () => {
        this.timers = this.timers.filter((other) => other !== timer);
      },
    };
  }

  soon(callback: () => void): void {
    this.turnQueue.push(callback);
  }

  /** Timers that may still fire. */
  timerCount(): number {
    return this.timers.length;
  }

  /** Runs what asked to run soon, until nothing is left. */
  turn(): void {
    for (let next = this.turnQueue.shift(); next !== undefined; next = this.turnQueue.shift()) {
      next();
    }
  }

  /** Moves time and runs the timers that are due by then. */
  advance(byUs: number): void {
    this.nowUs += byUs;
    const due = this.timers.filter(({ dueUs }) => dueUs <= this.nowUs);
    this.timers = this.timers.filter(({ dueUs }) => dueUs > this.nowUs);
    for (const { callback } of due) callback();
    this.turn();
  }
}
