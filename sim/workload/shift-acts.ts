// Work under what was granted, and how it is given back.

import { InvariantError, present } from '../../src/base/assert.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import { SessionGrant } from '../../src/client/grant.ts';
import type { Grant } from '../../src/client/grant.ts';
import { SessionLeadership } from '../../src/client/leadership.ts';
import type { Hold } from '../oracle/belief.ts';
import { SESSION_OVER_CODES } from './calls.ts';
import { draw, track } from './scene.ts';
import type { Scene } from './scene.ts';
import type { Shift, Worker } from './worker.ts';

const STEP_MS = { min: 2, max: 15 } as const;
// One write in so many comes some time after the look at the lock, as those of real programs do.
const CARELESS_ONE_IN = 5;
const TAKE_OVER_CODES: readonly ErrorCode[] = [...SESSION_OVER_CODES, 'NOT_HOLDER', 'LOCK_LOST'];
const RELEASE_CODES: readonly ErrorCode[] = ['LOCK_LOST', 'OUTCOME_UNKNOWN'];

/**
 * Writes under the lock for as long as the script says and the client believes in it; `maxHoldMs`:
 * what the library was told.
 */
export async function workUnder(scene: Scene, grant: Grant, maxHoldMs = Infinity): Promise<void> {
  const { stage, worker, own } = scene;
  const hold = holdOf(worker, grant);
  const shift = worker.beginShift(hold, grant, own.clock.monoUs() + maxHoldMs * US_PER_MS);
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

/** Ends the `arg`-th hold of the client early. */
export async function release(scene: Scene): Promise<void> {
  const shift = scene.worker.shift(scene.op.arg);
  if (shift === undefined) return;
  shift.isOver = true;
  await giveBack(scene, shift.grant);
}

/** Changes the value of the `arg`-th leadership of the client. */
export async function proclaim(scene: Scene): Promise<void> {
  const { worker, op } = scene;
  const grant = worker.shift(op.arg, ({ grant: each }) => each instanceof SessionLeadership)?.grant;
  if (!(grant instanceof SessionLeadership)) return;
  const what = `proclaim in ${grant.name}`;
  const limits = { codes: RELEASE_CODES };
  await track(scene, what, limits, () => grant.proclaim(`proclaimed ${op.id}`));
}

/** Takes the `arg`-th hold of the client once more. */
export async function reenter(scene: Scene): Promise<void> {
  const shift = scene.worker.shift(scene.op.arg);
  if (shift?.grant.held() === true) await workUnder(scene, shift.grant.reenter());
}

/** Gives the `arg`-th hold of the client to the process of the next one, who works on under it. */
export async function handOver(scene: Scene): Promise<void> {
  const { stage, worker } = scene;
  const shift = worker.shift(scene.op.arg);
  const heir = stage.next(worker);
  if (shift?.grant.held() !== true || heir === worker || heir.life === null) return;
  shift.isOver = true;
  const text = shift.grant.handOver();
  stage.perform(heir, 'take over', async (own) => {
    const taking = { ...scene, worker: heir, own };
    const limits = { codes: TAKE_OVER_CODES };
    await workUnder(
      taking,
      await track(taking, 'take over', limits, () => own.client.takeOver(text)),
    );
  });
}

async function writeUnder(scene: Scene, shift: Shift): Promise<void> {
  const { stage, op, own } = scene;
  const { hold, grant } = shift;
  const endUs = own.clock.monoUs() + op.holdMs * US_PER_MS;
  for (let step = 0; !shift.isOver; step++) {
    grant.assertHeld();
    if (own.clock.monoUs() > shift.limitUs) stage.calls.onHeldTooLong(hold.client, grant.name);
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
  const give = (): Promise<boolean> =>
    grant instanceof SessionLeadership ? grant.resign() : grant.release();
  await track(scene, what, { codes: RELEASE_CODES }, give);
}

function holdOf({ name, life }: Worker, grant: Grant): Hold {
  if (!(grant instanceof SessionGrant)) throw new InvariantError('a grant of another client');
  const session = present(grant.sessionId, 'the session of a grant');
  return { client: name, life: present(life, `a life of ${name}`), session, grant };
}
