// A world of processes under virtual time, in one thread: the same seed gives the same run.
// One event is one call-back into one process; before the next one, whatever promises it left
// behind have run (SIMULATOR.md §4.1, §4.2).

import { InvariantError, present } from '../../src/base/assert.ts';
import type { Timer } from '../../src/ports/clock.ts';
import type { Undo } from './direction.ts';
import { guardAmbient } from './guard.ts';
import type { LogLine } from './log-lines.ts';
import { EventLoop, FIRST } from './loop.ts';
import { Network } from './network.ts';
import type { NetworkSettings } from './network.ts';
import { processPorts } from './ports.ts';
import type { ProcessPorts } from './ports.ts';
import { SimProcess } from './process.ts';
import type { Life } from './process.ts';
import type { ProcessHandle, ProcessSpec } from './process-spec.ts';
import { KeyedRandom } from './random.ts';
import { Trace } from './trace.ts';
import type { EventKind } from './trace.ts';

export type { ProcessHandle, ProcessSpec } from './process-spec.ts';

/** What a world is made of; only the seed must be given. */
export interface WorldOptions {
  /** A whole number from 0 to 2^32 - 1. */
  readonly seed: number;
  readonly network?: NetworkSettings;
  /** Events of the whole run, beyond which it is an error; default 5,000,000. */
  readonly eventsMax?: number | undefined;
  /** Events without any progress of time, beyond which it is an error; default 100,000. */
  readonly eventsPerInstantMax?: number;
  /** Simultaneous events run in a drawn order, not in that in which they came about. */
  readonly shuffleTies?: boolean;
  /**
   * Called when events begin to run; what it gives is called when they stop. Unless given, nothing
   * in this process may look at real time or chance meanwhile.
   */
  readonly guard?: () => () => void;
}

const EVENTS_MAX = 5_000_000;
const EVENTS_PER_INSTANT_MAX = 100_000;
const WITHIN_US = 60_000_000;

// Taken before any guard is set: it is the one thing that a run waits for.
const afterMicrotasks = setImmediate;

/** See the head of this file. */
export class World {
  readonly random: KeyedRandom;
  readonly trace = new Trace();
  readonly network: Network;
  /** The newest lines that processes logged; older ones are dropped. */
  readonly logLines: LogLine[] = [];
  /** Of all processes, in the order of their definition. */
  readonly names = new Set<string>();
  private readonly loop: EventLoop;
  private readonly guard: () => () => void;
  private owesDrain = false;
  private isRunning = false;
  private isStopped = false;

  constructor(options: WorldOptions) {
    this.random = new KeyedRandom(options.seed);
    this.guard = options.guard ?? guardAmbient;
    const drawTie = (timeUs: number, lane: number): number => this.random.draw('tie', timeUs, lane);
    this.loop = new EventLoop(this.trace, {
      eventsMax: options.eventsMax ?? EVENTS_MAX,
      eventsPerInstantMax: options.eventsPerInstantMax ?? EVENTS_PER_INSTANT_MAX,
      ...(options.shuffleTies === true ? { drawTie } : {}),
    });
    this.network = new Network(this.loop, this.random, options.network ?? {});
  }

  /** True time in microseconds since the world began. */
  get nowUs(): number {
    return this.loop.nowUs;
  }

  /** Seq of the event that runs; between runs, 0. */
  get eventSeq(): number {
    return this.loop.causeSeq;
  }

  /** Equal for equal runs. */
  traceHash(): string {
    return this.trace.hash();
  }

  /** Defines a process; it does not run before `start`. */
  process<T>(spec: ProcessSpec<T>): ProcessHandle<T> {
    if (this.names.has(spec.name)) throw new InvariantError(`two processes named ${spec.name}`);
    this.names.add(spec.name);
    const { name, isSync } = spec;
    const address = spec.address ?? `${name}:1`;
    const process = new SimProcess(
      { name, number: this.names.size, address, isSync, around: spec.around },
      spec.clock ?? {},
      { loop: this.loop, random: this.random, onAsyncWork: () => (this.owesDrain = true) },
    );
    this.network.register(process);
    return this.handle(process, spec);
  }

  /** Runs at that time, as the world's own act. */
  at(timeUs: number, act: () => void): Timer {
    return this.loop.at(timeUs, () => this.occur('control', {}, act), FIRST);
  }

  /** For devices: runs after so many microseconds, unseen by the trace. Whom it tells is seen. */
  after(delayUs: number, act: () => void): Timer {
    return this.loop.at(this.nowUs + delayUs, act);
  }

  /** Nothing gets from `from` to `to` any more, until it is undone or healed. */
  cut(from: string, to: string): Undo {
    this.note('cut', from, to);
    return this.network.impair(from, to, { isCut: true });
  }

  cutBoth(left: string, right: string): void {
    this.cut(left, right);
    this.cut(right, left);
  }

