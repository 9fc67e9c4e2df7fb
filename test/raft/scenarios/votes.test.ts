import { describe, expect, test } from 'vitest';
import type { VoteResponse } from '../../../src/raft/messages.ts';
import { CoreCluster, E, H, awake, calm, deliverLink, elected } from './scenario.ts';
import { makeCandidate, preVoteRequest, sentTo, timeOut, voteRequest } from './scenario.ts';

const ANSWERS = ['grant', 'deny', 'silence'] as const;
type Answer = (typeof ANSWERS)[number];

/** Every way in which so many peers can answer. */
function answersOf(peers: number): Answer[][] {
  if (peers === 0) return [[]];
  return answersOf(peers - 1).flatMap((before) => ANSWERS.map((answer) => [...before, answer]));
}

const count = (answers: readonly Answer[], what: Answer): number =>
  answers.filter((answer) => answer === what).length;

function rolesAfter(size: number, answers: readonly Answer[]): string {
  const cluster = awake({ size });
  const peers = [...cluster.nodes.keys()].slice(1);
  makeCandidate(cluster, 'n1', peers);
  cluster.dropAll();
  answers.forEach((answer, at) => {
    if (answer === 'silence') return;
    const granted = answer === 'grant';
    cluster.inject(peers[at] ?? '', 'n1', { type: 'voteResponse', term: 1, granted });
  });
  return cluster.node('n1').role;
}

describe('R-01 an election in one round', () => {
  test('R-01 a sole voter leads without a message, once its own vote is durable', () => {
    const cluster = new CoreCluster({ size: 1 });
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    cluster.step('n1', { type: 'tick' });
    expect([n1.role, n1.disk.vote]).toEqual(['candidate', null]);
    cluster.completeSlots('n1');
    expect([n1.role, n1.term, n1.disk.vote?.nodeId, n1.sent]).toEqual(['leader', 1, 'n1', []]);
  });

  for (const size of [3, 5]) {
    test(`R-01 M-04 all ${3 ** (size - 1)} answers of the peers of ${size}`, () => {
      const majority = (size + 1) / 2;
      for (const answers of answersOf(size - 1)) {
        const isWon = 1 + count(answers, 'grant') >= majority;
        const isLost = count(answers, 'deny') >= majority;
        const role = isWon ? 'leader' : isLost ? 'follower' : 'candidate';
        expect(rolesAfter(size, answers), answers.join(' ')).toBe(role);
      }
    });
  }
});

const lastVote = (cluster: CoreCluster, to: string): VoteResponse | undefined =>
  sentTo(cluster.node('n1'), to, 'voteResponse').at(-1);

test('R-02 M-01 one vote per term, the same answer to the same candidate, the disk first', () => {
  const cluster = awake();
  const n1 = cluster.node('n1');
  n1.automatic.slots = false;
  cluster.inject('n2', 'n1', voteRequest(2));
  expect([n1.sent, n1.disk.vote]).toEqual([[], null]);
  cluster.completeSlots('n1');
  expect(n1.disk).toMatchObject({ term: 2, vote: { nodeId: 'n2', storeId: 's2' } });
  n1.automatic.slots = true;
  cluster.inject('n3', 'n1', voteRequest(2));
  cluster.inject('n2', 'n1', voteRequest(2));
  expect(n1.sent).toEqual([
    { to: 'n2', message: { type: 'voteResponse', term: 2, granted: true } },
    { to: 'n3', message: { type: 'voteResponse', term: 2, granted: false } },
    { to: 'n2', message: { type: 'voteResponse', term: 2, granted: true } },
  ]);
  expect(n1.disk.vote?.nodeId).toBe('n2');
});

test('R-02 M-02 who steps down, or follows, in the same term has still voted in it', () => {
  const cluster = elected();
  const n1 = cluster.node('n1');
  cluster.isolate('n1');
  cluster.tick(E + H);
  expect([n1.role, n1.term, n1.core.hard.vote?.nodeId]).toEqual(['follower', 1, 'n1']);
  cluster.inject('n3', 'n1', voteRequest(1, [9, 1]));
  expect(lastVote(cluster, 'n3')).toEqual({ type: 'voteResponse', term: 1, granted: false });

  const lost = awake();
  makeCandidate(lost, 'n1', ['n2', 'n3']);
  for (const peer of ['n2', 'n3']) {
    lost.inject(peer, 'n1', { type: 'voteResponse', term: 1, granted: false });
  }
  expect(lost.node('n1').role).toBe('follower');
  lost.inject('n3', 'n1', voteRequest(1, [9, 1]));
  expect(lastVote(lost, 'n3')).toEqual({ type: 'voteResponse', term: 1, granted: false });
});

