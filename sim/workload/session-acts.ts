// How sessions of clients end and go on.

import type { ErrorCode } from '../../src/base/error.ts';
import type { SessionId } from '../../src/base/units.ts';
import type { Client } from '../../src/client/client-types.ts';
import { SESSION_OVER_CODES } from './calls.ts';
import { ask, track } from './scene.ts';
import type { Scene } from './scene.ts';
import { workUnder } from './shift-acts.ts';

// What the library takes for the farewell of a close.
const FAREWELL_MS = 2_000;
const END_CODES: readonly ErrorCode[] = ['SESSION_GONE', 'OUTCOME_UNKNOWN'];

/** Closes the client and begins a new one. */
export function close(scene: Scene): Promise<void> {
  return closeWithin(scene, 0);
}

/** The same, but holders may finish first. */
export function drain(scene: Scene): Promise<void> {
  return closeWithin(scene, scene.op.holdMs);
}

/**
 * The process dies, and begins anew with what it had saved. It works on under all that it had, or
 * learns that it is gone.
 */
export async function resume(scene: Scene): Promise<void> {
  const { stage, worker, op, own } = scene;
  if (own.client.grants().length === 0) return;
  stage.restart(worker, {
    afterMs: op.arg,
    saved: own.client.session.save(),
    program: async (next) => {
      const resumed = { ...scene, own: next };
      const limits = { codes: SESSION_OVER_CODES };
      await track(resumed, 'resume', limits, () => next.client.ready(worker.requestMs));
      await Promise.all(next.client.grants().map((grant) => workUnder(resumed, grant)));
    },
  });
}

/** Ends the session of the next client, as an operator. */
export async function endSession(scene: Scene): Promise<void> {
  const session: SessionId | null = scene.stage.next(scene.worker).session;
  if (session === null) return;
  scene.stage.beliefs.waiveSession(session);
  const ending = (client: Client): Promise<void> =>
    client.endSession(session, { reason: 'as the script says' });
  await ask(scene, `end session ${session}`, ending, END_CODES);
}

async function closeWithin(scene: Scene, drainMs: number): Promise<void> {
  const { stage, worker, own } = scene;
  const limits = { limitMs: drainMs + FAREWELL_MS, codes: [] };
  await track(scene, 'close', limits, () => own.client.close({ drainMs }));
  stage.restart(worker);
}
