import { describe, expect, test } from 'vitest';
import type { RaftMessage } from '../../../src/raft/messages.ts';
import { configOf, CoreCluster, E, H } from './harness.ts';

function voteRequest(term: number, lastIndex = 0, lastTerm = 0, transfer = false): RaftMessage {
  return { type: 'voteRequest', term, lastIndex, lastTerm, transfer };
}

function preVoteRequest(nextTerm: number, lastIndex = 0, lastTerm = 0): RaftMessage {
  return { type: 'preVoteRequest', term: nextTerm - 1, nextTerm, poll: 7, lastIndex, lastTerm };
}

/** A node whose stickiness of the first moment is over. */
function awake(options: ConstructorParameters<typeof CoreCluster>[0] = {}): CoreCluster {
  const cluster = new CoreCluster(options);
  for (const node of cluster.nodes.values()) {
    node.core.election.stickyUntilUs = 0;
    node.core.election.deadlineUs = Infinity;
  }
  return cluster;
}

/** One request of n1 reaches a node, and its answer comes back. */
function reply(cluster: CoreCluster, nodeId: string): void {
  cluster.deliver('n1', nodeId, cluster.link('n1', nodeId).length - 1);
  cluster.deliver(nodeId, 'n1', cluster.link(nodeId, 'n1').length - 1);
}

const lastSent = (cluster: CoreCluster, nodeId: string): RaftMessage | undefined =>
  cluster.node(nodeId).sent.at(-1)?.message;

describe('votes', () => {
  test('one per term, and the same answer to the same candidate', () => {
    const cluster = awake();
    const answers = ['n2', 'n3', 'n2'].map((from) => {
      cluster.inject(from, 'n1', voteRequest(2));
      return lastSent(cluster, 'n1');
    });
    expect(answers.map((answer) => answer?.type === 'voteResponse' && answer.granted)).toEqual([
      true,
      false,
      true,
    ]);
    expect(cluster.node('n1').disk.vote?.nodeId).toBe('n2');
  });

  test('a grant waits until term and vote are durable', () => {
    const cluster = awake();
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    cluster.inject('n2', 'n1', voteRequest(2));
    expect(n1.sent).toEqual([]);
    cluster.completeSlots('n1');
    expect(n1.sent.map(({ to, message }) => [to, message.type])).toEqual([['n2', 'voteResponse']]);
  });

  test('a grant in a term that is durable already waits for the vote', () => {
    const cluster = awake({ hard: { n1: { term: 2 } } });
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    cluster.inject('n2', 'n1', voteRequest(2));
    expect(n1.sent).toEqual([]);
    cluster.completeSlots('n1');
    expect(n1.sent.map(({ to, message }) => [to, message.type])).toEqual([['n2', 'voteResponse']]);
  });

  test('a grant that waits is dropped when the term changes', () => {
    const cluster = awake();
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    cluster.inject('n2', 'n1', voteRequest(2));
    cluster.inject('n3', 'n1', voteRequest(3));
    while (cluster.completeSlots('n1'));
    expect(n1.sent.map(({ to, message }) => [to, message.term])).toEqual([['n3', 3]]);
  });

  test('logs are compared by term, then by length, as they are in memory', () => {
    const cluster = awake({ logs: { n1: [1, 1] } });
    const ask = (lastIndex: number, lastTerm: number): boolean => {
      cluster.inject('n2', 'n1', preVoteRequest(9, lastIndex, lastTerm));
      const answer = lastSent(cluster, 'n1');
      return answer?.type === 'preVoteResponse' && answer.granted;
    };
    expect([ask(1, 1), ask(2, 1), ask(3, 1), ask(1, 2)]).toEqual([false, true, true, true]);
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.inject('n3', 'n1', {
      type: 'append',
      term: 1,
      prevIndex: 2,
      prevTerm: 1,
      entries: [
        {
          index: 3,
          term: 1,
          prevTerm: 1,
          type: 'noop',
          payload: new Uint8Array(0),
          config: null,
          record: null,
        },
      ],
      commit: 0,
      round: 1,
    });
    n1.core.election.stickyUntilUs = 0;
    expect([ask(2, 1), ask(3, 1)]).toEqual([false, true]);
  });

  test('a denied vote does not postpone our own election, a granted one does', () => {
    const cluster = awake({ logs: { n1: [1, 1] } });
    const { election } = cluster.node('n1').core;
    election.deadlineUs = cluster.nowUs + 7;
    cluster.inject('n2', 'n1', voteRequest(2, 1, 1));
    expect(election.deadlineUs).toBe(cluster.nowUs + 7);
    cluster.inject('n3', 'n1', voteRequest(2, 2, 1));
    expect(election.deadlineUs).toBeGreaterThanOrEqual(cluster.nowUs + E);
  });

  test('a node with a member’s name and another data directory is not heard', () => {
    const cluster = awake();
    const from = { nodeId: 'n2', storeId: 'other', bootCount: 1 };
    cluster.step('n1', { type: 'message', from, message: voteRequest(5) });
    expect(cluster.node('n1').term).toBe(0);
    expect(cluster.node('n1').sent).toEqual([]);
  });
});

