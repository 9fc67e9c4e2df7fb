// Operators' requests: each arrives at whoever leads, and none is done twice by being sent again.

import { expect, test } from 'vitest';
import { silentLogger } from '../../src/ports/logger.ts';
import { Admin } from '../../src/client/admin.ts';
import type { MembershipStep } from '../../src/client/admin.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { encodeSnapshotMeta, encodeSnapshotRows } from '../../src/wire/checkpoint.ts';
import type { AdminStep, QueryResult } from '../../src/wire/client-messages.ts';
import { CHECKPOINT, FOUNDING, ROWS } from '../wire/samples.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';

const REPLACE: MembershipStep = {
  step: 'replace',
  nodeId: 'n3',
  by: { nodeId: 'n4', address: '10.0.0.4:7104' },
  expectedIndex: null,
};

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** What the nodes were asked, as `n1 replace`, and how they answer: not at all unless told. */
function setUp() {
  const world = new FakeWorld();
  const asked: string[] = [];
  const rig = {
    answer: (_step: AdminStep): QueryResult | null => null,
  };
  for (const node of world.cluster.nodes) {
    node.onAdmin = (step, done) => {
      asked.push(`${node.nodeId} ${step.step}`);
      const result = rig.answer(step);
      if (result !== null) done(result);
    };
  }
  const { clock, network: transport } = world;
  const ports = { clock, transport, random: { u32: () => 7 }, logger: silentLogger };
  const admin = new Admin(ports, { nodes: ADDRESSES, name: 'ops', patienceMs: 10_000 });
  const membership = (): QueryResult => ({
    kind: 'membership',
    membership: world.cluster.membership(),
  });
  return { world, asked, rig, admin, membership };
}

test('a change takes as long as it takes, and tells how far it is', async () => {
  const { world, asked, admin, rig, membership } = setUp();
  const seen: number[] = [];
  const changing = admin.change(REPLACE, ({ members }) => seen.push(members.length));
  await world.run(60_000);
  world.cluster.join('n4', '10.0.0.4:7104');
  await world.run(60_000);
  expect(asked).toEqual(['n1 replace']);
  expect(new Set(seen)).toEqual(new Set([3, 4]));
  rig.answer = membership;
  world.cluster.elect('n2');
  world.cluster.node('n1').stop();
  const view = await world.settle(changing);
  expect(asked).toEqual(['n1 replace', 'n2 replace']);
  expect(view.members).toHaveLength(4);
  admin.close();
});

test('a change without a leader that answers ends, and says that it may go on', async () => {
  const { world, admin } = setUp();
  const changing = admin.change(REPLACE, () => {});
  await world.run(1_000);
  world.cluster.elect(null);
  const error = await world.error(changing, 60_000);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', outcome: 'unknown' });
  expect(error.message).toContain('ask for it again');
  admin.close();
});

test('a refusal of the leader is told, one that passes is not', async () => {
  const { world, asked, rig, admin, membership } = setUp();
  rig.answer = () => ({ kind: 'refused', code: 'CHANGE_PENDING', message: 'another one' });
  const refused = await world.error(admin.change(REPLACE, () => {}));
  expect(refused.code).toBe('CHANGE_PENDING');
  rig.answer = () =>
    asked.length < 4
      ? { kind: 'refused', code: 'NOT_LEADER', message: 'not any more' }
      : membership();
  await world.settle(admin.change(REPLACE, () => {}));
  expect(asked).toHaveLength(4);
  admin.close();
});

test('R-74 a transfer whose answer is lost is not carried out a second time', async () => {
  const { world, asked, admin } = setUp();
  const moving = admin.transfer(null);
  await world.run(50);
  world.cluster.elect('n3');
  world.cluster.node('n1').stop();
  expect(await world.settle(moving)).toBe('n3');
  expect(asked).toEqual(['n1 transfer']);
  admin.close();
});

test('R-74 a transfer to a given node is asked for until that node leads', async () => {
  const { world, asked, rig, admin } = setUp();
  rig.answer = () => ({ kind: 'refused', code: 'NOT_LEADER', message: 'just lost it' });
  const moving = admin.transfer('n2');
  await world.run(50);
  world.cluster.elect('n3');
  await world.run(300);
  expect(asked.at(-1)).toBe('n3 transfer');
  world.cluster.elect('n2');
  expect(await world.settle(moving)).toBe('n2');
  expect(await world.settle(admin.transfer('n2'))).toBe('n2');
  expect(asked).not.toContain('n2 transfer');
  admin.close();
});

test('R-74 who leads after a transfer is asked of whoever does, if the former leader cannot tell', async () => {
  const { world, rig, admin } = setUp();
  rig.answer = () => {
    world.cluster.elect('n2');
    return { kind: 'transferred', leaderId: 'n1' };
  };
  expect(await world.settle(admin.transfer(null))).toBe('n2');
  admin.close();
});

test('R-74 a transfer that the target does not take over is told, not tried for ever', async () => {
  const { world, asked, rig, admin } = setUp();
  rig.answer = () => ({ kind: 'refused', code: 'UNAVAILABLE', message: 'n2 did not take over' });
  expect((await world.error(admin.transfer('n2'))).message).toContain('did not take over');
  expect(asked).toEqual(['n1 transfer']);
  admin.close();
});

test('limits are set again when it is not known whether they were', async () => {
  const { world, asked, rig, admin } = setUp();
  rig.answer = () =>
    asked.length < 2
      ? { kind: 'refused', code: 'OUTCOME_UNKNOWN', message: 'stepped down' }
      : { kind: 'done' };
  await world.settle(
    admin.setLimits({ expected: DEFAULT_LIMITS, limits: DEFAULT_LIMITS, by: 'ops' }),
  );
  expect(asked).toEqual(['n1 setLimits', 'n1 setLimits']);
  admin.close();
});

const BACKUP: QueryResult = {
  kind: 'backup',
  backupId: 4,
  meta: encodeSnapshotMeta({ founding: FOUNDING, checkpoint: CHECKPOINT }),
};

test('a backup is read page by page from the node that holds it', async () => {
  const { world, asked, rig, admin } = setUp();
  rig.answer = (step) => {
    if (step.step === 'backupBegin') return BACKUP;
    if (step.step !== 'backupRows') return { kind: 'done' };
    const at = ROWS.findIndex(({ key }) => key === step.after) + 1;
    const content = encodeSnapshotRows(ROWS.slice(at, at + 1));
    return { kind: 'backupRows', content, isLast: at === ROWS.length - 1 };
  };
  const backup = await world.settle(admin.beginBackup());
  expect(backup.meta).toEqual({ founding: FOUNDING, checkpoint: CHECKPOINT });
  const rows = await world.settle(all(backup.pages()));
  expect(rows.flat()).toEqual(ROWS);
  await world.settle(backup.end());
  expect(asked).toEqual(
    ['backupBegin', 'backupRows', 'backupRows', 'backupEnd'].map((s) => `n1 ${s}`),
  );
  admin.close();
});

test('a backup whose node is lost fails instead of going on with another state', async () => {
  const { world, asked, rig, admin } = setUp();
  rig.answer = (step) => (step.step === 'backupBegin' ? BACKUP : null);
  const backup = await world.settle(admin.beginBackup());
  const reading = all(backup.pages());
  await world.run(50);
  world.cluster.elect('n2');
  world.cluster.node('n1').stop();
  expect((await world.error(reading)).code).toBe('UNAVAILABLE');
  expect(asked).toEqual(['n1 backupBegin', 'n1 backupRows']);
  admin.close();
});
