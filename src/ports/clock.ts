import type { MonoUs } from '../base/units.ts';

/** A pending call-back; `cancel` is idempotent and may be called after it ran. */
export interface Timer {
  /** Nothing is called back from now on. */
  cancel(): void;
}

/**
 * Time as one process sees it. No call-back ever runs inside the call that asked for it.
 * Timers may fire late by any amount and, on real machines, up to 1 ms early: whoever acts on a
 * deadline reads the clock again (RAFT.md §16.3).
 */
export interface Clock {
  /** Monotonic microseconds, read afresh; stands still while the machine is suspended. */
  monoUs(): MonoUs;
  /** Like monoUs, but counts the time of suspends too; coarser (steps up to 10 ms). */
  bootUs(): number;
  /** Milliseconds since 1970. For display and founding only: it jumps. */
  wallMs(): number;
  /** Calls back once, `delayUs` or more from now. */
  after(delayUs: number, callback: () => void): Timer;
  /** Calls back once, after the input that is already waiting was handed over. */
  soon(callback: () => void): void;
}