describe('campaigns', () => {
  test('R-13 our own vote counts when it is durable, and only if we still are a candidate', () => {
    const cluster = awake();
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    n1.core.election.deadlineUs = 0;
    cluster.tick(1, ['n1']);
    cluster.deliverAll();
    expect([n1.role, n1.term, n1.sent.filter((each) => each.message.term === 1)]).toEqual([
      'candidate',
      1,
      [],
    ]);
    cluster.inject('n3', 'n1', { type: 'voteResponse', term: 1, granted: true });
    expect(n1.role).toBe('candidate');
    cluster.inject('n2', 'n1', { type: 'heartbeat', term: 1, commit: 0, round: 1 });
    cluster.completeSlots('n1');
    expect([n1.role, n1.core.leaderId, n1.core.election.votes.size]).toEqual(['follower', 'n2', 0]);
    expect(n1.disk.vote?.nodeId).toBe('n1');
  });

  test('a sole voter leads in the first step after its vote is durable, and opens its term', () => {
    const cluster = new CoreCluster({ size: 1 });
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    cluster.step('n1', { type: 'tick' });
    expect(n1.role).toBe('candidate');
    cluster.completeSlots('n1');
    expect([n1.role, n1.terms(), n1.applied.length]).toEqual(['leader', [1], 1]);
  });

  test('a pre-candidate forgets its leader at once, and keeps its term and vote', () => {
    const cluster = new CoreCluster();
    cluster.elect('n2');
    cluster.isolate('n1');
    const n1 = cluster.node('n1');
    const vote = n1.core.hard.vote;
    cluster.tick(2 * E, ['n1']);
    expect([n1.role, n1.core.leaderId, n1.term]).toEqual(['preCandidate', null, 1]);
    expect(n1.core.hard.vote).toBe(vote);
  });

  test('R-10 a pre-vote from behind is answered, and the answer brings the term', () => {
    const cluster = awake({ hard: { n1: { term: 1 }, n2: { term: 3 } } });
    cluster.inject('n1', 'n2', preVoteRequest(2));
    expect(cluster.node('n2').sent.at(-1)?.message).toEqual(
      expect.objectContaining({ type: 'preVoteResponse', term: 3, granted: false }),
    );
    cluster.deliver('n2', 'n1');
    expect([cluster.node('n1').role, cluster.node('n1').term]).toEqual(['follower', 3]);
  });

  test('M-69 a voter that does not know of our term yet can grant', () => {
    const cluster = awake({ hard: { n1: { term: 5 } } });
    const n1 = cluster.node('n1');
    n1.core.election.deadlineUs = 0;
    cluster.tick(1, ['n1']);
    cluster.deliver('n1', 'n2');
    cluster.deliver('n2', 'n1');
    expect([n1.role, n1.term]).toEqual(['candidate', 6]);
  });

  test('a pre-candidate that votes for another asks no more', () => {
    const cluster = awake({ hard: { n1: { term: 2 } } });
    const n1 = cluster.node('n1');
    n1.core.election.deadlineUs = 0;
    cluster.tick(1, ['n1']);
    expect(n1.role).toBe('preCandidate');
    cluster.inject('n2', 'n1', voteRequest(2));
    expect([n1.role, n1.core.hard.vote?.nodeId]).toEqual(['follower', 'n2']);
  });

  test('R-65 in a joint configuration an election is won in both halves or not at all', () => {
    const config = configOf(['n1', 'n2', 'n3'], { outgoing: ['n1', 'n4', 'n5'] });
    const cluster = awake({ config });
    const n1 = cluster.node('n1');
    n1.core.election.deadlineUs = 0;
    cluster.tick(1, ['n1']);
    const ask = (): void => ['n2', 'n3'].forEach((nodeId) => reply(cluster, nodeId));
    ask();
    expect(n1.role).toBe('preCandidate');
    reply(cluster, 'n4');
    expect(n1.role).toBe('candidate');
    ask();
    expect(n1.role).toBe('candidate');
    reply(cluster, 'n5');
    expect(n1.role).toBe('leader');
  });

  test('R-22 a learner never campaigns', () => {
    const cluster = new CoreCluster({ config: configOf(['n1', 'n2'], { learners: ['n3'] }) });
    cluster.tick(20 * E, ['n3']);
    expect(cluster.node('n3').sent).toEqual([]);
  });

  test('the poll is repeated as a new one after one to two H, then half as often, in the same term', () => {
    const cluster = awake();
    const n1 = cluster.node('n1');
    n1.core.election.deadlineUs = 0;
    cluster.cut('n1', 'n2');
    cluster.cut('n1', 'n3');
    const askedAt: number[] = [];
    const polls = new Set<number>();
    for (let count = 0; count < 100; count++) {
      const sent = n1.sent.length;
      cluster.tick(H / 10, ['n1']);
      const requests = n1.sent.slice(sent).filter(({ to }) => to === 'n2');
      for (const { message } of requests) {
        if (message.type !== 'preVoteRequest') continue;
        askedAt.push(cluster.nowUs);
        polls.add(message.poll);
      }
    }
    const waits = askedAt.slice(1, 3).map((at, before) => at - (askedAt[before] ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(H);
    expect(waits[0]).toBeLessThanOrEqual(2.1 * H);
    expect(waits[1]).toBeGreaterThanOrEqual(2 * H);
    expect(waits[1]).toBeLessThanOrEqual(4.1 * H);
    expect(polls.size).toBe(askedAt.length);
    expect(n1.term).toBe(0);
  });

  test('grants of different polls do not add up', () => {
    const cluster = awake({ size: 5 });
    const n1 = cluster.node('n1');
    n1.core.election.deadlineUs = 0;
    cluster.tick(1, ['n1']);
    const first = n1.core.election.poll;
    const grant = (poll: number): RaftMessage => ({
      type: 'preVoteResponse',
      term: 0,
      requestTerm: 1,
      poll,
      granted: true,
      reason: 'granted',
    });
    cluster.inject('n2', 'n1', grant(first));
    cluster.tick(2 * H, ['n1']);
    cluster.inject('n3', 'n1', grant(first));
    cluster.inject('n3', 'n1', grant(n1.core.election.poll));
    expect(n1.role).toBe('preCandidate');
    cluster.inject('n4', 'n1', grant(n1.core.election.poll));
    expect(n1.role).toBe('candidate');
  });

  test('sticky refusals are no verdict; a majority of others ends the poll', () => {
    const refuse = (poll: number, reason: 'sticky' | 'log'): RaftMessage => ({
      type: 'preVoteResponse',
      term: 0,
      requestTerm: 1,
      poll,
      granted: false,
      reason,
    });
    const cluster = awake();
    const n1 = cluster.node('n1');
    n1.core.election.deadlineUs = 0;
    cluster.tick(1, ['n1']);
    cluster.inject('n2', 'n1', refuse(n1.core.election.poll, 'sticky'));
    cluster.inject('n3', 'n1', refuse(n1.core.election.poll, 'sticky'));
    expect(n1.role).toBe('preCandidate');
    cluster.inject('n2', 'n1', refuse(n1.core.election.poll, 'log'));
    cluster.inject('n3', 'n1', refuse(n1.core.election.poll, 'log'));
    expect(n1.role).toBe('follower');
  });
});
