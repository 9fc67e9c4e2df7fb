import { describe, expect, test } from 'vitest';
import type { CoreCluster } from './scenario.ts';
import {
  E,
  H,
  appliedTexts,
  configOf,
  deliverLink,
  elected,
  failedIds,
  heartbeat,
} from './scenario.ts';
import { preVoteRequest, progressOf, readyIds, runWatching } from './scenario.ts';
import { awake, exchange, makeCandidate, sentTo, voteRequest } from './scenario.ts';

/** n1 leads in term 2. */
function inTermTwo(size = 3, seed = 1): CoreCluster {
  const names = Array.from({ length: size }, (_, at) => `n${at + 1}`);
  const hard = Object.fromEntries(names.map((nodeId) => [nodeId, { term: 1 }]));
  return elected({ size, seed, hard });
}

const termsOf = (cluster: CoreCluster): number[] =>
  [...cluster.nodes.values()].map((node) => node.term);

test('R-09 M-05 an isolated node keeps its term for 50 E and deposes nobody when it is back', () => {
  const cluster = inTermTwo();
  const [n1, n3] = [cluster.node('n1'), cluster.node('n3')];
  cluster.isolate('n3');
  runWatching(cluster, 50 * E, () => expect(termsOf(cluster)).toEqual([2, 2, 2]));
  expect(n3.role).toBe('preCandidate');
  expect(sentTo(n3, 'n1', 'preVoteRequest').length).toBeGreaterThan(50);
  cluster.propose('n1', 'a', 'b');
  cluster.deliverAll();
  cluster.heal();
  runWatching(cluster, 4 * H, () => expect(termsOf(cluster)).toEqual([2, 2, 2]));
  expect([n3.role, n3.core.leaderId, appliedTexts(n3)]).toEqual(['follower', 'n1', ['a', 'b']]);
  runWatching(cluster, 4 * E, () => expect([n1.role, n1.term]).toEqual(['leader', 2]));
});

test('R-09 M-05 a pre-vote request of a higher term changes nothing, not even a timer', () => {
  const cluster = inTermTwo();
  for (const nodeId of ['n1', 'n2']) {
    const { core, raft } = cluster.node(nodeId);
    const look = (): string => JSON.stringify([core.election, core.hard, raft.status()]);
    const before = look();
    cluster.inject('n3', nodeId, { ...preVoteRequest(9, [9, 8]), term: 8 });
    expect(look()).toBe(before);
    expect(sentTo(cluster.node(nodeId), 'n3', 'preVoteResponse')).toEqual([
      expect.objectContaining({ term: 2, requestTerm: 9, granted: false }),
    ]);
  }
});

describe('R-14 stickiness', () => {
  test('R-14 who has a leader ignores a campaign: term, vote and leader stay', () => {
    const cluster = inTermTwo();
    const before = ['n1', 'n2'].map((nodeId) => JSON.stringify(cluster.node(nodeId).core.hard));
    for (const nodeId of ['n1', 'n2']) {
      expect(cluster.inject('n3', nodeId, voteRequest(9, [9, 8]))).toEqual([]);
    }
    const after = ['n1', 'n2'].map((nodeId) => JSON.stringify(cluster.node(nodeId).core.hard));
    expect(after).toEqual(before);
    expect([cluster.node('n1').role, cluster.node('n2').core.leaderId]).toEqual(['leader', 'n1']);
  });

  test('R-14 M-08 for exactly E after its last word, whatever the draw of the timer', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const cluster = inTermTwo(3, seed);
      const n2 = cluster.node('n2');
      cluster.isolate('n1');
      cluster.inject('n1', 'n2', heartbeat(2));
      cluster.tick(E - 1);
      cluster.inject('n3', 'n2', voteRequest(9, [9, 8]));
      expect([n2.term, n2.role]).toEqual([2, 'follower']);
      cluster.nowUs++;
      cluster.inject('n3', 'n2', voteRequest(9, [9, 8]));
      expect([n2.term, n2.disk.vote?.nodeId], `seed ${seed}`).toEqual([9, 'n3']);
      expect(sentTo(n2, 'n3', 'voteResponse')).toEqual([
        { type: 'voteResponse', term: 9, granted: true },
      ]);
    }
  });
});

