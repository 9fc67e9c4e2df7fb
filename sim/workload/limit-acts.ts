// An operator changes the limits of all sessions while they are in use.

import type { ErrorCode } from '../../src/base/error.ts';
import { limitsAsked } from '../script/cluster-options.ts';
import { administer } from './member-acts.ts';
import { track } from './scene.ts';
import type { Scene } from './scene.ts';

const LIMIT_MS = 6_000;
// INVALID: not every member has announced that it understands the command.
const CODES: readonly ErrorCode[] = [
  'NOT_LEADER',
  'INVALID',
  'OUTCOME_UNKNOWN',
  'CHANGE_PENDING',
  'LIMITS_CHANGED',
];

/** Sets the limits that the operation says. */
export function setLimits(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const { op, worker } = scene;
    const limits = { codes: CODES, limitMs: LIMIT_MS };
    const asked = limitsAsked(op.arg);
    await track(scene, 'set limits', limits, async () => {
      const expected = await admin.limits();
      await admin.setLimits({ expected, limits: asked, by: worker.name });
    });
  });
}