  /** Cuts a process off from all others that exist now. */
  isolate(name: string): void {
    for (const other of this.names) if (other !== name) this.cutBoth(name, other);
  }

  /** Opens one direction, both of a pair (`healBoth`), or everything (without names). */
  heal(from?: string, to?: string): void {
    this.note('heal', from ?? '', to ?? '');
    if (from === undefined || to === undefined) this.network.topology.mendAll();
    else this.network.topology.mend(from, to);
    this.network.released();
  }

  healBoth(left: string, right: string): void {
    this.heal(left, right);
    this.heal(right, left);
  }

  /** Something that a program tells of itself becomes part of the trace. */
  mark(process: SimProcess, text: string): void {
    const a = this.random.draw('mark', text);
    this.occur('note', { process: process.number, a }, () => {});
  }

  /** Ends the run after the event that is running; nothing ever runs in this world again. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Runs up to a time, or until the condition holds after some event, which is false if it did
   * not within `withinUs` (default one minute). Microtasks are drained after every event of an
   * asynchronous process.
   */
  async run(until: number | (() => boolean), withinUs: number = WITHIN_US): Promise<boolean> {
    const release = this.enter();
    this.owesDrain = true;
    try {
      for (const endUs = this.endUs(until, withinUs); ;) {
        if (this.owesDrain) {
          this.owesDrain = false;
          await new Promise((resolve) => afterMicrotasks(resolve));
        }
        const verdict = this.advance(until, endUs);
        if (verdict !== null) return verdict;
      }
    } finally {
      release();
    }
  }

  /** Like `run`, for worlds in which no asynchronous process runs. */
  runSync(until: number | (() => boolean), withinUs: number = WITHIN_US): boolean {
    const release = this.enter();
    try {
      const verdict = this.advance(until, this.endUs(until, withinUs));
      if (verdict === null) throw new InvariantError('an asynchronous process needs run()');
      return verdict;
    } finally {
      release();
    }
  }

  private endUs(until: number | (() => boolean), withinUs: number): number {
    return typeof until === 'number' ? until : this.nowUs + withinUs;
  }

  /** Runs events until microtasks are to be drained, then null, or to the verdict of the run. */
  private advance(until: number | (() => boolean), endUs: number): boolean | null {
    const isTrue = typeof until === 'number' ? null : until;
    for (;;) {
      if (isTrue?.() === true) return true;
      if (this.isStopped) return false;
      if (!this.loop.step(endUs)) return isTrue?.() ?? true;
      if (this.owesDrain) return null;
    }
  }

  private enter(): () => void {
    if (this.isRunning) throw new InvariantError('this world runs already');
    this.isRunning = true;
    const restore = this.guard();
    return () => {
      restore();
      this.loop.leave();
      this.isRunning = false;
    };
  }

  private handle<T>(process: SimProcess, spec: ProcessSpec<T>): ProcessHandle<T> {
    let program: T | null = null;
    const about = { process: process.number };
    const begin = (life: Life): T => (program = spec.start(this.ports(life)));
    return {
      name: spec.name,
      process,
      get program() {
        return program;
      },
      start: () => {
        if (process.life !== null) return;
        const life = this.beginLife(process);
        const run = (): void => void begin(life);
        life.schedule(this.nowUs, { kind: 'start', a: life.incarnation, run }, FIRST);
      },
      startNow: () => {
        if (process.life !== null) throw new InvariantError(`${spec.name} runs already`);
        const life = this.beginLife(process);
        life.hand({ kind: 'start', a: life.incarnation, run: () => void begin(life) });
        return present(program, `the program of ${spec.name}`);
      },
      crash: (options) => {
        const life = process.end();
        if (life === null) return;
        program = null;
        const isSilent = options?.isSilent ?? false;
        this.occur('crash', about, () => {
          for (const loop of life.all) this.network.died(loop, isSilent);
        });
      },
      pause: (kind = 'stop') => this.occur('pause', about, () => process.pause(kind)),
      resume: () => this.occur('resume', about, () => process.resume()),
    };
  }

  private beginLife(process: SimProcess): Life {
    const life = process.begin();
    this.network.machineUp(process);
    return life;
  }

  private ports(life: Life): ProcessPorts {
    const { random, network, logLines } = this;
    return processPorts(life, { random, network, logLines, nowUs: () => this.nowUs });
  }

  private note(what: string, from: string, to: string): void {
    const a = this.random.draw(what, from, to);
    this.occur('control', { a }, () => {});
  }

  private occur(
    kind: EventKind,
    { process = 0, a = 0 }: { readonly process?: number; readonly a?: number },
    act: () => void,
  ): void {
    this.loop.execute({ kind, process, a, b: 0, c: 0, cause: this.loop.causeSeq }, act);
  }
}

/** A world without processes, at time 0. */
export function createWorld(options: WorldOptions): World {
  return new World(options);
}
