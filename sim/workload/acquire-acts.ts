// Asking for locks of all kinds, and waiting for them.

import { present } from '../../src/base/assert.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { LockItem } from '../../src/client/items.ts';
import type { Leadership } from '../../src/client/leadership.ts';
import type { AcquireOptions } from '../../src/client/lock.ts';
import { WAIT_ARG_MIN } from '../script/ranges.ts';
import type { Op } from '../script/types.ts';
import { GIVEN_UP, SESSION_OVER_CODES } from './calls.ts';
import { electionName, permitsAsked, semaphoreName, semaphoreTotal } from '../script/names.ts';
import { draw, keyOf, track } from './scene.ts';
import type { Scene } from './scene.ts';
import { workUnder } from './shift-acts.ts';

/** Longest waits by `arg`; the mildest first. From `WAIT_ARG_MIN` on it is the wait itself. */
const WAITS_MS = [4_000, 4_000, 4_000, 4_000, 1_500, 500, 100] as const;
// One acquire in so many is given up by its caller, by a signal of its own.
const GIVE_UP_ONE_IN = 8;
const GIVE_UP_MS_MAX = 300;

// BROKEN: granted and broken before the client learnt of it.
const ACQUIRE_CODES: readonly ErrorCode[] = ['WAIT_OVER', ...SESSION_OVER_CODES, 'BROKEN'];
// A semaphore of another size is held or waited for, or the session has too much.
const REFUSED_CODES: readonly ErrorCode[] = ['INVALID'];

/** What is asked for. */
export interface Wanted<Held extends Grant> {
  readonly names: readonly string[];
  /** Rejections that only this kind of request has. */
  readonly codes?: readonly ErrorCode[];
  readonly call: (options: Required<Pick<AcquireOptions, 'waitMs' | 'signal'>>) => Promise<Held>;
}

/** Waits for the lock and works under it. */
export async function acquire(scene: Scene): Promise<void> {
  const name = keyOf(scene);
  const { client } = scene.own;
  const call: Wanted<Grant>['call'] = (options) => client.lock(name).acquire(options);
  await workUnder(scene, await wait(scene, { names: [name], call }));
}

/** The same, together with others of its kind. */
export async function acquireShared(scene: Scene): Promise<void> {
  const name = keyOf(scene);
  const lock = scene.own.client.lock(name);
  const call: Wanted<Grant>['call'] = (options) => lock.acquire({ ...options, mode: 'shared' });
  await workUnder(scene, await wait(scene, { names: [name], call }));
}

/** Two locks in one request. */
export async function acquireAll(scene: Scene): Promise<void> {
  const names = [...new Set([keyOf(scene), keyOf(scene, 1)])];
  const { client } = scene.own;
  const call: Wanted<Grant>['call'] = (options) => client.lockAll(names).acquire(options);
  await workUnder(scene, await wait(scene, { names, call }));
}

/** Some permits of a semaphore. Whoever has their number wrong is refused, or others are. */
export async function acquirePermits(scene: Scene): Promise<void> {
  const { stage, op, own } = scene;
  const name = semaphoreName(op.key, stage.keys);
  const [permits, total] = permitsAsked(op.id, semaphoreTotal(op.key, stage.keys));
  const semaphore = own.client.semaphore(name, total);
  const call: Wanted<Grant>['call'] = (options) => semaphore.acquire({ ...options, permits });
  await workUnder(scene, await wait(scene, { names: [name], codes: REFUSED_CODES, call }));
}

/** Locks of both kinds and a semaphore in one request. */
export async function acquireMixed(scene: Scene): Promise<void> {
  const { stage, op, own } = scene;
  const total = semaphoreTotal(op.key, stage.keys);
  const [first, next] = [keyOf(scene), keyOf(scene, 1)];
  const semaphore = semaphoreName(op.key, stage.keys);
  const items: readonly LockItem[] = [
    { name: first, mode: op.id % 2 === 0 ? 'exclusive' : 'shared' },
    { name: semaphore, permits: permitsAsked(op.id, total) },
    ...(next === first ? [] : [{ name: next, mode: 'shared' } as const]),
  ];
  const call: Wanted<Grant>['call'] = (options) => own.client.lockAll(items).acquire(options);
  const names = [...new Set([first, semaphore, next])];
  await workUnder(scene, await wait(scene, { names, codes: REFUSED_CODES, call }));
}

/** The lock for at most half as long as it is wanted: the library ends the hold. */
export async function acquireBriefly(scene: Scene): Promise<void> {
  const name = keyOf(scene);
  const lock = scene.own.client.lock(name);
  const maxHoldMs = Math.max(1, scene.op.holdMs >> 1);
  const call: Wanted<Grant>['call'] = (options) => lock.acquire({ ...options, maxHoldMs });
  await workUnder(scene, await wait(scene, { names: [name], call }), maxHoldMs);
}

/** Leads an election. */
export async function campaign(scene: Scene): Promise<void> {
  const { stage, op, own } = scene;
  const name = electionName(op.key, stage.keys);
  const election = own.client.election(name);
  const call: Wanted<Leadership>['call'] = (options) =>
    election.campaign({ ...options, value: `candidate ${op.id}` });
  await workUnder(scene, await wait(scene, { names: [name], call }));
}

/** Takes the lock if it is free. */
export async function tryAcquire(scene: Scene): Promise<void> {
  const name = keyOf(scene);
  const { stage, own } = scene;
  const codes = [...ACQUIRE_CODES, ...(stage.isScarce ? REFUSED_CODES : [])];
  const grant = await track(scene, `tryAcquire ${name}`, { codes }, () =>
    own.client.lock(name).tryAcquire(),
  );
  if (grant !== null) await workUnder(scene, grant);
}

/** Asks and waits as the operation says, given up by its caller or not. */
async function wait<Held extends Grant>(
  scene: Scene,
  { names, codes = [], call }: Wanted<Held>,
): Promise<Held> {
  const { stage, worker, op, own } = scene;
  const waiting = worker.beginWait(names, stage.world.nowUs);
  const { controller } = waiting;
  const waitMs = waitOf(op);
  if (op.arg < WAIT_ARG_MIN && op.arg % GIVE_UP_ONE_IN === GIVE_UP_ONE_IN - 1) {
    const afterMs = draw(scene, GIVE_UP_MS_MAX, 'give up');
    own.clock.after(afterMs * US_PER_MS, () => controller.abort(GIVEN_UP));
  }
  const limits = {
    limitMs: Math.max(waitMs, worker.requestMs),
    codes: [...ACQUIRE_CODES, ...codes, ...(stage.isScarce ? REFUSED_CODES : [])],
  };
  try {
    return await track(scene, `acquire ${names.join(' and ')}`, limits, () =>
      call({ waitMs, signal: controller.signal }),
    );
  } finally {
    worker.endWait(waiting);
  }
}

function waitOf({ arg }: Op): number {
  return arg < WAIT_ARG_MIN ? present(WAITS_MS[arg % WAITS_MS.length], 'a wait') : arg;
}
