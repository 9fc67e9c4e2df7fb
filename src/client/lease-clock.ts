import { probes } from '../base/probe.ts';
import type { Clock } from '../ports/clock.ts';
import { LocalCells } from './lease-cells.ts';
import type { Cells } from './lease-cells.ts';

// A reading this close to the last look at the boot clock need not look again (RAFT.md §14.2).
const LOOK_AGAIN_US = 50_000;
// The boot clock may lag by so much (ports/clock.ts).
const BOOT_STEP_US = 10_000;

/** What makes the lease clocks of several threads of one process show the same time. */
export interface LeaseOrigin {
  /** What the boot clock was ahead of the monotonic one at first. */
  readonly offsetUs: number;
  /** One cell: suspended time, as far as any of them has seen it. */
  readonly suspended: Cells;
}

/** From now on. `suspended` is one cell that is 0. */
export function originOf(clock: Clock, suspended: Cells): LeaseOrigin {
  return { offsetUs: clock.bootUs() - clock.monoUs(), suspended };
}

/**
 * The clock that leases are measured with: monotonic time plus the time that the machine was
 * suspended, as far as it is known (RAFT.md §14.2). The boot clock is coarse: growth by one of its
 * steps may be nothing, and a suspend may show as one step less than it was. So one that shows is
 * counted as a step longer: a lease may end earlier, never later.
 */
export class LeaseClock {
  private readonly clock: Clock;
  private readonly origin: LeaseOrigin;
  private lookedUs: number;

  constructor(clock: Clock, origin: LeaseOrigin = originOf(clock, new LocalCells(1))) {
    this.clock = clock;
    this.origin = origin;
    this.lookedUs = -Infinity;
  }

  /** Fresh reading; looks at the boot clock when the last look is 50 ms old. */
  nowUs(): number {
    const monoUs = this.clock.monoUs();
    return monoUs - this.lookedUs < LOOK_AGAIN_US ? monoUs + this.seenSuspendedUs() : this.lookUs();
  }

  /** Fresh reading that certainly knows of a suspend that is over. */
  lookUs(): number {
    const monoUs = this.clock.monoUs();
    this.lookedUs = monoUs;
    const suspendedUs = this.suspendedAt(monoUs);
    probes.sometimes('suspend-noticed', suspendedUs > this.seenSuspendedUs() + BOOT_STEP_US);
    this.origin.suspended.raise(0, suspendedUs);
    return monoUs + suspendedUs;
  }

  /** What lookUs would say, without having looked: for onlookers. */
  peekUs(): number {
    const monoUs = this.clock.monoUs();
    return monoUs + this.suspendedAt(monoUs);
  }

  /** Suspended time seen so far. */
  seenSuspendedUs(): number {
    return this.origin.suspended.get(0);
  }

  private suspendedAt(monoUs: number): number {
    const seenUs = this.seenSuspendedUs();
    const growthUs = this.clock.bootUs() - monoUs - this.origin.offsetUs;
    const isSuspend = growthUs > seenUs + BOOT_STEP_US;
    const knownUs = isSuspend ? growthUs + BOOT_STEP_US : growthUs;
    return Math.max(knownUs, seenUs);
  }
}
