import { describe, expect, test } from 'vitest';
import { CoreCluster, H, heartbeat, repeat, sentTo } from './scenario.ts';

/** Probes that a follower refused before one fitted. */
function refusalsOf(cluster: CoreCluster, nodeId: string): number {
  return sentTo(cluster.node(nodeId), 'n1', 'appendResponse').filter(({ ok }) => !ok).length;
}

const distinct = (...logs: readonly (readonly number[])[]): number => new Set(logs.flat()).size;

describe('R-25 Figure 7', () => {
  const leader = [1, 1, 1, 4, 4, 5, 5, 6, 6, 6];
  const followers = {
    a: [1, 1, 1, 4, 4, 5, 5, 6, 6],
    b: [1, 1, 1, 4],
    c: [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
    d: [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
    e: [1, 1, 1, 4, 4, 4, 4],
    f: [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
  };

  test('R-25 M-30 every follower ends with the log of the leader, after few probes', () => {
    const logs: Record<string, readonly number[]> = { n1: leader };
    Object.values(followers).forEach((log, at) => (logs[`n${at + 2}`] = log));
    const hard = Object.fromEntries(Object.keys(logs).map((nodeId) => [nodeId, { term: 7 }]));
    const cluster = new CoreCluster({ size: 7, logs, hard });
    cluster.elect('n1');
    cluster.run(2 * H);
    const whole = [...leader, 8];
    Object.entries(followers).forEach(([name, log], at) => {
      const node = cluster.node(`n${at + 2}`);
      expect(node.terms(), name).toEqual(whole);
      expect(
        node.disk.entries.map((entry) => entry.term),
        name,
      ).toEqual(whole);
      expect([node.core.commitIndex, node.applied.length], name).toEqual([11, 11]);
      const probes = refusalsOf(cluster, node.nodeId) + 1;
      expect(probes, name).toBeLessThanOrEqual(distinct(log) + 1);
    });
  });
});

describe('R-26 bounded back-off', () => {
  const interleaved = (first: number): number[] =>
    [0, 2, 4, 6, 8].flatMap((more) => repeat(first + more, 20));
  const cases = {
    'a short log against many entries of later terms': {
      leader: [...repeat(1, 100), 5],
      follower: [1, ...repeat(2, 50), ...repeat(3, 49)],
      exactTrips: 3,
    },
    'two long terms against one': {
      leader: [1, ...repeat(3, 50), ...repeat(4, 49), 5],
      follower: [1, ...repeat(2, 120)],
      exactTrips: 2,
    },
    'five terms each, interleaved': {
      leader: [1, ...interleaved(3)],
      follower: [1, ...interleaved(2)],
      exactTrips: 6,
    },
    'a thousand entries of each of two terms': {
      leader: [1, ...repeat(3, 1_000), ...repeat(5, 1_000)],
      follower: [1, ...repeat(2, 1_000), ...repeat(4, 1_000)],
      exactTrips: 3,
    },
  };
  for (const [what, { leader, follower, exactTrips }] of Object.entries(cases)) {
    test(`R-26 M-30 ${what}: one round trip per term, no hint below the commit index`, () => {
      const term = leader.at(-1) ?? 0;
      const cluster = new CoreCluster({
        logs: { n1: leader, n2: follower, n3: leader },
        hard: { n1: { term }, n2: { term }, n3: { term } },
        settings: { appendBytesMax: 1_000 },
      });
      cluster.inject('n1', 'n2', heartbeat(term, 1));
      cluster.dropAll();
      const n2 = cluster.node('n2');
      expect(n2.core.commitIndex).toBe(1);
      cluster.elect('n1');
      const answers = sentTo(n2, 'n1', 'appendResponse');
      const trips = answers.findIndex(({ ok }) => ok) + 1;
      expect(trips).toBe(exactTrips);
      expect(trips).toBeLessThanOrEqual(distinct(leader, follower) + 1);
      for (const { ok, hintIndex } of answers) if (!ok) expect(hintIndex).toBeGreaterThanOrEqual(1);
      cluster.run(2 * H);
      expect(n2.terms()).toEqual([...leader, term + 1]);
    });
  }

  test('R-26 M-30 a log that is only behind costs one refusal, however far', () => {
    const cluster = new CoreCluster({
      logs: { n1: repeat(1, 500), n2: [1], n3: repeat(1, 500) },
    });
    cluster.elect('n1');
    cluster.run(2 * H);
    expect(refusalsOf(cluster, 'n2')).toBe(1);
    expect(cluster.node('n2').terms().length).toBe(501);
  });
});
