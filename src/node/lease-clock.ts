import type { LeaseUs, MonoUs } from '../base/units.ts';

/**
 * Lease time Λ of this process (RAFT.md §14.1): follows the clock, but a loop that stood still
 * ages no lease by more than `stallUs`, because the renewals of that time wait unread.
 * Invariant: Λ never runs faster than the clock, which the proof of §14.3 needs.
 */
export class LeaseClock {
  private tickedUs: LeaseUs = 0;
  private lastTickUs: MonoUs;
  private readonly stallUs: number;

  constructor(nowUs: MonoUs, stallUs: number) {
    this.lastTickUs = nowUs;
    this.stallUs = stallUs;
  }

  /** Λ at a fresh reading of the clock. For a renewal, never pass a reading taken earlier. */
  at(nowUs: MonoUs): LeaseUs {
    return this.tickedUs + Math.min(Math.max(0, nowUs - this.lastTickUs), this.stallUs);
  }

  /** Λ of the last tick: what an expiry is tested against. */
  get ticked(): LeaseUs {
    return this.tickedUs;
  }

  /** Due at least every heartbeat. True when the loop had stood still before it. */
  tick(nowUs: MonoUs): boolean {
    const hasStalled = nowUs - this.lastTickUs > this.stallUs;
    this.tickedUs = this.at(nowUs);
    this.lastTickUs = nowUs;
    return hasStalled;
  }
}
