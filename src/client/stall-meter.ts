import type { LeaseClock } from './lease-clock.ts';
import type { LeaseMemory } from './lease-memory.ts';

// The boot clock is coarse: less may be nothing, and is no cause of anything.
const SUSPENDED_MS_TOLD = 1_000;

/** What kept a process from renewing. */
export interface Stall {
  /** The event loop ran nothing for so long, though the machine was awake. */
  readonly blockedMs: number;
  readonly suspendedMs: number;
  /** In words; a short suspend is told of only if there is nothing else. */
  readonly text: string;
}

/**
 * Measures how long this event loop stood still since its lease was last confirmed: by as much its
 * timer is late. A stall that begins between two looks counts from the second.
 */
export class StallMeter {
  private readonly leaseClock: LeaseClock;
  private readonly memory: LeaseMemory;
  private confirmedUs: number;
  private expectedUs = Infinity;
  private lateUs = 0;
  private suspendedBeforeUs: number;

  constructor(leaseClock: LeaseClock, memory: LeaseMemory) {
    this.leaseClock = leaseClock;
    this.memory = memory;
    this.confirmedUs = memory.confirmedUs;
    this.suspendedBeforeUs = leaseClock.seenSuspendedUs();
  }

  /** A timer was set to this lease time. */
  expect(atUs: number): void {
    this.expectedUs = atUs;
  }

  /** It fired. */
  ticked(nowUs: number): void {
    this.lateUs += this.latenessUs(nowUs);
    if (this.memory.confirmedUs === this.confirmedUs) return;
    this.confirmedUs = this.memory.confirmedUs;
    this.lateUs = 0;
    this.suspendedBeforeUs = this.leaseClock.seenSuspendedUs();
  }

  /** Since the last confirmation. */
  at(nowUs: number): Stall {
    const suspendedUs = this.leaseClock.seenSuspendedUs() - this.suspendedBeforeUs;
    const stoodUs = this.lateUs + this.latenessUs(nowUs);
    const suspendedMs = Math.floor(suspendedUs / 1000);
    const blockedMs = Math.floor(Math.max(0, stoodUs - suspendedUs) / 1000);
    const isSuspendTold = suspendedMs >= SUSPENDED_MS_TOLD || blockedMs === 0;
    const parts = [
      ...(blockedMs > 0 ? [`the event loop was blocked for ${blockedMs} ms`] : []),
      ...(isSuspendTold ? [`the machine was suspended for ${suspendedMs} ms`] : []),
    ];
    return { blockedMs, suspendedMs, text: parts.join(', and ') };
  }

  private latenessUs(nowUs: number): number {
    return Math.max(0, nowUs - this.expectedUs);
  }
}