describe('R-15 a leader and the votes of others', () => {
  test('R-15 M-13 it refuses both while a quorum answers, long in office', () => {
    const cluster = inTermTwo();
    const n1 = cluster.node('n1');
    cluster.run(20 * E);
    cluster.inject('n3', 'n1', preVoteRequest(3, [9, 2]));
    expect(sentTo(n1, 'n3', 'preVoteResponse')).toEqual([
      expect.objectContaining({ term: 2, granted: false, reason: 'leader' }),
    ]);
    expect(cluster.inject('n3', 'n1', voteRequest(3, [9, 2]))).toEqual([]);
    expect([n1.role, n1.term]).toEqual(['leader', 2]);
  });

  test('R-15 cut off for more than E it has stepped down, and judges like everybody', () => {
    const cluster = inTermTwo();
    const n1 = cluster.node('n1');
    cluster.isolate('n1');
    cluster.tick(E + H, ['n1']);
    expect([n1.role, n1.term]).toEqual(['follower', 2]);
    cluster.inject('n3', 'n1', preVoteRequest(3, [9, 2]));
    expect(sentTo(n1, 'n3', 'preVoteResponse')).toEqual([
      expect.objectContaining({ granted: true }),
    ]);
    cluster.inject('n3', 'n1', voteRequest(3, [9, 2]));
    expect([n1.term, n1.disk.vote?.nodeId]).toEqual([3, 'n3']);
  });
});

/** Lets one round be answered by all; from then on only these answer. Time of that round. */
function lastRound(cluster: CoreCluster, reachable: readonly string[]): number {
  const n1 = cluster.node('n1');
  cluster.tick(H);
  const sentUs = cluster.nowUs;
  expect(n1.core.leader?.nextHeartbeatUs).toBe(sentUs + H);
  cluster.deliverAll();
  for (const nodeId of cluster.nodes.keys()) {
    if (nodeId !== 'n1' && !reachable.includes(nodeId)) cluster.cut('n1', nodeId);
  }
  return sentUs;
}

describe('R-16 CheckQuorum', () => {
  test('R-16 M-10 with one of four peers it steps down E after its last heard round, not earlier', () => {
    const cluster = inTermTwo(5);
    const n1 = cluster.node('n1');
    const sentUs = lastRound(cluster, ['n2']);
    const { vote } = n1.core.hard;
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.propose('n1', 'in flight');
    cluster.run(E);
    expect([cluster.nowUs - sentUs, n1.role]).toEqual([E, 'leader']);
    n1.effects.length = 0;
    cluster.tick(1, ['n1']);
    expect([n1.role, n1.term, n1.core.leaderId]).toEqual(['follower', 2, null]);
    expect(n1.core.hard.vote).toBe(vote);
    // The host answers NOT_LEADER to these reads, and UNKNOWN to what was appended.
    expect([readyIds(n1), failedIds(n1)]).toEqual([[], [1]]);
    expect(n1.effects).toContainEqual({ type: 'role', role: 'follower', term: 2, leaderId: null });
    expect(n1.terms()).toEqual([2, 2]);
    expect(cluster.propose('n1', 'late').refusal).toBe('NOT_LEADER');
    n1.sent.length = 0;
    cluster.tick(4 * H, ['n1']);
    expect(n1.sent).toEqual([]);
  });

  test('R-16 silence counts from the sending of what was answered, however late the answer', () => {
    const cluster = inTermTwo(5);
    const n1 = cluster.node('n1');
    lastRound(cluster, ['n2', 'n3']);
    cluster.tick(H);
    const sentUs = cluster.nowUs;
    cluster.tick(E - H);
    for (const nodeId of ['n2', 'n3']) {
      deliverLink(cluster, 'n1', nodeId);
      cluster.deliver(nodeId, 'n1');
      expect(progressOf(cluster, 'n1', nodeId).lastAckSentUs).toBe(sentUs);
    }
    cluster.dropAll();
    cluster.tick(H, ['n1']);
    expect([cluster.nowUs - sentUs, n1.role]).toEqual([E, 'leader']);
    cluster.tick(1, ['n1']);
    expect(n1.role).toBe('follower');
  });

  test('R-16 with two of four peers it stays', () => {
    const cluster = inTermTwo(5);
    const n1 = cluster.node('n1');
    lastRound(cluster, ['n2', 'n3']);
    runWatching(cluster, 10 * E, () => expect([n1.role, n1.term]).toEqual(['leader', 2]));
  });

  test('R-16 M-10 learners that answer do not keep it in office', () => {
    const config = configOf(['n1', 'n2', 'n3'], { learners: ['n4', 'n5'] });
    const cluster = elected({ config });
    lastRound(cluster, ['n4', 'n5']);
    cluster.run(E + H);
    expect(cluster.node('n1').role).toBe('follower');
  });

  test('R-16 M-70 it counts its election as the last word of every peer', () => {
    const cluster = awake();
    const n1 = cluster.node('n1');
    makeCandidate(cluster, 'n1', ['n2', 'n3']);
    exchange(cluster, 'n1', 'n2');
    expect(n1.role).toBe('leader');
    cluster.isolate('n1');
    expect(cluster.inject('n3', 'n1', voteRequest(9, [9, 8]))).toEqual([]);
    cluster.tick(E, ['n1']);
    expect([n1.role, n1.term]).toEqual(['leader', 1]);
    cluster.tick(1, ['n1']);
    expect([n1.role, n1.term]).toEqual(['follower', 1]);
  });

  test('R-16 M-70 after it stood still it counts from waking, and admits nothing before a round', () => {
    const cluster = inTermTwo();
    const n1 = cluster.node('n1');
    cluster.isolate('n1');
    cluster.nowUs += 3 * E;
    cluster.step('n1', { type: 'tick' });
    expect([n1.role, cluster.propose('n1', 'a').refusal]).toEqual(['leader', 'UNAVAILABLE']);
    cluster.tick(E, ['n1']);
    expect([n1.role, cluster.propose('n1', 'a').refusal]).toEqual(['leader', 'UNAVAILABLE']);
    cluster.tick(1, ['n1']);
    expect([n1.role, n1.term]).toEqual(['follower', 2]);
  });
});

