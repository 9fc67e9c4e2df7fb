import { describe, expect, test } from 'vitest';
import { NO_ROUND } from '../../../src/raft/messages.ts';
import type { RaftMessage } from '../../../src/raft/messages.ts';
import { E, ackOf, appendOf, awake, calm, deliverLink, elected, exchange } from './scenario.ts';
import { heartbeat, makeCandidate, messagesIn, preVoteRequest, refusalOf } from './scenario.ts';
import { CoreCluster, H, runWatching, sentTo, timeOut, usUntilLeader } from './scenario.ts';
import { voteRequest } from './scenario.ts';

describe('R-06 a candidate yields to the leader of its term', () => {
  const leaderSays: Record<string, RaftMessage> = {
    'an Append': appendOf({ term: 3, prev: [0, 0], terms: [3] }),
    'a heartbeat': heartbeat(3),
  };
  for (const [what, message] of Object.entries(leaderSays)) {
    test(`R-06 to ${what}, keeps its vote and waits anew`, () => {
      const cluster = awake({ hard: { n1: { term: 2 } } });
      const n1 = cluster.node('n1');
      makeCandidate(cluster, 'n1', ['n2', 'n3']);
      expect([n1.term, n1.core.hard.vote?.nodeId]).toEqual([3, 'n1']);
      n1.core.election.deadlineUs = cluster.nowUs + 1;
      cluster.inject('n2', 'n1', message);
      expect([n1.role, n1.core.leaderId, n1.term]).toEqual(['follower', 'n2', 3]);
      expect([n1.core.hard.vote?.nodeId, n1.disk.vote?.nodeId]).toEqual(['n1', 'n1']);
      const waitUs = n1.core.election.deadlineUs - cluster.nowUs;
      expect(waitUs).toBeGreaterThanOrEqual(E);
      expect(waitUs).toBeLessThan(1.5 * E);
    });
  }
});

describe('R-07 stale messages', () => {
  const refusedVote: RaftMessage = { type: 'voteResponse', term: 7, granted: false };
  const stale = appendOf({ term: 5, prev: [1, 1], terms: [5], commit: 2 });
  const requests: readonly (readonly [RaftMessage, object])[] = [
    [stale, { ...refusalOf(7, 1, [0, 0]), round: NO_ROUND }],
    [heartbeat(5, 1), { type: 'heartbeatResponse', term: 7, round: NO_ROUND }],
    [voteRequest(6, [9, 6]), refusedVote],
    [preVoteRequest(6, [9, 6]), { type: 'preVoteResponse', term: 7, granted: false }],
  ];
  const answers: readonly RaftMessage[] = [
    ackOf(6, 1),
    refusalOf(6, 1, [0, 0]),
    { type: 'voteResponse', term: 6, granted: true },
    { type: 'heartbeatResponse', term: 6, round: 1, lastIndex: 0, durableIndex: 0 },
    { type: 'goodbye', term: 6 },
  ];

  test('R-07 an answer to a message of an earlier term is none in this one', () => {
    const cluster = elected();
    const leader = cluster.node('n1');
    const { term } = leader;
    const look = (): string => JSON.stringify(leader.core.leader?.progress.get('n2'));
    const hear = (message: RaftMessage): void => {
      const before = look();
      expect(messagesIn(cluster.inject('n2', 'n1', message))).toEqual([]);
      expect(look()).toBe(before);
    };
    hear({ ...refusalOf(term, 99, [0, 0]), round: NO_ROUND });
    const progress = leader.core.leader?.progress.get('n2');
    // It waits for an answer of this term, which would let it go on.
    progress?.becomeProbe();
    if (progress !== undefined) progress.isPaused = true;
    hear({ type: 'heartbeatResponse', term, round: NO_ROUND, lastIndex: 0, durableIndex: 0 });
    expect([leader.role, progress?.isLost]).toEqual(['leader', false]);
  });

  function expectUntouched(cluster: CoreCluster): void {
    const { core } = cluster.node('n1');
    const look = (): string =>
      JSON.stringify([cluster.node('n1').raft.status(), core.election, core.hard]);
    const before = look();
    for (const [message, answer] of requests) {
      expect(messagesIn(cluster.inject('n2', 'n1', message))).toEqual([
        expect.objectContaining(answer),
      ]);
    }
    for (const message of answers) expect(cluster.inject('n2', 'n1', message)).toEqual([]);
    expect(look()).toBe(before);
  }

  test('R-07 M-09 a follower tells of its term, drops answers, changes nothing', () => {
    const cluster = new CoreCluster({ logs: { n1: [1, 1] }, hard: { n1: { term: 7 } } });
    expectUntouched(cluster);
    expect([cluster.node('n1').terms(), cluster.node('n1').core.commitIndex]).toEqual([[1, 1], 0]);
  });

  test('R-07 a leader does the same', () => {
    const six = { term: 6 };
    const cluster = elected({ hard: { n1: six, n2: six, n3: six } });
    expect(cluster.node('n1').term).toBe(7);
    expectUntouched(cluster);
    expect([cluster.node('n1').role, cluster.node('n1').terms()]).toEqual(['leader', [7]]);
  });

  test('R-07 a candidate counts no vote of an earlier term', () => {
    const cluster = awake({ hard: { n1: { term: 6 } } });
    makeCandidate(cluster, 'n1', ['n2', 'n3']);
    cluster.inject('n2', 'n1', { type: 'voteResponse', term: 6, granted: true });
    expect(cluster.node('n1').role).toBe('candidate');
  });
});

