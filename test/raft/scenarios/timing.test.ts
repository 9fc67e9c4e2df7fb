import { describe, expect, test } from 'vitest';
import { CoreCluster, E, H, awake, calm, deliverLink, elected, heartbeat } from './scenario.ts';
import { makeCandidate, runWatching, sentTo, timeOut, voteRequest } from './scenario.ts';

const SEEDS = Array.from({ length: 1_000 }, (_, at) => at + 1);

const followersOf = (cluster: CoreCluster): string[] => [...cluster.nodes.keys()].slice(1);

/** n1 was heard for the last time at this moment by all others. */
function justLost(followers: number, seed: number): CoreCluster {
  const cluster = new CoreCluster({ size: followers + 1, seed });
  for (const nodeId of followersOf(cluster)) cluster.inject('n1', nodeId, heartbeat(1));
  cluster.dropAll();
  return cluster;
}

const waitOf = (cluster: CoreCluster, nodeId: string): number =>
  cluster.node(nodeId).core.election.deadlineUs - cluster.nowUs;

describe('R-08 election timeouts', () => {
  for (const followers of [3, 5]) {
    test(`R-08 of ${followers} followers are in [E, 1.5 E), and mostly one is the first`, () => {
      const draws: number[] = [];
      let aloneCount = 0;
      for (const seed of SEEDS) {
        const cluster = justLost(followers, seed);
        const names = followersOf(cluster);
        draws.push(...names.map((nodeId) => waitOf(cluster, nodeId)));
        const asking = (): number =>
          names.filter((nodeId) => cluster.node(nodeId).role !== 'follower').length;
        cluster.tick(E - H / 2, names);
        expect(asking()).toBe(0);
        for (let count = 0; count < 12 && asking() === 0; count++) cluster.tick(H / 2, names);
        if (asking() === 1) aloneCount++;
      }
      for (const draw of draws) {
        expect(draw).toBeGreaterThanOrEqual(E);
        expect(draw).toBeLessThan(1.5 * E);
      }
      const slots = new Set(draws.map((draw) => Math.floor((draw - E) / (E / 200))));
      expect(slots.size).toBe(100);
      expect(aloneCount).toBeGreaterThanOrEqual(700);
    });
  }

  test('R-08 after a split vote the draws are new', () => {
    let equalCount = 0;
    for (const seed of SEEDS) {
      const cluster = justLost(2, seed);
      const before = ['n2', 'n3'].map((nodeId) => waitOf(cluster, nodeId));
      splitVote(cluster);
      const after = ['n2', 'n3'].map((nodeId) => waitOf(cluster, nodeId));
      for (const wait of after) expect([wait >= E, wait < 1.5 * E]).toEqual([true, true]);
      equalCount += after.filter((wait) => before.includes(wait)).length;
    }
    expect(equalCount).toBeLessThan(5);
  });
});

/** Without n1, both others win the pre-vote and vote for themselves. */
function splitVote(cluster: CoreCluster): void {
  for (const nodeId of ['n2', 'n3']) timeOut(cluster, nodeId);
  for (const [from, to] of [
    ['n2', 'n3'],
    ['n3', 'n2'],
  ] as const) {
    cluster.deliver(from, to);
  }
  cluster.deliver('n2', 'n3');
  cluster.deliver('n3', 'n2');
  expect(['n2', 'n3'].map((nodeId) => cluster.node(nodeId).role)).toEqual([
    'candidate',
    'candidate',
  ]);
  for (let count = 0; count < 2; count++) {
    deliverLink(cluster, 'n2', 'n3');
    deliverLink(cluster, 'n3', 'n2');
  }
}

test('R-11 M-07 two pre-candidates that heard the leader lately do not refuse each other', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const cluster = elected({ seed });
    cluster.inject('n1', 'n3', heartbeat(1, 1, 1));
    cluster.crash('n1');
    cluster.dropAll();
    const startUs = cluster.nowUs;
    for (const nodeId of ['n2', 'n3']) {
      expect(cluster.node(nodeId).core.election.stickyUntilUs).toBeGreaterThan(startUs);
      timeOut(cluster, nodeId);
      expect(cluster.node(nodeId).core.leaderId).toBeNull();
    }
    cluster.deliver('n2', 'n3');
    expect(sentTo(cluster.node('n3'), 'n2', 'preVoteResponse').at(-1)?.granted).toBe(true);
    cluster.runUntil(() => cluster.leader() !== null, 4 * E);
    expect(cluster.nowUs - startUs, `seed ${seed}`).toBeLessThanOrEqual(4 * E);
  }
});

