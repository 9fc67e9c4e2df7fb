// What the operations of a script do with the client library.

import type { OpKind } from '../script/types.ts';
import {
  acquire,
  acquireAll,
  acquireBriefly,
  acquireMixed,
  acquirePermits,
  acquireShared,
  campaign,
  tryAcquire,
} from './acquire-acts.ts';
import { backup } from './backup-acts.ts';
import { setLimits } from './limit-acts.ts';
import {
  addMember,
  promoteMember,
  removeMember,
  replaceMember,
  transferLeadership,
} from './member-acts.ts';
import { breakLock, inspect, list } from './operator-acts.ts';
import type { Scene } from './scene.ts';
import { close, drain, endSession, resume } from './session-acts.ts';
import { handOver, proclaim, reenter, release } from './shift-acts.ts';
import { observe, watchName, watchPrefix } from './watch-acts.ts';

/** Does what the operation says in the process of its client. Rejects as the library does. */
export async function act(scene: Scene): Promise<void> {
  await ACTS[scene.op.kind](scene);
}

const ACTS: Readonly<Record<OpKind, (scene: Scene) => Promise<void>>> = {
  acquire,
  tryAcquire,
  acquireShared,
  acquirePermits,
  acquireAll,
  acquireMixed,
  acquireBriefly,
  campaign,
  proclaim,
  reenter,
  handOver,
  release,
  cancel: async ({ worker, op }) => worker.cancel(op.arg),
  inspect,
  list,
  observe,
  watchName,
  watchPrefix,
  break: breakLock,
  endSession,
  close,
  drain,
  resume,
  addMember,
  promoteMember,
  removeMember,
  replaceMember,
  transferLeadership,
  backup,
  setLimits,
};
