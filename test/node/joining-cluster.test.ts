// What a new member does with the state that it is sent.

import { expect, test } from 'vitest';
import { addBlank, administrate, cluster, lockSome } from './members-rig.ts';

test('J1 a new member reads its state from disk when it starts again, not when it joins', async () => {
  const { cluster: made } = await cluster(31);
  await lockSome(made, 'a', 40);
  await addBlank(made, 'n4');
  const add = { step: 'addMember', nodeId: 'n4', address: 'n4:7000', isVoter: false } as const;
  await administrate(made, { ...add, expectedIndex: null });
  await made.until('n4 to have all', () => made.status('n4').locks === 40);
  await made.converge();
  const loads = () =>
    made.world.logLines.filter(
      ({ process, message }) => process === 'n4' && message === 'Loaded the state',
    );
  expect(loads()).toEqual([]);

  made.node('n4').crash();
  made.node('n4').start();
  await made.until('n4 to have started', () => made.node('n4').isStarted);
  expect(made.status('n4').locks).toBe(40);
  expect(loads()).toHaveLength(1);
});
