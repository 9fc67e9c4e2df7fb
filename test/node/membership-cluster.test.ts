// Changes of the membership and transfers of shipped hosts in a simulated world.

import { describe, expect, test } from 'vitest';
import type { HostAnswer } from '../../src/node/host-types.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import { take } from '../sim/client-scenario.ts';
import { E, always } from '../sim/scenario.ts';
import {
  SMALL,
  addBlank,
  administrate,
  ask,
  cluster,
  lockSome,
  membersOf,
  replaceBy,
} from './members-rig.ts';

describe('replacing a node', () => {
  test('R-64 R-69 every founding node is replaced by an empty one, the leaders among them', async () => {
    const { cluster: made } = await cluster(1);
    await lockSome(made, 'a', 60);
    for (const [id, by] of [
      ['n1', 'n4'],
      ['n2', 'n5'],
      ['n3', 'n6'],
    ] as const) {
      await addBlank(made, by);
      const result = await administrate(made, replaceBy(id, by));
      expect(membersOf(result)).toContain(`${by} voter`);
      await made.until(`${id} to know`, () => made.status(id).membership !== 'voter');
      made.node(id).crash();
      await lockSome(made, `after/${id}`, 5);
    }
    const leader = await made.waitLeader();
    expect(['n4', 'n5', 'n6']).toContain(leader);
    expect(made.status(leader).locks).toBe(75);
    await made.converge();
  });

  test.each([21, 22, 23, 24])(
    'R-69 whoever follows a leader that leaves does not wait for silence (%i)',
    async (seed) => {
      const { cluster: made, leader } = await cluster(seed);
      await lockSome(made, 'a', 10);
      const pending = made.ask<HostAnswer>(leader, (host, done) =>
        host.admin({ step: 'removeMember', nodeId: leader, expectedIndex: null }, done),
      );
      await made.until('the leader to go', () => made.status(leader).role !== 'leader');
      const goneUs = made.world.nowUs;
      await made.waitLeader(leader);
      // Virtual time: an election time-out would have to pass first.
      expect((made.world.nowUs - goneUs) / 1_000).toBeLessThan(E / 2);
      await made.until('an answer', () => pending.isSettled);
      expect(pending.value.result.kind).toBe('membership');
    },
  );

  test('R-64 asked again at the next leader, a replacement goes on from where it stood', async () => {
    const { cluster: made, leader } = await cluster(2);
    await lockSome(made, 'a', 60);
    const [id = ''] = made.others(leader);
    await addBlank(made, 'n4');
    const step = replaceBy(id, 'n4');
    const pending = made.ask<HostAnswer>(leader, (host, done) => host.admin(step, done));
    await made.until('n4 to be a member', () => made.status('n4').membership !== 'none');
    made.node(leader).crash();
    await made.waitLeader(leader);
    expect(membersOf(await administrate(made, step))).toContain('n4 voter');
    expect(pending.isSettled).toBe(false);
    made.node(leader).start();
    made.node(id).crash();
    await made.until('the old leader to follow', () => made.node(leader).isStarted);
    await made.converge();
  });

  test('R-72 J7 a removed node disturbs nobody, and comes back under no name of old', async () => {
    const { cluster: made, leader } = await cluster(3);
    const [id = '', other = ''] = made.others(leader);
    made.node(id).crash();
    const remove = { step: 'removeMember', nodeId: id, expectedIndex: null } as const;
    expect(membersOf(await administrate(made, remove))).toHaveLength(2);
    const { term } = made.status(leader);
    // It never heard of it: told at the door, it gives up.
    made.node(id).start();
    await made.until('it to know', () => made.node(id).isStarted);
    await always(made, 100 * E, () => expect(made.status(leader).term).toBe(term));
    expect(made.status(id).membership).toBe('removed');
    expect(made.status(id).alarms[0]).toContain('new node id');
    expect(made.status(other).term).toBe(term);
    const back = { step: 'addMember', nodeId: id, address: `${id}:7000`, isVoter: true } as const;
    const refused = await administrate(made, { ...back, expectedIndex: null });
    expect(refused).toMatchObject({ kind: 'refused', code: 'INVALID' });
  });

  test('R-73 J7 what is no blank node is refused before anything is written', async () => {
    const { cluster: made, leader } = await cluster(4);
    const before = made.status(leader).lastIndex;
    const strangers = await createSimCluster({ seed: 5, nodes: 1 });
    await strangers.waitLeader();
    made.addNode('n1b', { image: strangers.node('n1').disk.image() });
    for (const [nodeId, address] of [
      ['n4', 'nowhere:1'],
      ['n4', 'n2:7000'],
      ['n1', 'n1:7000'],
    ] as const) {
      const step = { step: 'addMember', nodeId, address, isVoter: true } as const;
      const result = await administrate(made, { ...step, expectedIndex: null });
      const isMember = nodeId === 'n1';
      expect(result.kind).toBe(isMember ? 'membership' : 'refused');
    }
    expect(made.status(leader).configIndex).toBe(0);
    expect(made.status(leader).lastIndex).toBe(before);
  });

  test('R-73 a new member that dies on the way is given up, and the voters are as before', async () => {
    const { cluster: made, leader } = await cluster(6);
    await lockSome(made, 'a', 200);
    await addBlank(made, 'n4');
    const step = replaceBy(made.others(leader)[0] ?? '', 'n4');
    const pending = made.ask<HostAnswer>(leader, (host, done) => host.admin(step, done));
    await made.until('n4 on its way', () => made.status(leader).configIndex > 0);
    made.node('n4').crash();
    await made.until('an answer', () => pending.isSettled, 120_000);
    expect(pending.value.result).toMatchObject({ kind: 'refused', code: 'NOT_CAUGHT_UP' });
    const members = made.query(leader, { kind: 'membership' });
    await made.answers(members);
    expect(membersOf(members.value.result)).toEqual(['n1 voter', 'n2 voter', 'n3 voter']);
  });
});

