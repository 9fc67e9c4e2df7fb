// What users of `holdfast/sim` see.

import type { Client } from '../../src/client/client-types.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { ProbeId } from '../../src/base/probe.ts';
import type { WorldFault } from '../property/world-fault.ts';
import type { Duration } from './duration.ts';
import type { FencedStore } from './fenced-store.ts';

/** What a simulation is made of; only the seed must be given. */
export interface SimulateOptions {
  /** A whole number from 0 to 2^32 - 1. The same seed, options and program are the same run. */
  readonly seed: number;
  /** How many nodes the cluster has, named n1, n2, …; default 3. */
  readonly nodes?: 1 | 3 | 5;
  /** How often a leader tells that it is there, at most a tenth of `electionMs`; default 50. */
  readonly heartbeatMs?: number;
  /** For how long a leader must be silent before another is elected; default 500. */
  readonly electionMs?: number;
  /** How long frames travel; defaults: 0.05 to 0.25 ms by route, plus up to 0.05 ms by chance. */
  readonly network?: WorldNetwork;
  /** Clocks of nodes and processes, by name; those that are not named are right. */
  readonly clocks?: Readonly<Record<string, WorldClock>>;
  /** What goes wrong by itself, each at its time; see `faults`. */
  readonly faults?: readonly WorldFault[];
  /** Virtual time after which a scenario that has not ended fails (LIMIT); default 10 minutes. */
  readonly limitMs?: Duration;
  /** Events after which a run fails (SPIN); default 5,000,000. */
  readonly eventsMax?: number;
  /**
   * Where a failing run leaves its replay file and its report, default `.holdfast` in the working
   * directory; false: nowhere.
   */
  readonly report?: string | false;
  /**
   * `references` also finds timers, files and sockets that are used through references taken
   * before the world began, such as a destructured `setTimeout`; runs take several times as long.
   */
  readonly check?: 'usual' | 'references';
  /** Whether what programs log to the console is printed (default), or only kept in the story. */
  readonly console?: 'print' | 'keep';
}

/** How long frames travel between any two processes. */
export interface WorldNetwork {
  /** Constant for each route, drawn once from half to twice as much. */
  readonly latencyMs?: number;
  /** Drawn for each frame: up to so much more. */
  readonly jitterMs?: number;
}

/** How the clocks of one machine differ from true time. */
export interface WorldClock {
  /**
   * Rate error in parts per million; default 0. Leases allow for 10,000 (1 %): beyond that only
   * fencing is promised, and only it is judged.
   */
  readonly driftPpm?: number;
  /** How far the wall clock is off, in milliseconds; default 0. */
  readonly skewMs?: number;
}

/** What a simulation came to, when nothing was broken. */
export interface Simulation<T> {
  /** What the scenario returned. */
  readonly value: T;
  /** Equal for equal runs: 16 hexadecimal digits over every event. */
  readonly traceHash: string;
  /** How many events there were. */
  readonly events: number;
  /** Virtual time from the beginning of the scenario to its end. */
  readonly virtualMs: number;
  /** What happened, in prose. */
  readonly story: readonly string[];
  /** How many locks, semaphores and leaderships were granted. */
  readonly grants: number;
  /** When the last of these was granted, in virtual milliseconds of the scenario; 0: none was. */
  readonly lastGrantMs: number;
  /** How many of the `faults` struck. */
  readonly strikes: number;
  /** Rare states of Holdfast that were reached (docs/probes.md). */
  readonly rareStates: readonly ProbeId[];
}

/** The user's part: what happens in the world. Whatever it awaits takes virtual time only. */
export type Scenario<T> = (world: World) => Promise<T>;

/** Options of a client in the world; its nodes and its name are given. */
export type WorldClientOptions = Omit<ClientOptions, 'nodes' | 'name'>;

/** A simulated world: a cluster, the user's processes, and what may happen to them. */
export interface World {
  /** Virtual milliseconds since the scenario began. */
  readonly nowMs: number;
  /** Ids of the cluster's nodes. */
  readonly nodes: readonly string[];
  /**
   * The shipped client, in a process of its own. The same name again gives the client of its
   * present life. Throws when the name is that of a node or of a program.
   */
  client(name: string, options?: WorldClientOptions): Client;
  /**
   * Runs a program as a process of its own: a crash ends it, a restart runs it again from its
   * beginning. If it throws, the run fails (PROGRAM), unless `done` of its handle was read.
   */
  run<T>(name: string, program: Program<T>, options?: ProgramOptions): ProgramHandle<T>;
  /**
   * Cuts a node or process off from everybody else, or each of the first group from each of the
   * second. `leader` is whoever leads now. Lasts until `heal`.
   */
  partition(whom: string | readonly [readonly string[], readonly string[]]): void;
  /** Ends all partitions. */
  heal(): void;
  /** A node or process stands still, as in a long garbage collection; its clocks go on. */
  pause(name: string, options?: PauseOptions): void;
  /** It goes on: what waited meanwhile, timers and messages, comes in a drawn order. */
  resume(name: string): void;
  /** It dies. A node keeps its disk. */
  crash(name: string): void;
  /** It begins its next life; if it lives, it dies before that. */
  restart(name: string): void;
  /** Resolves after so much virtual time by the clock of the process that calls it. */
  sleep(duration: Duration): Promise<void>;
  /**
   * Resolves as soon as the condition holds, which is looked at after every event, or a rare state
   * of the product was reached (docs/probes.md). Rejects when that takes longer than `within`,
   * default one minute. A condition must have no effects.
   */
  until(condition: (() => boolean) | ProbeId, options?: UntilOptions): Promise<void>;
  /** The id of the node that leads; null while none does. */
  leader(): string | null;
  /** A resource that refuses writes with outdated tokens. The same name is the same store. */
  fencedStore(name: string): FencedStore;
  /** Fails the run (CHECK) unless it is true, and throws. */
  check(isTrue: boolean, message: string): void;
  /** Adds a line to the story; it becomes part of the trace hash. */
  note(text: string): void;
}

/** The code of a process. */
export type Program<T> = (own: Own) => Promise<T>;

/** How a process runs. */
export interface ProgramOptions {
  /**
   * `virtual` (default): timers, dates and randomness are those of the process, also through the
   * usual globals. `refuse`: a use of these globals fails the run, and only `own` gives them.
   */
  readonly globals?: 'virtual' | 'refuse';
}

/** A program that runs, over all its lives. */
export interface ProgramHandle<T> {
  /** As given to `run`. */
  readonly name: string;
  /** How often it has begun, from 1. */
  readonly life: number;
  /** False once it was crashed, until it is restarted. */
  readonly isAlive: boolean;
  /**
   * What the program returned, or threw, in the life that reached its end. Whoever reads this takes
   * care of its rejection: it fails the run only if nobody hears it.
   */
  readonly done: Promise<T>;
}

/** What belongs to one process. */
export interface Own {
  /** Of the process. */
  readonly name: string;
  /** Number of this life, from 1. */
  readonly life: number;
  /** The shipped client, in this process: it dies and stands still with it. */
  client(options?: WorldClientOptions): Client;
  /** Resolves after so much time of this process. */
  sleep(duration: Duration): Promise<void>;
  /** From 0 to 1, without 1; the same in each run of the same seed. */
  random(): number;
  /** Milliseconds since 1970 by the wall clock of its machine. */
  now(): number;
}

/** How long it lasts. */
export interface PauseOptions {
  /** Unless given, until `resume`. */
  readonly forMs?: Duration;
}

/** How long to wait. */
export interface UntilOptions {
  /** Then `until` rejects; default one minute. */
  readonly within?: Duration;
}
