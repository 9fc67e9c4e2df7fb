// What the operations of a script do with the client library.

import { InvariantError, present } from '../../src/base/assert.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { SessionId } from '../../src/base/units.ts';
import type { Client } from '../../src/client/client-types.ts';
import { SessionGrant } from '../../src/client/grant.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { ClientProgram } from '../cluster-client.ts';
import type { Beliefs, Hold } from '../oracle/belief.ts';
import type { Fencing } from '../oracle/fencing.ts';
import { WAIT_ARG_MIN } from '../script/ranges.ts';
import type { Op, OpKind } from '../script/types.ts';
import type { World } from '../world/world.ts';
import { GIVEN_UP } from './calls.ts';
import type { Calls } from './calls.ts';
import type { Shift, Worker } from './worker.ts';

/** What the acts of one run share. */
export interface Stage {
  readonly world: World;
  readonly calls: Calls;
  readonly beliefs: Beliefs;
  readonly fencing: Fencing;
  readonly keys: number;
  /** The client after this one; itself where there is only one. */
  next(worker: Worker): Worker;
  /** True: whoever holds gives back soon. */
  isWindingDown(): boolean;
  /** A client was told of a grant. */
  onGrant(): void;
  /** The process ends by itself and begins anew. */
  restart(worker: Worker): void;
}

/** One operation under way. */
interface Scene {
  readonly stage: Stage;
  readonly worker: Worker;
  readonly op: Op;
  readonly own: ClientProgram;
}

/** Longest waits by `arg`; the mildest first. From `WAIT_ARG_MIN` on it is the wait itself. */
const WAITS_MS = [4_000, 4_000, 4_000, 4_000, 1_500, 500, 100] as const;
// One acquire in so many is given up by its caller, by a signal of its own.
const GIVE_UP_ONE_IN = 8;
const GIVE_UP_MS_MAX = 300;
const STEP_MS = { min: 2, max: 15 } as const;
// One write in so many comes some time after the look at the lock, as those of real programs do.
const CARELESS_ONE_IN = 5;
// What the library takes for the farewell of a close.
const FAREWELL_MS = 2_000;

// BROKEN: granted and broken before the client learnt of it.
const ACQUIRE_CODES: readonly ErrorCode[] = ['WAIT_OVER', 'SESSION_GONE', 'BROKEN'];
const RELEASE_CODES: readonly ErrorCode[] = ['LOCK_LOST', 'OUTCOME_UNKNOWN'];
const BREAK_CODES: readonly ErrorCode[] = ['NOT_HOLDER', 'OUTCOME_UNKNOWN'];
const END_CODES: readonly ErrorCode[] = ['SESSION_GONE', 'OUTCOME_UNKNOWN'];

/** Does what the operation says in the process of its client. Rejects as the library does. */
export async function act(scene: Scene): Promise<void> {
  await ACTS[scene.op.kind](scene);
}

const ACTS: Readonly<Record<OpKind, (scene: Scene) => Promise<void>>> = {
  acquire: (scene) => acquire(scene, [keyOf(scene, 0)]),
  acquireAll: (scene) => acquire(scene, [...new Set([keyOf(scene, 0), keyOf(scene, 1)])]),
  tryAcquire,
  release,
  cancel: async ({ worker, op }) => worker.cancel(op.arg),
  inspect: async (scene) => void (await ask(scene, 'inspect', (client) => inspect(scene, client))),
  list: async (scene) => void (await ask(scene, 'list', (client) => client.list())),
  break: breakLock,
  endSession,
  close,
};

async function acquire(scene: Scene, names: readonly string[]): Promise<void> {
  const { stage, worker, op, own } = scene;
  const wait = worker.beginWait(names, stage.world.nowUs);
  const { signal } = wait.controller;
  const waitMs = waitOf(op);
  if (op.arg < WAIT_ARG_MIN && op.arg % GIVE_UP_ONE_IN === GIVE_UP_ONE_IN - 1) {
    const afterMs = draw(scene, GIVE_UP_MS_MAX, 'give up');
    own.clock.after(afterMs * US_PER_MS, () => wait.controller.abort(GIVEN_UP));
  }
  const calling = callingOf(scene, `acquire ${names.join(' and ')}`, {
    limitMs: Math.max(waitMs, worker.requestMs),
    codes: ACQUIRE_CODES,
  });
  let grant: Grant;
  try {
    const lock = own.client.lockAll(names);
    grant = await stage.calls.track(calling, () => lock.acquire({ waitMs, signal }));
  } finally {
    worker.endWait(wait);
  }
  await workUnder(scene, grant);
}

function waitOf({ arg }: Op): number {
  return arg < WAIT_ARG_MIN ? present(WAITS_MS[arg % WAITS_MS.length], 'a wait') : arg;
}