test('R-10 M-06 a pre-vote from behind is answered with the term, and a leader emerges', () => {
  const cluster = new CoreCluster();
  cluster.elect('n2');
  cluster.isolate('n3');
  cluster.elect('n1');
  cluster.elect('n2');
  const [n1, n2, n3] = ['n1', 'n2', 'n3'].map((nodeId) => cluster.node(nodeId));
  expect([n1?.term, n2?.term, n3?.term]).toEqual([3, 3, 1]);
  cluster.heal();
  cluster.isolate('n2');
  timeOut(cluster, 'n3');
  timeOut(cluster, 'n1');
  const startUs = cluster.nowUs;
  deliverLink(cluster, 'n3', 'n1');
  expect(sentTo(cluster.node('n1'), 'n3', 'preVoteResponse')).toEqual([
    expect.objectContaining({ term: 3, requestTerm: 2, granted: false, reason: 'term' }),
  ]);
  deliverLink(cluster, 'n1', 'n3');
  expect(n3?.term).toBe(3);
  cluster.runUntil(() => n1?.role === 'leader', 4 * E);
  expect(cluster.nowUs - startUs).toBeLessThanOrEqual(4 * E);
  expect([n1?.term, n3?.term]).toEqual([4, 4]);
});

test('M-69 a grant of a voter with a lower term counts', () => {
  const cluster = awake({ hard: { n1: { term: 5 } } });
  timeOut(cluster, 'n1');
  cluster.inject('n2', 'n1', {
    type: 'preVoteResponse',
    term: 0,
    requestTerm: 6,
    poll: cluster.node('n1').core.election.poll,
    granted: true,
    reason: 'granted',
  });
  expect([cluster.node('n1').role, cluster.node('n1').term]).toEqual(['candidate', 6]);
});