describe('starting again', () => {
  test('R-62 the log may begin before the configuration that the checkpoint contains', async () => {
    const checkpoints = { ...SMALL.checkpoints, trailingEntries: 60 };
    const { cluster: made, leader } = await cluster(13, { ...SMALL, checkpoints });
    for (const prefix of ['a', 'b', 'c', 'd', 'e']) await lockSome(made, prefix, 8);
    await addBlank(made, 'n4');
    const add = { step: 'addMember', nodeId: 'n4', address: 'n4:7000', isVoter: false } as const;
    await administrate(made, { ...add, expectedIndex: null });
    await lockSome(made, 'after', 20);
    const [id = ''] = made.others(leader, 'n4');
    await made.runFor(1_000);
    made.node(id).crash();
    made.node(id).start();
    await made.until('its start', () => made.node(id).isStarted);
    const { configIndex, anchorIndex } = made.status(id);
    expect(anchorIndex).toBeLessThan(configIndex);
    await lockSome(made, 'compacts', 20);
    await made.runFor(1_000);
    expect(made.status(id).anchorIndex).toBeGreaterThan(anchorIndex);
    expect(made.status(id).anchorIndex).toBeLessThan(configIndex);
    await made.converge();
  });
});

describe('growing', () => {
  test('A7 a cluster of one becomes one of three, and nobody loses a lease on the way', async () => {
    const made = await createSimCluster({ seed: 7, nodes: 1, settings: SMALL });
    await made.waitLeader();
    const client = made.client('holder', { ttlMs: 3_000 });
    const grant = await take(made, client);
    for (const id of ['n2', 'n3']) {
      await addBlank(made, id);
      const step = { step: 'addMember', nodeId: id, address: `${id}:7000`, isVoter: true } as const;
      const result = await administrate(made, { ...step, expectedIndex: null });
      expect(membersOf(result)).toContain(`${id} voter`);
      expect(grant.held()).toBe(true);
    }
    await made.runFor(10_000);
    expect(grant.held()).toBe(true);
  });
});

describe('the transfer of leadership', () => {
  test('R-74 leadership goes to the node that was named, or to any; never to a stranger', async () => {
    const { cluster: made, leader } = await cluster(8);
    const [first = ''] = made.others(leader);
    expect(await ask(made, leader, { step: 'transfer', to: first })).toEqual({
      kind: 'transferred',
      leaderId: first,
    });
    await made.until('it to lead', () => made.leader() === first);
    expect(await ask(made, first, { step: 'transfer', to: 'n9' })).toMatchObject({
      kind: 'refused',
      code: 'INVALID',
    });
    const { kind } = await ask(made, first, { step: 'transfer', to: null });
    expect(kind).toBe('transferred');
    expect(await made.waitLeader(first)).not.toBe(first);
  });
});
