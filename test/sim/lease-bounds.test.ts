// INV-17 where it is tight: the client's clock as slow, the nodes' as fast as assumption (A) of
// RAFT.md §14.3 allows, and no margin. What is left then is what the proof leaves: nothing.

import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/client/grant.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import { seeds, withLeader } from './scenario.ts';

const TTL_MS = 3_000;
const FAST = { driftPpm: 10_000 };
const SLOW = { driftPpm: -10_000 };

interface Setting {
  readonly cluster: SimCluster;
  readonly leader: string;
  readonly one: SimClient;
  readonly grant: Grant;
}

/** A client that holds a lock by the tightest lease there is. */
async function hold(seed: number): Promise<Setting> {
  const clocks = { n1: FAST, n2: FAST, n3: FAST };
  const { cluster, leader } = await withLeader({ seed, clocks });
  const one = cluster.client('one', { ttlMs: TTL_MS, marginMs: 0 }, SLOW);
  const taken = one.run(({ client }) => client.lock('a').acquire());
  await cluster.until('the grant', () => taken.isSettled);
  return { cluster, leader, one, grant: valueOf(taken.value) };
}

/** Whether the lock is believed in when a leader appends its end. Nothing else is appended. */
async function isBelievedAtTheEnd({
  cluster,
  leader,
  grant,
}: Omit<Setting, 'one'>): Promise<boolean> {
  const { lastIndex } = cluster.status(leader);
  expect(grant.held()).toBe(true);
  await cluster.until('an expiry', () => cluster.status(leader).lastIndex > lastIndex);
  return grant.held();
}

describe('INV-17 with clocks at the bounds of their rates', () => {
  test('M-75 M-85 M-60 belief ends before its expiry is appended, whenever the last renewal was', async () => {
    for (const seed of seeds(40)) {
      const setting = await hold(seed);
      await setting.cluster.runFor(2_500 + ((seed * 137) % 900));
      setting.cluster.world.isolate('one');
      expect([seed, await isBelievedAtTheEnd(setting)]).toEqual([seed, false]);
    }
  });

  test('R-80 M-59 belief counts from when a renewal was sent, however late the answer is', async () => {
    for (const seed of seeds(10)) {
      const setting = await hold(seed);
      const { cluster } = setting;
      for (const id of cluster.ids) {
        cluster.world.network.topology.setRoute(id, 'one', { latencyUs: 400_000 });
      }
      await cluster.runFor(3_500 + ((seed * 137) % 900));
      cluster.world.isolate('one');
      expect([seed, await isBelievedAtTheEnd(setting)]).toEqual([seed, false]);
    }
  });

  test('R-80c M-54 a leader that takes over just after a renewal waits for the whole belief', async () => {
    for (const seed of seeds(10)) {
      const setting = await hold(seed);
      const { cluster, leader } = setting;
      await cluster.runFor(2_500 + ((seed * 137) % 900));
      cluster.world.isolate('one');
      cluster.node(leader).crash();
      const next = await cluster.waitLeader(leader);
      const believed = await isBelievedAtTheEnd({ ...setting, leader: next });
      expect([seed, believed]).toEqual([seed, false]);
    }
  });

  test('M-61 a wall clock that jumps moves no lease', async () => {
    for (const seed of seeds(4)) {
      const setting = await hold(seed);
      const { cluster, one, grant } = setting;
      const jump = (byMs: number): void => {
        for (const node of cluster.all()) node.jumpWall(byMs);
        one.handle.process.clock.jumpWall(byMs);
      };
      jump(3_600_000);
      await cluster.runFor(2 * TTL_MS);
      jump(-7_200_000);
      await cluster.runFor(2 * TTL_MS + 300 * seed);
      expect(grant.held()).toBe(true);
      cluster.world.isolate('one');
      expect(await isBelievedAtTheEnd(setting)).toBe(false);
    }
  });
});
