// The clocks of this machine (RAFT.md §16.1): Node's high-resolution time is CLOCK_MONOTONIC on
// Linux, which stands still while the machine is suspended; the up-time of the system goes on.

import { uptime } from 'node:os';
import type { MonoUs } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { clearTimeout, setImmediate, setTimeout } from './real-timers.ts';

/** The longest delay that setTimeout takes; a longer one would fire at once. */
const DELAY_MS_MAX = 2 ** 31 - 1;
const US_PER_S = 1_000_000;
const NS_PER_US = 1_000;

// For the same reason as the timers: see real-timers.ts.
const real = { Date, hrtime: process.hrtime };

/** The clock of this process. */
export function createSystemClock(): Clock {
  return {
    monoUs,
    bootUs: () => Math.round(uptime() * US_PER_S),
    wallMs: () => real.Date.now(),
    after: (delayUs, callback) => new Alarm(monoUs() + Math.max(0, delayUs), callback),
    soon: (callback) => void setImmediate(callback),
  };
}

// Not performance.now(), which counts from elsewhere in every thread: leases are measured in two.
function monoUs(): MonoUs {
  const [seconds, nanoseconds] = real.hrtime();
  return seconds * US_PER_S + Math.floor(nanoseconds / NS_PER_US);
}

// setTimeout was seen to fire 0.9 ms early, and counts whole milliseconds from the start of the
// turn: an alarm that rings too soon is set again.
class Alarm implements Timer {
  private readonly dueUs: MonoUs;
  private readonly callback: () => void;
  private timeout: NodeJS.Timeout;

  constructor(dueUs: MonoUs, callback: () => void) {
    this.dueUs = dueUs;
    this.callback = callback;
    this.timeout = this.arm();
  }

  cancel(): void {
    clearTimeout(this.timeout);
  }

  private arm(): NodeJS.Timeout {
    const delayMs = Math.ceil((this.dueUs - monoUs()) / US_PER_MS);
    return setTimeout(() => this.ring(), Math.min(delayMs, DELAY_MS_MAX));
  }

  private ring(): void {
    if (monoUs() < this.dueUs) this.timeout = this.arm();
    else this.callback();
  }
}
