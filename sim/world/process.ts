// Processes as an operating system keeps them: they start, die with everything that was pending
// of them, come back, and may stand still for a while as after SIGSTOP.
//
// A paused process misses nothing: what comes in meanwhile waits. When it goes on, real Node runs
// overdue timers and waiting input in either order (SIMULATOR.md §4.7), so here the order is a
// keyed draw, and every other time timers come before all input; only what must stay in order
// among itself, the frames of one link, does.
//
// A slow process needs time for each call-back. What comes meanwhile waits in order, for there is
// one thread. A process may have more of them, each with an event loop of its own: they share its
// clocks, and stand still and die with it, but one that is busy does not keep back the others.

import type { Timer } from '../../src/ports/clock.ts';
import { MachineClock } from './clock.ts';
import type { ClockSettings } from './clock.ts';
import { LAST } from './loop.ts';
import type { EventLoop } from './loop.ts';
import type { KeyedRandom } from './random.ts';
import { Task, shuffleLanes } from './task.ts';
import type { Work } from './task.ts';

/** What a life needs of its world. */
export interface LifeEnvironment {
  readonly loop: EventLoop;
  readonly random: KeyedRandom;
  /** Called after each call-back into an asynchronous process: its microtasks are to be drained. */
  readonly onAsyncWork: () => void;
}

const CATCH_UP_STEP_US = 5;

/** Why an event loop stands still: its whole process does, or its own code keeps it busy. */
export type Standstill = 'pause' | 'block';

/** One incarnation of a process, from start to crash: its main loop, or another thread of it. */
export class Life {
  readonly process: SimProcess;
  readonly incarnation: number;
  private readonly environment: LifeEnvironment;
  private readonly thread: number;
  private readonly threads: Life[] = [];
  private readonly reasons = new Set<Standstill>();
  private backlog: Task[] = [];
  private state: 'running' | 'paused' | 'catchingUp' | 'dead' = 'running';
  private resumes = 0;
  private catchingUp: Timer | null = null;

  /** `thread`: 0 is the main one. */
  constructor(
    process: SimProcess,
    incarnation: number,
    environment: LifeEnvironment,
    thread: number = 0,
  ) {
    this.process = process;
    this.incarnation = incarnation;
    this.environment = environment;
    this.thread = thread;
  }

  /** All event loops of this process. */
  get all(): readonly Life[] {
    return [this, ...this.threads];
  }

  /** Begins another thread, from the main one. It ends with its process at the latest. */
  beginThread(): Life {
    const number = this.threads.length + 1;
    const thread = new Life(this.process, this.incarnation, this.environment, number);
    this.threads.push(thread);
    return thread;
  }

  get isAlive(): boolean {
    return this.state !== 'dead';
  }

  get isPaused(): boolean {
    return this.state === 'paused';
  }

  /** True time in microseconds; only clocks and the network read it. */
  nowUs(): number {
    return this.environment.loop.nowUs;
  }

  /** Hands the work over at that time, if this life still lasts; later while it is paused. */
  schedule(atUs: number, work: Work, lane: number = this.process.number): Timer {
    const task = this.task(work);
    task.pending = this.environment.loop.at(atUs, () => this.arrive(task), lane);
    return task;
  }

  /** Hands the work over now, or later while it is paused. Only called by the loop's events. */
  hand(work: Work): void {
    this.arrive(this.task(work));
  }

  /** Runs after everything that is waiting now was handed over. */
  soon(callback: () => void): void {
    const task = this.task({ kind: 'soon', run: callback });
    if (this.state === 'running') {
      this.environment.loop.at(this.nowUs(), () => this.arrive(task), LAST);
    } else {
      this.arrive(task);
    }
  }

  /** Stands still until every reason for it is gone. */
  stand(reason: Standstill): void {
    if (this.state === 'dead') return;
    this.reasons.add(reason);
    this.state = 'paused';
    this.catchingUp?.cancel();
  }

  /** Goes on: what waited runs in a keyed order, one call-back after the other. */
  goOn(reason: Standstill): void {
    this.reasons.delete(reason);
    if (this.state !== 'paused' || this.reasons.size > 0) return;
    this.state = 'catchingUp';
    const { random } = this.environment;
    const which = this.thread === 0 ? [] : [this.thread];
    const key = [this.process.name, this.incarnation, this.resumes++, ...which] as const;
    const areTimersFirst = random.below(2, 'timers first', ...key) === 1;
    const soons = this.backlog.filter(({ kind }) => kind === 'soon');
    const others = this.backlog.filter(({ kind }) => kind !== 'soon');
    const shuffled = shuffleLanes(others, (place) => {
      const isFirst = areTimersFirst && others[place]?.kind === 'timer';
      return isFirst ? -1 : random.draw('resume', ...key, place);
    });
    this.backlog = [...shuffled, ...soons];
    this.catchUpLater(CATCH_UP_STEP_US);
  }

