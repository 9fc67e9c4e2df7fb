import { describe, expect, test } from 'vitest';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { grantAll, seeds, withLeader } from './scenario.ts';

/** Two clients that take turns, while one thing after another goes wrong with the nodes. */
async function busyAndFaulty(seed: number, events: LockEvent[]): Promise<SimCluster> {
  const disk = { hasHoles: true, latencies: { batch: { minUs: 200, maxUs: 3_000 } } };
  const { cluster } = await withLeader({ seed, disk });
  cluster.oracle.follow({
    onGranted: (event) => events.push(event),
    onFreed: (event) => events.push(event),
    onSessionEnded: (event) => events.push(event),
  });
  for (const name of ['c1', 'c2', 'c3']) {
    const client = cluster.client(name, { ttlMs: 2_000 });
    client.run(async (own) => {
      for (let turn = 0; ; turn++) {
        try {
          const grant = await own.client.lock(`k${turn % 3}`).acquire({ waitMs: 3_000 });
          await own.sleep(100);
          await grant.release();
        } catch {
          await own.sleep(50);
        }
      }
    });
    if (name === 'c3') cluster.world.at(2_500_000, () => client.handle.crash());
  }
  for (let round = 0; round < 6; round++) {
    const leader = await cluster.waitLeader();
    const victim = round % 2 === 0 ? leader : (cluster.others(leader)[0] ?? leader);
    const node = cluster.node(victim);
    if (round % 3 === 0) node.losePower();
    else if (round % 3 === 1) cluster.world.isolate(victim);
    else node.crash();
    await cluster.runFor(1_200);
    cluster.world.heal();
    node.start();
    await cluster.runFor(800);
  }
  await cluster.waitLeader();
  return cluster;
}

describe('the oracles of a cluster', () => {
  test('INV-1 to INV-20 are kept by busy nodes that fail', async () => {
    for (const seed of seeds(2)) {
      const events: LockEvent[] = [];
      const cluster = await busyAndFaulty(seed, events);
      cluster.oracle.lookAtAll();
      expect(cluster.verdict.violation, `seed ${seed}`).toBeNull();
      const { entries } = cluster.oracle.log;
      expect(entries.length).toBeGreaterThan(100);
      expect(entries.map((entry) => entry.index)).toEqual(entries.map((_, at) => at + 1));
      expect(cluster.oracle.log.at(50)).toBe(entries[49]);
      expect(cluster.oracle.terms.length).toBeGreaterThan(2);
      for (const type of ['granted', 'freed', 'sessionEnded'] as const) {
        const told = events.filter((event) => event.type === type);
        const logged = entries.flatMap((entry) => entry.events).filter((e) => e.type === type);
        expect(told).toEqual(logged);
        expect(told.length).toBeGreaterThan(0);
      }
    }
  });

  test('INV-20 a broken promise ends whatever runs the world', async () => {
    const disk = { syncsBatches: false, latencies: { batch: { minUs: 200, maxUs: 300 } } };
    const { cluster, leader, followers } = await withLeader({ seed: 3, disk });
    await grantAll(cluster, leader, ['a', 'b', 'c']);
    const failing = cluster.node(followers[0]);
    const restarts = async (): Promise<void> => {
      for (let round = 0; round < 10; round++) {
        failing.losePower();
        failing.start();
        await cluster.runFor(500);
        await grantAll(cluster, await cluster.waitLeader(), [`d${round}`]);
      }
    };
    await expect(restarts()).rejects.toThrow(/^INV-20 at \d+ us: /);
    expect(cluster.verdict.violation?.oracle).toBe('INV-20');
  });
});
