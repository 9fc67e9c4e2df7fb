// Time as one machine sees it. Its monotonic clock may run at another rate than true time, its
// wall clock may be wrong and jump, and its timers fire late, never early (SIMULATOR.md §4.5).

import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { Life } from './process.ts';
import type { KeyedRandom } from './random.ts';

/** How a machine's clocks differ from true time; all may be left out. */
export interface ClockSettings {
  /** Rate error of the monotonic clock in parts per million; default 0. */
  readonly driftPpm?: number;
  /** How far the wall clock is off from the start; default 0. */
  readonly skewMs?: number;
  /** A timer fires up to so many microseconds late; default 1,000. */
  readonly latenessUsMax?: number;
}

const WALL_START_MS = 1_800_000_000_000;
const LATENESS_US_MAX = 1_000;
const BASE_US_MAX = 1_000_000_000;

/** The clocks of one machine; they go on while its process is dead. */
export class MachineClock {
  private readonly rate: number;
  private readonly baseUs: number;
  private readonly latenessUsMax: number;
  private readonly name: string;
  private readonly random: KeyedRandom;
  private skewMs: number;
  private suspendedUs = 0;
  private timersSet = 0;

  constructor(name: string, settings: ClockSettings, random: KeyedRandom) {
    this.name = name;
    this.random = random;
    this.rate = 1 + (settings.driftPpm ?? 0) / 1e6;
    this.skewMs = settings.skewMs ?? 0;
    this.latenessUsMax = settings.latenessUsMax ?? LATENESS_US_MAX;
    // Every machine counts from elsewhere: a reading that is sent to another one is of no use.
    this.baseUs = 1 + random.below(BASE_US_MAX, 'clockBase', name);
  }

  monoUs(nowUs: number): number {
    return this.baseUs + Math.floor((nowUs - this.suspendedUs) * this.rate);
  }

  bootUs(nowUs: number): number {
    return this.baseUs + Math.floor(nowUs * this.rate);
  }

  wallMs(nowUs: number): number {
    return WALL_START_MS + this.skewMs + Math.floor(nowUs / 1_000);
  }

  /** The wall clock is set forward or back; nothing else changes. */
  jumpWall(byMs: number): void {
    this.skewMs += byMs;
  }

  /** The machine slept: monotonic time did not pass, the boot clock and true time did. */
  addSuspended(durationUs: number): void {
    this.suspendedUs += durationUs;
  }

  /** True time at which the monotonic clock shows at least `localUs`. */
  timeOfUs(localUs: number): number {
    return Math.ceil((localUs - this.baseUs) / this.rate) + this.suspendedUs;
  }

  /** How late the next timer is. */
  drawLateness(): number {
    return this.random.below(this.latenessUsMax + 1, 'lateness', this.name, this.timersSet++);
  }
}

/** The Clock port of one life of a process. */
export function createClock(life: Life, machine: MachineClock): Clock {
  let timers = 0;
  return {
    monoUs: () => machine.monoUs(life.nowUs()),
    bootUs: () => machine.bootUs(life.nowUs()),
    wallMs: () => machine.wallMs(life.nowUs()),
    after: (delayUs, callback) => {
      const dueUs = machine.monoUs(life.nowUs()) + Math.max(0, delayUs);
      return setTimer(life, machine, { dueUs, number: ++timers, callback });
    },
    soon: (callback) => life.soon(callback),
  };
}

interface TimerPlan {
  readonly dueUs: number;
  readonly number: number;
  readonly callback: () => void;
}

function setTimer(life: Life, machine: MachineClock, plan: TimerPlan): Timer {
  let pending: Timer | null = null;
  const arm = (): void => {
    const atUs = machine.timeOfUs(plan.dueUs) + machine.drawLateness();
    pending = life.schedule(atUs, { kind: 'timer', a: plan.number, run: fire });
  };
  // A timer may come up in true time while a suspend has held local time back: it waits again.
  const fire = (): void => {
    if (machine.monoUs(life.nowUs()) < plan.dueUs) arm();
    else plan.callback();
  };
  arm();
  return { cancel: () => pending?.cancel() };
}