test('R-12 a split vote leaves its term without a leader, and a next term has one', () => {
  const terms: number[] = [];
  for (let seed = 1; seed <= 100; seed++) {
    const two = { term: 1 };
    const cluster = elected({ seed, hard: { n1: two, n2: two, n3: two } });
    expect(cluster.node('n1').term).toBe(2);
    cluster.crash('n1');
    cluster.dropAll();
    splitVote(cluster);
    const [n2, n3] = [cluster.node('n2'), cluster.node('n3')];
    expect([n2.role, n2.term, n3.role, n3.term]).toEqual(['candidate', 3, 'candidate', 3]);
    expect([n2.disk.vote?.nodeId, n3.disk.vote?.nodeId]).toEqual(['n2', 'n3']);
    cluster.runUntil(() => cluster.leader() !== null, 10 * E);
    terms.push(cluster.leader()?.term ?? 0);
  }
  expect(Math.min(...terms)).toBe(4);
  expect(terms.filter((term) => term === 4).length).toBeGreaterThan(85);
});

test('R-12 M-12 a vote that is refused postpones nothing, so the better log comes to its turn', () => {
  const one = { term: 1 };
  const cluster = awake({
    logs: { n1: [1, 1], n2: [1], n3: [1, 1] },
    hard: { n1: one, n2: one, n3: one },
  });
  const { election } = cluster.node('n3').core;
  election.deadlineUs = cluster.nowUs + 3 * H;
  const before = { ...election };
  cluster.inject('n2', 'n3', voteRequest(2, [1, 1]));
  cluster.inject('n2', 'n3', voteRequest(2, [1, 1]));
  expect(sentTo(cluster.node('n3'), 'n2', 'voteResponse').map((each) => each.granted)).toEqual([
    false,
    false,
  ]);
  expect(election).toEqual(before);
  cluster.tick(3 * H, ['n3']);
  expect(cluster.node('n3').role).toBe('preCandidate');
  cluster.inject('n1', 'n3', voteRequest(2, [2, 1]));
  expect(waitOf(cluster, 'n3')).toBeGreaterThanOrEqual(E);
});

describe('R-24 a follower whose process stood still', () => {
  for (const first of ['its timer', 'a heartbeat', 'a read']) {
    test(`R-24 hears its leader before it campaigns, whether it wakes to ${first}`, () => {
      for (let seed = 1; seed <= 50; seed++) {
        const cluster = elected({ seed });
        const n2 = cluster.node('n2');
        for (let beat = 0; beat < 30; beat++) {
          cluster.tick(E / 10, ['n1', 'n3']);
          cluster.deliver('n1', 'n3');
          cluster.deliver('n3', 'n1');
        }
        expect(cluster.link('n1', 'n2').length).toBeGreaterThan(25);
        n2.sent.length = 0;
        if (first === 'its timer') cluster.step('n2', { type: 'tick' });
        if (first === 'a read') cluster.step('n2', { type: 'read', id: 1 });
        cluster.deliverAll();
        runWatching(cluster, 3 * E, () => {
          expect([n2.role, n2.core.leaderId, n2.term]).toEqual(['follower', 'n1', 1]);
        });
        expect(sentTo(n2, 'n3', 'preVoteRequest')).toEqual([]);
        expect(cluster.leader()).toBe(cluster.node('n1'));
      }
    });
  }
});

test('R-08 a node that has just started waits a whole draw, and refuses votes for E', () => {
  const cluster = new CoreCluster();
  const n1 = cluster.node('n1');
  calm(cluster.node('n2'));
  const waitUs = waitOf(cluster, 'n1');
  expect([waitUs >= E, waitUs < 1.5 * E]).toEqual([true, true]);
  cluster.tick(E - 1);
  cluster.inject('n3', 'n1', voteRequest(1));
  expect(n1.term).toBe(0);
  cluster.tick(1);
  n1.core.election.deadlineUs = Infinity;
  makeCandidate(cluster, 'n2', ['n1']);
  cluster.deliverAll();
  expect(cluster.node('n2').role).toBe('leader');
});
