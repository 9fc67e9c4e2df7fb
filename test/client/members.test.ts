// Clients follow the cluster: members come and go, and no client is told by hand.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { Roster } from '../../src/client/roster.ts';
import type { RosterLink } from '../../src/client/roster.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';

const addressOf = (number: number): string => `10.0.0.${number}:710${number}`;

const linked = (client: Client): Set<string> =>
  new Set(client.nodes().flatMap(({ state, address }) => (state === 'up' ? [address] : [])));

/** One member goes, and another one comes in its place; the old process is gone after a while. */
async function replace(world: FakeWorld, goes: number, comes: number): Promise<void> {
  const { cluster } = world;
  cluster.join(`n${comes}`, addressOf(comes));
  await world.run(50);
  const former = cluster.remove(`n${goes}`);
  if (cluster.leaderId === former.nodeId) cluster.elect(`n${comes}`);
  await world.run(50);
  former.stop();
  await world.run(5_000);
}

describe('clients of a changing cluster', () => {
  test('A7 a member that joins is linked, one that left is not dialled any more', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    await replace(world, 2, 4);
    expect(linked(client)).toEqual(new Set([addressOf(1), addressOf(3), addressOf(4)]));
    expect(client.nodes()).toHaveLength(3);
    const { dials } = world.network;
    await world.run(60_000);
    expect(world.network.dials).toBe(dials);
  });

  test.each(['loop', 'worker'] as const)(
    'A7 a grant outlives the replacement of all nodes, one by one (%s)',
    async (keepAlive) => {
      const world = new FakeWorld();
      const client = world.client({ keepAlive, maxHoldMs: 80_000_000 });
      const grant = await world.settle(client.lock('a').acquire());
      for (const number of [1, 2, 3]) await replace(world, number, number + 3);
      await world.run(60_000);
      expect(linked(client)).toEqual(new Set([4, 5, 6].map(addressOf)));
      expect(grant.held()).toBe(true);
      const other = await world.settle(client.lock('b').acquire());
      expect(other.token).toBeGreaterThan(grant.token);
    },
  );

  test('A7 a leader that removes itself serves until another one leads', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    world.cluster.remove('n1');
    await world.run(100);
    await world.settle(client.lock('a').acquire());
    world.cluster.elect('n2');
    await world.run(100);
    expect(linked(client)).toEqual(new Set(ADDRESSES.slice(1)));
    await world.settle(client.lock('b').acquire());
  });

  test('what a node knew before it was removed is not believed', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    const former = world.cluster.remove('n3');
    world.network.cut(former.address);
    await world.run(5_000);
    expect(linked(client)).toEqual(new Set(ADDRESSES.slice(0, 2)));
  });

  test('the configured addresses are tried again when no leader is found', async () => {
    const world = new FakeWorld();
    const client = world.client({ nodes: [ADDRESSES[0] ?? '', 'elsewhere:1'] });
    await world.settle(client.ready(1_000));
    await world.run(5_000);
    expect(client.nodes().map(({ address }) => address)).not.toContain('elsewhere:1');
    world.cluster.elect(null);
    await world.run(100);
    expect(client.nodes().map(({ address }) => address)).toContain('elsewhere:1');
  });

  test('a node that leads again right after its start is dialled at once', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    world.cluster.node('n2').stop();
    await world.run(30_000);
    world.cluster.node('n2').start();
    world.cluster.elect('n2');
    await world.settle(client.lock('a').acquire(), 60);
  });
});

describe('the roster', () => {
  const member = (number: number) => ({ nodeId: `n${number}`, address: addressOf(number) });
  const link = (address: string, number: number | null, isUp = true): RosterLink => ({
    address,
    nodeId: number === null ? null : `n${number}`,
    isUp: () => isUp,
  });
  const leader = link(addressOf(1), 1);
  const roster = (configured: readonly string[], ...members: number[]): Roster =>
    new Roster(configured, { configIndex: 7, members: members.map(member) });

  test('the highest index wins', () => {
    const known = roster([], 1);
    expect(known.learn({ configIndex: 7, members: [member(2)] })).toBe(false);
    expect(known.learn({ configIndex: 9, members: [member(3)] })).toBe(true);
    expect(known.learn({ configIndex: 8, members: [member(2)] })).toBe(false);
    expect(known.members?.members).toEqual([member(3)]);
  });

  test('a member is reached by the name that the client was given for it', () => {
    const viaProxy = link('proxy:1', 2, false);
    const links = [leader, viaProxy];
    expect(roster(['proxy:1'], 1, 2).missing(links, true)).toEqual([]);
    expect(roster(['proxy:1'], 1, 2).surplus(links, leader)).toEqual([]);
    const twice = [leader, link('proxy:1', 2), link(addressOf(2), 2)];
    expect(roster(['proxy:1'], 1, 2).surplus(twice, leader)).toEqual([twice[2]]);
  });

  test('an address that was never reached is kept while it may be that of a member', () => {
    const unknown = link('name:1', null, false);
    const down = link(addressOf(2), null, false);
    expect(roster(['name:1'], 1, 2).surplus([leader, down, unknown], leader)).toEqual([]);
    const up = link(addressOf(2), 2);
    expect(roster(['name:1'], 1, 2).surplus([leader, up, unknown], leader)).toEqual([unknown]);
  });

  test('before the members are known nothing is given up', () => {
    const links = [leader, link('name:1', 9)];
    expect(new Roster(['name:1'], null).surplus(links, leader)).toEqual([]);
    expect(new Roster(['name:1'], null).missing([], false)).toEqual(['name:1']);
  });
});
