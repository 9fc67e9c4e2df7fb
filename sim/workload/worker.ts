// One client of the workload over all its lives: what it holds and waits for now.

import { present } from '../../src/base/assert.ts';
import type { Revision } from '../../src/base/units.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { SimClient } from '../cluster-client.ts';
import type { Hold } from '../oracle/belief.ts';
import type { WatchRecord } from '../oracle/watch.ts';
import type { Life } from '../world/process.ts';
import { GIVEN_UP } from './calls.ts';

/** An acquire that is neither granted nor rejected. */
export interface Wait {
  readonly life: Life;
  readonly client: string;
  readonly names: readonly string[];
  /** True time. */
  readonly startedUs: number;
  readonly controller: AbortController;
}

/** A hold and the work under it. */
export interface Shift {
  readonly hold: Hold;
  readonly grant: Grant;
  /** By the clock of the process; nobody believes in it any longer. */
  readonly limitUs: number;
  /** It was given back from elsewhere: the work is to end. */
  isOver: boolean;
}

/** Somebody who listens to what happens to locks. */
export interface Ear {
  readonly life: Life;
  readonly record: Pick<WatchRecord<never>, 'end'>;
}

/** What a worker is. */
export interface WorkerPlan {
  /** From 0. */
  readonly place: number;
  readonly sim: SimClient;
  /** Of its options: how long the library tries a request. */
  readonly requestMs: number;
}

/** See the head of this file. */
export class Worker {
  readonly place: number;
  readonly sim: SimClient;
  readonly requestMs: number;
  /** The last revision of each watch that it ended, by what was watched. */
  readonly leftOff = new Map<string, Revision>();
  private shifts: Shift[] = [];
  private waiting: Wait[] = [];
  private ears: Ear[] = [];

  constructor({ place, sim, requestMs }: WorkerPlan) {
    this.place = place;
    this.sim = sim;
    this.requestMs = requestMs;
  }

  get name(): string {
    return this.sim.name;
  }

  /** The present life; null while it is dead. */
  get life(): Life | null {
    return this.sim.handle.process.life;
  }

  /** The session of the present life; null without one. */
  get session(): string | null {
    return this.sim.handle.program?.client.session.id ?? null;
  }

  waits(): readonly Wait[] {
    this.waiting = this.waiting.filter(({ life }) => life.isAlive);
    return this.waiting;
  }

  beginWait(names: readonly string[], startedUs: number): Wait {
    const controller = new AbortController();
    const life = present(this.life, `a life of ${this.name}`);
    const wait = { life, client: this.name, names, startedUs, controller };
    this.waiting.push(wait);
    return wait;
  }

  endWait(wait: Wait): void {
    this.waiting = this.waiting.filter((each) => each !== wait);
  }

  /** Gives up the n-th wait, wrapping; nothing without any. */
  cancel(number: number): void {
    const waits = this.waits();
    waits[number % waits.length]?.controller.abort(GIVEN_UP);
  }

  beginShift(hold: Hold, grant: Grant, limitUs: number): Shift {
    const shift = { hold, grant, limitUs, isOver: false };
    this.shifts.push(shift);
    return shift;
  }

  endShift(shift: Shift): void {
    this.shifts = this.shifts.filter((each) => each !== shift);
  }

  beginListening(record: Ear['record']): Ear {
    const ear = { life: present(this.life, `a life of ${this.name}`), record };
    this.ears.push(ear);
    return ear;
  }

  endListening(ear: Ear): void {
    ear.record.end();
    this.ears = this.ears.filter((each) => each !== ear);
  }

  /** Nobody listens any more in a process that is dead. */
  endDeadEars(): void {
    for (const ear of this.ears) if (!ear.life.isAlive) this.endListening(ear);
  }

  /** The n-th hold that nobody has given back, of those that are wanted, wrapping. */
  shift(number: number, isWanted: (shift: Shift) => boolean = () => true): Shift | undefined {
    this.shifts = this.shifts.filter(({ hold }) => hold.life.isAlive);
    const open = this.shifts.filter((shift) => !shift.isOver && isWanted(shift));
    return open[number % open.length];
  }
}