async function tryAcquire(scene: Scene): Promise<void> {
  const { stage, own } = scene;
  const name = keyOf(scene, 0);
  const calling = callingOf(scene, `tryAcquire ${name}`, { codes: ACQUIRE_CODES });
  const grant = await stage.calls.track(calling, () => own.client.lock(name).tryAcquire());
  if (grant !== null) await workUnder(scene, grant);
}

/** Writes under the lock for as long as the script says and the client believes in it. */
async function workUnder(scene: Scene, grant: Grant): Promise<void> {
  const { stage, worker } = scene;
  const hold = holdOf(worker, grant);
  const shift = worker.beginShift(hold, grant);
  stage.onGrant();
  stage.beliefs.begin(hold);
  try {
    await writeUnder(scene, shift);
  } finally {
    worker.endShift(shift);
    stage.beliefs.end(hold);
  }
  if (!shift.isOver) await giveBack(scene, grant);
}

async function writeUnder(scene: Scene, shift: Shift): Promise<void> {
  const { stage, op, own } = scene;
  const { hold, grant } = shift;
  const endUs = own.clock.monoUs() + op.holdMs * US_PER_MS;
  for (let step = 0; !shift.isOver; step++) {
    grant.assertHeld();
    stage.beliefs.onUse(hold);
    const isSure = draw(scene, CARELESS_ONE_IN, 'careless', step) > 0;
    if (!isSure) await own.sleep(draw(scene, STEP_MS.max, 'dawdle', step));
    stage.fencing.write(hold, isSure);
    if (stage.isWindingDown() || own.clock.monoUs() >= endUs) return;
    await own.sleep(STEP_MS.min + draw(scene, STEP_MS.max - STEP_MS.min, 'step', step));
  }
}

async function giveBack(scene: Scene, grant: Grant): Promise<void> {
  const what = `release ${grant.names.join(' and ')}`;
  const calling = callingOf(scene, what, { codes: RELEASE_CODES });
  await scene.stage.calls.track(calling, () => grant.release());
}

async function release(scene: Scene): Promise<void> {
  const shift = scene.worker.shift(scene.op.arg);
  if (shift === undefined) return;
  shift.isOver = true;
  await giveBack(scene, shift.grant);
}

async function inspect(scene: Scene, client: Client): ReturnType<Client['inspect']> {
  return client.inspect(keyOf(scene, 0));
}

async function breakLock(scene: Scene): Promise<void> {
  const { holder } = await ask(scene, 'inspect', (client) => inspect(scene, client));
  if (holder === null) return;
  const name = keyOf(scene, 0);
  const { token } = holder;
  scene.stage.beliefs.waiveGrant(name, token);
  const breaking = (client: Client): Promise<void> =>
    client.break(name, { token, reason: 'as the script says' });
  await ask(scene, `break ${name}`, breaking, BREAK_CODES);
}

async function endSession(scene: Scene): Promise<void> {
  const session: SessionId | null = scene.stage.next(scene.worker).session;
  if (session === null) return;
  scene.stage.beliefs.waiveSession(session);
  const ending = (client: Client): Promise<void> =>
    client.endSession(session, { reason: 'as the script says' });
  await ask(scene, `end session ${session}`, ending, END_CODES);
}

async function close(scene: Scene): Promise<void> {
  const { stage, worker, own } = scene;
  const calling = callingOf(scene, 'close', { limitMs: FAREWELL_MS, codes: [] });
  await stage.calls.track(calling, () => own.client.close());
  stage.restart(worker);
}

async function ask<T>(
  scene: Scene,
  what: string,
  question: (client: Client) => Promise<T>,
  codes: readonly ErrorCode[] = [],
): Promise<T> {
  const { stage, own } = scene;
  return stage.calls.track(callingOf(scene, what, { codes }), () => question(own.client));
}

function callingOf(
  { worker }: Scene,
  what: string,
  { limitMs = worker.requestMs, codes }: { limitMs?: number; codes: readonly ErrorCode[] },
): Parameters<Calls['track']>[0] {
  const life = present(worker.life, `a life of ${worker.name}`);
  return { what: `${worker.name}: ${what}`, life, limitMs, codes };
}

function holdOf({ name, life }: Worker, grant: Grant): Hold {
  if (!(grant instanceof SessionGrant)) throw new InvariantError('a grant of another client');
  const session = present(grant.sessionId, 'the session of a grant');
  return { client: name, life: present(life, `a life of ${name}`), session, grant };
}

function keyOf({ stage, op }: Scene, next: number): string {
  return `k${((op.key + next) % stage.keys) + 1}`;
}

function draw({ stage, op }: Scene, limit: number, label: string, step = 0): number {
  return stage.world.random.below(limit, label, op.id, step);
}
