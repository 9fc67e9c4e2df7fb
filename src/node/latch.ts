import type { Clock } from '../ports/clock.ts';

/** Something that happens once, and those who wait for it; none is called inside its own call. */
export class Latch {
  private readonly clock: Clock;
  private waiting: (() => void)[] = [];
  private isOpen = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Calls back when it has happened; soon, if it has already. */
  wait(callback: () => void): void {
    if (this.isOpen) this.clock.soon(callback);
    else this.waiting.push(callback);
  }

  /** It happened. Idempotent. */
  open(): void {
    this.isOpen = true;
    const waiting = this.waiting;
    this.waiting = [];
    for (const callback of waiting) callback();
  }
}