describe('R-03 who is up to date', () => {
  const cases = [
    { log: [1, 1], end: [1, 1], granted: false },
    { log: [1, 1], end: [2, 1], granted: true },
    { log: [1, 1], end: [3, 1], granted: true },
    { log: [1, 1], end: [1, 2], granted: true },
    { log: [2], end: [9, 1], granted: false },
    { log: [2], end: [1, 2], granted: true },
  ] as const;
  for (const { log, end, granted } of cases) {
    const what = `[${log.join(' ')}] ${granted ? 'votes' : 'refuses'} (${end.join(', ')})`;
    test(`R-03 M-03 M-04 ${what}: terms first, then length`, () => {
      const cluster = awake({ logs: { n1: log }, hard: { n1: { term: 2 } } });
      cluster.inject('n2', 'n1', preVoteRequest(3, end));
      cluster.inject('n2', 'n1', voteRequest(3, end));
      expect(sentTo(cluster.node('n1'), 'n2', 'preVoteResponse')).toEqual([
        {
          type: 'preVoteResponse',
          term: 2,
          requestTerm: 3,
          poll: 7,
          granted,
          reason: granted ? 'granted' : 'log',
        },
      ]);
      expect(lastVote(cluster, 'n2')).toEqual({ type: 'voteResponse', term: 3, granted });
      expect(cluster.node('n1').disk.vote?.nodeId ?? null).toBe(granted ? 'n2' : null);
    });
  }
});

test('R-04 a vote survives the crash that follows its message', () => {
  const cluster = awake({ hard: { n1: { term: 4 } } });
  const n1 = cluster.node('n1');
  cluster.inject('n2', 'n1', voteRequest(5));
  expect(lastVote(cluster, 'n2')).toEqual({ type: 'voteResponse', term: 5, granted: true });
  cluster.crash('n1');
  cluster.restart('n1');
  expect([n1.term, n1.core.hard.vote?.nodeId]).toEqual([5, 'n2']);
  cluster.inject('n3', 'n1', voteRequest(5, [9, 4]));
  expect(n1.sent).toEqual([
    { to: 'n3', message: { type: 'voteResponse', term: 5, granted: false } },
  ]);
  expect([n1.term, n1.core.hard.vote?.nodeId]).toEqual([5, 'n2']);
});

test('R-05 M-01 a vote that was not durable was never sent, and may be given to another', () => {
  const four = { term: 4 };
  const cluster = awake({ hard: { n1: four, n2: four, n3: four } });
  const n1 = cluster.node('n1');
  makeCandidate(cluster, 'n2', ['n1']);
  n1.automatic.slots = false;
  n1.sent.length = 0;
  deliverLink(cluster, 'n2', 'n1');
  expect([n1.term, n1.core.hard.vote?.nodeId, n1.sent]).toEqual([5, 'n2', []]);
  cluster.crash('n1');
  cluster.restart('n1');
  n1.automatic.slots = true;
  expect([n1.term, n1.core.hard.vote]).toEqual([4, null]);
  cluster.dropAll();
  calm(n1);
  makeCandidate(cluster, 'n3', ['n1']);
  deliverLink(cluster, 'n3', 'n1');
  deliverLink(cluster, 'n1', 'n3');
  expect([cluster.node('n3').role, cluster.node('n3').term]).toEqual(['leader', 5]);
  expect(n1.disk.vote?.nodeId).toBe('n3');
  cluster.deliverAll();
  expect([cluster.node('n2').role, cluster.node('n2').core.leaderId]).toEqual(['follower', 'n3']);
});

test('M-68 nobody is asked for a vote before the own one is durable, also after a crash', () => {
  const cluster = awake();
  const n1 = cluster.node('n1');
  n1.automatic.slots = false;
  makeCandidate(cluster, 'n1', ['n2']);
  expect(n1.sent.filter(({ message }) => message.type === 'voteRequest')).toEqual([]);
  cluster.crash('n1');
  cluster.dropAll();
  cluster.restart('n1');
  expect(n1.term).toBe(0);
  calm(n1);
  makeCandidate(cluster, 'n1', ['n2']);
  n1.sent.length = 0;
  cluster.completeSlots('n1');
  const message = voteRequest(1);
  expect(n1.sent).toEqual([
    { to: 'n2', message },
    { to: 'n3', message },
  ]);
  expect(n1.disk).toMatchObject({ term: 1, vote: { nodeId: 'n1' } });
});

test('M-68 a vote request waits for the vote, not only for the term', () => {
  const cluster = awake({ hard: { n1: { term: 3 } } });
  const n1 = cluster.node('n1');
  timeOut(cluster, 'n1');
  n1.automatic.slots = false;
  for (const peer of ['n2', 'n3']) deliverLink(cluster, 'n1', peer);
  deliverLink(cluster, 'n2', 'n1');
  expect([n1.role, n1.core.hard.isVoteDurable]).toEqual(['candidate', false]);
  expect(sentTo(n1, 'n3', 'voteRequest')).toEqual([]);
});