describe('R-13 votes that come too late, or for something else', () => {
  test('R-13 M-11 the own vote of an election that is lost counts for nothing', () => {
    const cluster = awake({ hard: { n1: { term: 1 } } });
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    makeCandidate(cluster, 'n1', ['n2', 'n3']);
    expect([n1.term, n1.core.election.votes.size]).toEqual([2, 0]);
    cluster.inject('n2', 'n1', heartbeat(2));
    cluster.completeSlots('n1');
    expect([n1.role, n1.core.leaderId, n1.term]).toEqual(['follower', 'n2', 2]);
    expect(n1.core.election.votes.size).toBe(0);
  });

  test('R-13 M-11 before it is durable one other vote of three is no majority', () => {
    const cluster = awake();
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    makeCandidate(cluster, 'n1', ['n2', 'n3']);
    cluster.inject('n2', 'n1', { type: 'voteResponse', term: 1, granted: true });
    expect(n1.role).toBe('candidate');
    cluster.completeSlots('n1');
    expect(n1.role).toBe('leader');
  });

  test('R-13 M-14 grants of pre-votes do not count as votes, early or late', () => {
    const cluster = awake({ size: 5 });
    const n1 = cluster.node('n1');
    makeCandidate(cluster, 'n1', ['n2', 'n3']);
    expect([...n1.core.election.votes]).toEqual([['s1', true]]);
    cluster.inject('n4', 'n1', {
      type: 'preVoteResponse',
      term: 0,
      requestTerm: 1,
      poll: n1.core.election.poll,
      granted: true,
      reason: 'granted',
    });
    cluster.inject('n5', 'n1', { type: 'voteResponse', term: 1, granted: true });
    expect([n1.role, [...n1.core.election.votes]]).toEqual([
      'candidate',
      [
        ['s1', true],
        ['s5', true],
      ],
    ]);
  });

  test('R-13 M-14 votes of one term do not count in the next', () => {
    const cluster = awake({ size: 5 });
    const n1 = cluster.node('n1');
    makeCandidate(cluster, 'n1', ['n2', 'n3']);
    cluster.dropAll();
    cluster.inject('n2', 'n1', { type: 'voteResponse', term: 1, granted: true });
    makeCandidate(cluster, 'n1', ['n4', 'n5']);
    expect([n1.term, [...n1.core.election.votes]]).toEqual([2, [['s1', true]]]);
    cluster.inject('n3', 'n1', { type: 'voteResponse', term: 2, granted: true });
    expect(n1.role).toBe('candidate');
    cluster.inject('n4', 'n1', { type: 'voteResponse', term: 2, granted: true });
    expect(n1.role).toBe('leader');
  });
});

describe('R-13 M-14 grants of pre-votes are counted', () => {
  function grantOf(poll: number, requestTerm: number): RaftMessage {
    const answer = { requestTerm, poll, granted: true, reason: 'granted' } as const;
    return { type: 'preVoteResponse', term: 0, ...answer };
  }

  test('R-13 M-14 in the poll that they answer, not in the next one', () => {
    const cluster = awake({ size: 5 });
    const n1 = cluster.node('n1');
    timeOut(cluster, 'n1');
    const old = n1.core.election.poll;
    cluster.inject('n2', 'n1', grantOf(old, 1));
    cluster.tick(2 * H, ['n1']);
    const { poll } = n1.core.election;
    expect(poll).toBeGreaterThan(old);
    cluster.inject('n3', 'n1', grantOf(old, 1));
    cluster.inject('n4', 'n1', grantOf(poll, 1));
    expect(n1.role).toBe('preCandidate');
    cluster.inject('n5', 'n1', grantOf(poll, 1));
    expect(n1.role).toBe('candidate');
  });

  test('R-13 M-14 for the term that they were asked for, and no other', () => {
    const cluster = awake({ hard: { n1: { term: 3 } } });
    const n1 = cluster.node('n1');
    timeOut(cluster, 'n1');
    const { poll } = n1.core.election;
    for (const requestTerm of [3, 5]) cluster.inject('n2', 'n1', grantOf(poll, requestTerm));
    expect(n1.role).toBe('preCandidate');
    cluster.inject('n2', 'n1', grantOf(poll, 4));
    expect(n1.role).toBe('candidate');
  });
});

test('R-17 M-09 a node stuck at a higher term is freed by its answer, once', () => {
  const four = { term: 4 };
  const cluster = new CoreCluster({ hard: { n1: four, n2: four, n3: { term: 9 } } });
  cluster.isolate('n3');
  cluster.elect('n1');
  const [n1, n3] = [cluster.node('n1'), cluster.node('n3')];
  expect([n1.term, n3.term]).toEqual([5, 9]);
  cluster.heal();
  calm(n3);
  cluster.dropAll();
  cluster.tick(H);
  exchange(cluster, 'n1', 'n3');
  expect(sentTo(n3, 'n1', 'heartbeatResponse').at(-1)?.term).toBe(9);
  expect([n1.role, n1.term]).toEqual(['follower', 9]);
  n3.core.election.deadlineUs = cluster.nowUs + E;
  expect(usUntilLeader(cluster)).toBeLessThan(4 * E);
  const term = cluster.leader()?.term ?? 0;
  expect(term).toBeGreaterThan(9);
  const terms = new Set<number>();
  runWatching(cluster, 20 * E, () => {
    for (const node of cluster.nodes.values()) terms.add(node.term);
  });
  expect([...terms]).toEqual([term]);
});