describe('R-21 one-way faults', () => {
  test('R-21a who hears but cannot speak does not campaign; the leader counts it as inactive', () => {
    const cluster = inTermTwo();
    const n2 = cluster.node('n2');
    cluster.cut('n2', 'n1', true);
    cluster.cut('n2', 'n3', true);
    runWatching(cluster, 20 * E, () => expect([n2.role, n2.term]).toEqual(['follower', 2]));
    expect(sentTo(n2, 'n1', 'preVoteRequest')).toEqual([]);
    const { peers } = cluster.node('n1').raft.status();
    expect(peers.map((peer) => [peer.nodeId, peer.isActive])).toEqual([
      ['n2', false],
      ['n3', true],
    ]);
    expect(cluster.leader()).toBe(cluster.node('n1'));
  });

  test('R-21b M-05 who speaks but cannot hear asks for ever, and changes no term', () => {
    const cluster = inTermTwo();
    const n2 = cluster.node('n2');
    cluster.cut('n1', 'n2', true);
    cluster.cut('n3', 'n2', true);
    runWatching(cluster, 20 * E, () => {
      expect(['follower', 'preCandidate']).toContain(n2.role);
      expect(termsOf(cluster)).toEqual([2, 2, 2]);
      expect(cluster.node('n1').role).toBe('leader');
    });
    expect(sentTo(n2, 'n1', 'preVoteRequest').length).toBeGreaterThan(20);
    expect(sentTo(cluster.node('n3'), 'n2', 'preVoteResponse').every((each) => !each.granted)).toBe(
      true,
    );
  });

  test('R-21c a leader that cannot hear steps down within 2 E, falls silent, and is replaced', () => {
    const cluster = inTermTwo();
    const n1 = cluster.node('n1');
    cluster.cut('n2', 'n1', true);
    cluster.cut('n3', 'n1', true);
    cluster.runUntil(() => n1.role !== 'leader', 2 * E);
    const beats = sentTo(n1, 'n2', 'heartbeat').length;
    cluster.runUntil(() => cluster.leader() !== null, 4 * E);
    expect(cluster.leader()?.term).toBeGreaterThan(2);
    cluster.run(10 * E);
    expect(sentTo(n1, 'n2', 'heartbeat').length).toBe(beats);
    expect(n1.role).not.toBe('leader');
  });
});
