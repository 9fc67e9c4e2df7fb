// What an operation of a script works with: its client, the run, and its own luck.

import { present } from '../../src/base/assert.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import type { Client } from '../../src/client/client-types.ts';
import type { SimCluster } from '../cluster.ts';
import type { ClientProgram, SimClient } from '../cluster-client.ts';
import type { Beliefs } from '../oracle/belief.ts';
import type { Fencing } from '../oracle/fencing.ts';
import type { WatchOracle } from '../oracle/watch.ts';
import { lockName } from '../script/names.ts';
import type { Op, Script } from '../script/types.ts';
import type { World } from '../world/world.ts';
import type { Calls } from './calls.ts';
import type { Worker } from './worker.ts';

/** What the acts of one run share. */
export interface Stage {
  readonly world: World;
  readonly cluster: SimCluster;
  readonly script: Script;
  readonly calls: Calls;
  readonly beliefs: Beliefs;
  readonly fencing: Fencing;
  readonly watches: WatchOracle;
  readonly keys: number;
  /** Whether a session may be refused for what it has already. */
  readonly isScarce: boolean;
  /** All clients of the run. */
  readonly clients: readonly SimClient[];
  /** The client after this one; itself where there is only one. */
  next(worker: Worker): Worker;
  /** True: whoever holds gives back soon. */
  isWindingDown(): boolean;
  /** A client was told of a grant. */
  onGrant(): void;
  /** Runs a part of a program in the process of that client, which lives. */
  perform(worker: Worker, what: string, program: (own: ClientProgram) => Promise<void>): void;
  /** The process ends by itself and begins anew. */
  restart(worker: Worker, next?: NextLife): void;
}

/** How a process begins anew. */
export interface NextLife {
  /** So long after its end; true time. */
  readonly afterMs: number;
  /** The session that it resumes: what ClientSession.save gave. */
  readonly saved: string;
  /** What it does first. */
  readonly program: (own: ClientProgram) => Promise<void>;
}

/** One operation under way. */
export interface Scene {
  readonly stage: Stage;
  readonly worker: Worker;
  readonly op: Op;
  readonly own: ClientProgram;
}

/** What a call may be rejected with beyond what all may, and how long it takes at most. */
export interface Limits {
  readonly codes: readonly ErrorCode[];
  /** Default: as long as the library tries a request. */
  readonly limitMs?: number;
}

/** The lock that the operation is about, or the `next`-th one after it. */
export function keyOf({ stage, op }: Scene, next = 0): string {
  return lockName(op.key + next, stage.keys);
}

/** A drawn whole number below `limit`. */
export function draw({ stage, op }: Scene, limit: number, label: string, step = 0): number {
  return stage.world.random.below(limit, label, op.id, step);
}

/** Calls the library, in the books of the run until it settles. */
export function track<T>(
  { stage, worker }: Scene,
  what: string,
  { limitMs = worker.requestMs, codes }: Limits,
  call: () => Promise<T>,
): Promise<T> {
  const life = present(worker.life, `a life of ${worker.name}`);
  return stage.calls.track({ what: `${worker.name}: ${what}`, life, limitMs, codes }, call);
}

/** A question, or a request of an operator. */
export function ask<T>(
  scene: Scene,
  what: string,
  question: (client: Client) => Promise<T>,
  codes: readonly ErrorCode[] = [],
): Promise<T> {
  return track(scene, what, { codes }, () => question(scene.own.client));
}
