import { describe, expect, test } from 'vitest';
import type { SimCluster } from '../../sim/cluster.ts';
import { E, H, always, elapsed, grantAll, withLeader, writeFor } from './scenario.ts';

/** Leaves only these pairs connected. */
function connectOnly(cluster: SimCluster, pairs: readonly (readonly [string, string])[]): void {
  const isKept = (left: string, right: string): boolean =>
    pairs.some((pair) => pair.includes(left) && pair.includes(right));
  for (const left of cluster.ids) {
    for (const right of cluster.ids) {
      if (left < right && !isKept(left, right)) cluster.world.cutBoth(left, right);
    }
  }
}

describe('partial partitions', () => {
  test('R-18 a cut between leader and one follower changes nothing for 100 E of writes', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 18 });
    const [cutOff] = followers;
    const { term } = cluster.status(leader);
    cluster.world.cutBoth(leader, cutOff);
    const look = (): void => {
      expect(cluster.status(leader)).toMatchObject({ role: 'leader', term });
      expect(cluster.status(cutOff).term).toBe(term);
      expect(cluster.status(cutOff).role).not.toBe('candidate');
    };
    for (let round = 0; round < 10; round++) {
      await writeFor(cluster, leader, { durationMs: 5 * E, everyMs: E });
      await always(cluster, 5 * E, look);
    }
    expect(cluster.status(cutOff).role).toBe('preCandidate');
    cluster.world.heal();
    await cluster.converge(2 * E);
    expect(cluster.status(leader)).toMatchObject({ role: 'leader', term });
  });

  test('R-19 five nodes in a chain of sights keep a leader from the middle for 100 E', async () => {
    const { cluster, leader, rest } = await withLeader({ seed: 19, nodes: 5 });
    const [one = '', two = '', four = '', five = ''] = rest;
    connectOnly(cluster, [
      [one, two],
      [one, leader],
      [two, leader],
      [four, two],
      [five, leader],
    ]);
    await cluster.runFor(10 * E);
    const settled = await cluster.waitLeader();
    expect([one, two, leader]).toContain(settled);
    const { term } = cluster.status(settled);
    await always(cluster, 100 * E, () => {
      expect(cluster.status(settled)).toMatchObject({ role: 'leader', term });
    });
    expect(cluster.oracle.terms.length).toBeLessThanOrEqual(2);
  });

  test('R-20 the only node that still sees a quorum becomes leader', async () => {
    const { cluster, leader, followers, rest } = await withLeader({ seed: 20, nodes: 5 });
    const [hub] = followers;
    await cluster.converge();
    connectOnly(
      cluster,
      cluster.others(hub).map((id) => [hub, id] as const),
    );
    const hasStepped = (): boolean => cluster.status(leader).role !== 'leader';
    expect(await elapsed(cluster, 'the step-down', hasStepped)).toBeLessThan(2 * E);
    expect(await cluster.waitLeader(leader, 8 * E)).toBe(hub);
    await grantAll(cluster, hub, ['a']);
    expect(rest).toHaveLength(4);
  });
});

describe('R-21 one-way faults', () => {
  test('R-21a a node that hears but cannot speak does not campaign', async () => {
    // Links that need no sign of life: a real one is cut after a while, for want of an answer.
    const network = { pingUs: 1_000_000_000 };
    const { cluster, leader, followers } = await withLeader({ seed: 21, network });
    const [mute] = followers;
    const { term } = cluster.status(leader);
    for (const other of cluster.others(mute)) cluster.world.cut(mute, other);
    await always(cluster, 20 * E, () => {
      expect(cluster.status(mute)).toMatchObject({ role: 'follower', term });
    });
    expect(cluster.status(leader)).toMatchObject({ role: 'leader', term });
    await grantAll(cluster, leader, ['a']);
  });

  test('R-21b a node that speaks but cannot hear never wins and keeps its term', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 21 });
    const [deaf] = followers;
    const { term } = cluster.status(leader);
    for (const other of cluster.others(deaf)) cluster.world.cut(other, deaf);
    await always(cluster, 20 * E, () => {
      expect(cluster.status(deaf).term).toBe(term);
      expect(cluster.status(leader)).toMatchObject({ role: 'leader', term });
    });
    expect(cluster.status(deaf).role).toBe('preCandidate');
  });

  test('R-21c a leader that speaks but cannot hear steps down and is followed by another', async () => {
    const { cluster, leader } = await withLeader({ seed: 21 });
    for (const other of cluster.others(leader)) cluster.world.cut(other, leader);
    const hasStepped = (): boolean => cluster.status(leader).role !== 'leader';
    expect(await elapsed(cluster, 'the step-down', hasStepped)).toBeLessThan(2 * E);
    const next = await cluster.waitLeader(leader, 4 * E);
    await grantAll(cluster, next, ['a']);
    await always(cluster, 10 * H, () => {
      expect(cluster.status(leader).role).not.toBe('leader');
    });
  });
});
