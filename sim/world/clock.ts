// Time as one machine sees it. Its monotonic clock may run at another rate than true time, its
// wall clock may be wrong and jump, and its timers fire late, or as much as a real one may be early
// (SIMULATOR.md §4.5, src/ports/clock.ts).

import { assert } from '../../src/base/assert.ts';
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
  /** A timer fires up to so many microseconds early, at most 1,000; default 0. */
  readonly earlyUsMax?: number;
}

const WALL_START_MS = 1_800_000_000_000;
const LATENESS_US_MAX = 1_000;
const EARLY_US_MAX = 1_000;
const BASE_US_MAX = 1_000_000_000;

interface Anchor {
  readonly shownUs: number;
  readonly atUs: number;
}

/** The clocks of one machine; they go on while its process is dead. */
export class MachineClock {
  /** A timer that is set from now on fires up to so many microseconds late. */
  latenessUsMax: number;
  /** How far before its time a timer may fire, in microseconds. */
  readonly earlyUsMax: number;
  private rate: number;
  private ppm: number;
  /** What the clocks showed when the present rate began, and the awake time of that moment. */
  private mono: Anchor;
  private boot: Anchor;
  private readonly name: string;
  private readonly random: KeyedRandom;
  private skewMs: number;
  private suspendedUs = 0;
  private asleepSinceUs: number | null = null;
  private timersSet = 0;

  constructor(name: string, settings: ClockSettings, random: KeyedRandom) {
    this.name = name;
    this.random = random;
    this.ppm = settings.driftPpm ?? 0;
    this.rate = rateOf(this.ppm);
    this.skewMs = settings.skewMs ?? 0;
    this.latenessUsMax = settings.latenessUsMax ?? LATENESS_US_MAX;
    this.earlyUsMax = settings.earlyUsMax ?? 0;
    assert(this.earlyUsMax <= EARLY_US_MAX, 'no timer fires more than 1 ms early');
    // Every machine counts from elsewhere: a reading that is sent to another one is of no use.
    const shownUs = 1 + random.below(BASE_US_MAX, 'clockBase', name);
    this.mono = { shownUs, atUs: 0 };
    this.boot = { shownUs, atUs: 0 };
  }

  monoUs(nowUs: number): number {
    const { shownUs, atUs } = this.mono;
    return shownUs + Math.floor((this.awakeUs(nowUs) - atUs) * this.rate);
  }

  bootUs(nowUs: number): number {
    const { shownUs, atUs } = this.boot;
    return shownUs + Math.floor((nowUs - atUs) * this.rate);
  }

  wallMs(nowUs: number): number {
    return WALL_START_MS + this.skewMs + Math.floor(nowUs / 1_000);
  }

  /**
   * The clocks run at another rate from now on; neither jumps. Timers that are set already fire by
   * the slower of both rates: late, as any timer may.
   */
  setDrift(driftPpm: number, nowUs: number): void {
    this.mono = { shownUs: this.monoUs(nowUs), atUs: this.awakeUs(nowUs) };
    this.boot = { shownUs: this.bootUs(nowUs), atUs: nowUs };
    this.ppm = driftPpm;
    this.rate = rateOf(driftPpm);
  }

  /** The present rate error in parts per million. */
  get driftPpm(): number {
    return this.ppm;
  }

  /** The wall clock is set forward or back; nothing else changes. */
  jumpWall(byMs: number): void {
    this.skewMs += byMs;
  }

  /** The machine sleeps: monotonic time does not pass, the boot clock and true time do. */
  suspend(nowUs: number): void {
    this.asleepSinceUs ??= nowUs;
  }

  /** The machine goes on, if it slept. */
  wake(nowUs: number): void {
    this.suspendedUs += nowUs - (this.asleepSinceUs ?? nowUs);
    this.asleepSinceUs = null;
  }

  /** True time at which the monotonic clock shows at least `localUs`. */
  timeOfUs(localUs: number): number {
    const { shownUs, atUs } = this.mono;
    const timeUs = Math.ceil((localUs - shownUs) / this.rate) + atUs + this.suspendedUs;
    return this.monoUs(timeUs) < localUs ? timeUs + 1 : timeUs;
  }

  /** How late the next timer is; below 0 when it is early. */
  drawLateness(): number {
    const span = this.earlyUsMax + this.latenessUsMax + 1;
    return this.random.below(span, 'lateness', this.name, this.timersSet++) - this.earlyUsMax;
  }

  private awakeUs(nowUs: number): number {
    return (this.asleepSinceUs ?? nowUs) - this.suspendedUs;
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
      // Clocks show whole microseconds: at no other time can it be due.
      const dueUs = machine.monoUs(life.nowUs()) + Math.ceil(Math.max(0, delayUs));
      return new LocalTimer(life, machine, { dueUs, number: ++timers, callback });
    },
    soon: (callback) => life.soon(callback),
  };
}

interface TimerPlan {
  readonly dueUs: number;
  readonly number: number;
  readonly callback: () => void;
}

class LocalTimer implements Timer {
  private readonly life: Life;
  private readonly machine: MachineClock;
  private readonly plan: TimerPlan;
  private pending: Timer | null = null;

  constructor(life: Life, machine: MachineClock, plan: TimerPlan) {
    this.life = life;
    this.machine = machine;
    this.plan = plan;
    this.arm();
  }

  cancel(): void {
    this.pending?.cancel();
  }

  private arm(): void {
    const { life, machine, plan } = this;
    const atUs = machine.timeOfUs(plan.dueUs) + machine.drawLateness();
    const run = (): void => this.fire();
    this.pending = life.schedule(atUs, { kind: 'timer', a: plan.number, run });
  }

  // It may come up in true time while a suspend, or another rate, has held local time back: then
  // it waits again.
  private fire(): void {
    const { life, machine, plan } = this;
    if (machine.monoUs(life.nowUs()) < plan.dueUs - machine.earlyUsMax) this.arm();
    else plan.callback();
  }
}

function rateOf(driftPpm: number): number {
  assert(driftPpm > -1e6, 'a clock goes forward');
  return 1 + driftPpm / 1e6;
}