  /** Ends everything of this life; nothing is called back afterwards. */
  die(): void {
    this.state = 'dead';
    this.backlog = [];
  }

  private task(work: Work): Task {
    return new Task(work, this.process.number, this.environment.loop.causeSeq);
  }

  private arrive(task: Task): void {
    if (this.state === 'running') this.take(task);
    else if (this.state !== 'dead') this.backlog.push(task);
  }

  private take(task: Task): void {
    this.execute(task);
    const { callbackUs } = this.process;
    if (callbackUs === 0 || task.isCancelled || this.state !== 'running') return;
    this.state = 'catchingUp';
    this.catchUpLater(callbackUs);
  }

  private execute(task: Task): void {
    if (task.isCancelled || this.state === 'dead') return;
    const { around } = this.process;
    const run = around === undefined ? task.run : (): void => around(this, task.run);
    this.environment.loop.execute(task, run);
    if (!this.process.isSync) this.environment.onAsyncWork();
  }

  private catchUpLater(delayUs: number): void {
    const catchUp = (): void => this.catchUp();
    this.catchingUp = this.environment.loop.at(
      this.nowUs() + delayUs,
      catchUp,
      this.process.number,
    );
  }

  private catchUp(): void {
    if (this.state !== 'catchingUp') return;
    const next = this.backlog.shift();
    if (next === undefined) {
      this.state = 'running';
      return;
    }
    this.execute(next);
    // The call-back may have ended or stopped its process.
    if (this.state === 'catchingUp') {
      this.catchUpLater(Math.max(CATCH_UP_STEP_US, this.process.callbackUs));
    }
  }
}

/** Runs one call-back into a life of a process. */
export type Around = (life: Life, run: () => void) => void;

/** What is fixed about a process. */
export interface ProcessIdentity {
  readonly name: string;
  /** From 1, in the order of definition; in every trace event. */
  readonly number: number;
  /** Where it listens, `host:port`. */
  readonly address: string;
  /** True: it makes no promises, so nothing needs to be drained after its call-backs. */
  readonly isSync: boolean;
  readonly around?: Around | undefined;
}

/** A process and its machine, over all its lives. */
export class SimProcess {
  readonly name: string;
  readonly number: number;
  readonly address: string;
  readonly isSync: boolean;
  readonly clock: MachineClock;
  readonly around: Around | undefined;
  /** Time that each call-back into it takes, in microseconds from 0. */
  callbackUs = 0;
  private readonly environment: LifeEnvironment;
  private current: Life | null = null;
  private incarnations = 0;

  constructor(identity: ProcessIdentity, clock: ClockSettings, environment: LifeEnvironment) {
    this.name = identity.name;
    this.number = identity.number;
    this.address = identity.address;
    this.isSync = identity.isSync;
    this.around = identity.around;
    this.clock = new MachineClock(identity.name, clock, environment.random);
    this.environment = environment;
  }

  /** The present life, null while the process does not run. */
  get life(): Life | null {
    return this.current;
  }

  /** Number of the present or last life, from 1; 0 before the first. */
  get incarnation(): number {
    return this.incarnations;
  }

  /** Begins the next life. */
  begin(): Life {
    this.incarnations++;
    this.current = new Life(this, this.incarnations, this.environment);
    return this.current;
  }

  /** Ends the present life, if there is one, and gives it back. */
  end(): Life | null {
    const life = this.current;
    for (const loop of life?.all ?? []) loop.die();
    this.current = null;
    this.clock.wake(this.environment.loop.nowUs);
    return life;
  }

  /**
   * `stop`: as by SIGSTOP. `suspend`: the whole machine sleeps and its monotonic clock too. Nothing
   * happens while the process does not run: what begins meanwhile would run on a clock that stands.
   */
  pause(kind: 'stop' | 'suspend'): void {
    if (this.current === null) return;
    for (const loop of this.current.all) loop.stand('pause');
    if (kind === 'suspend') this.clock.suspend(this.environment.loop.nowUs);
  }

  resume(): void {
    this.clock.wake(this.environment.loop.nowUs);
    for (const loop of this.current?.all ?? []) loop.goOn('pause');
  }

  /** Its main loop runs nothing, as under a computation that does not end; other threads do. */
  block(): void {
    this.current?.stand('block');
  }

  unblock(): void {
    this.current?.goOn('block');
  }
}
