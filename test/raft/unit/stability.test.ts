import { describe, expect, test } from 'vitest';
import type { RaftMessage } from '../../../src/raft/messages.ts';
import { CoreCluster, E, H } from './harness.ts';

const VOTE: RaftMessage = {
  type: 'voteRequest',
  term: 9,
  lastIndex: 99,
  lastTerm: 8,
  transfer: false,
};

function electedCluster(size = 3): CoreCluster {
  const cluster = new CoreCluster({ size });
  cluster.elect('n1');
  cluster.run(2 * H);
  return cluster;
}

describe('stickiness', () => {
  test('R-14 who heard of a leader within E ignores a campaign, term and all', () => {
    const cluster = electedCluster();
    cluster.inject('n3', 'n2', VOTE);
    expect(cluster.node('n2').term).toBe(1);
    cluster.cut('n1', 'n2');
    cluster.node('n2').core.election.deadlineUs = Infinity;
    cluster.tick(E);
    cluster.inject('n3', 'n2', VOTE);
    expect([cluster.node('n2').term, cluster.node('n2').core.hard.vote?.nodeId]).toEqual([9, 'n3']);
  });

  test('R-15 a leader with a quorum refuses as well, unless it asked for the election', () => {
    const cluster = electedCluster();
    cluster.inject('n3', 'n1', VOTE);
    expect([cluster.node('n1').role, cluster.node('n1').term]).toEqual(['leader', 1]);
    cluster.inject('n3', 'n1', { ...VOTE, transfer: true });
    expect([cluster.node('n1').role, cluster.node('n1').term]).toEqual(['follower', 9]);
  });

  test('a node that has just started is sticky for E', () => {
    const cluster = new CoreCluster();
    cluster.tick(E - H);
    cluster.inject('n3', 'n2', VOTE);
    expect(cluster.node('n2').term).toBe(0);
  });

  test('a pre-vote changes nothing at the node that answers it', () => {
    const cluster = electedCluster();
    const before = { ...cluster.node('n2').core.election };
    const status = cluster.node('n2').raft.status();
    cluster.inject('n3', 'n2', {
      type: 'preVoteRequest',
      term: 8,
      nextTerm: 9,
      poll: 1,
      lastIndex: 9,
      lastTerm: 8,
    });
    expect(cluster.node('n2').core.election).toEqual(before);
    expect(cluster.node('n2').raft.status()).toEqual(status);
    const answer = cluster.node('n2').sent.at(-1)?.message;
    expect(answer?.type === 'preVoteResponse' && answer.reason).toBe('sticky');
  });
});

describe('CheckQuorum', () => {
  test('R-16 a leader whose quorum is silent for E steps down in its term', () => {
    const cluster = electedCluster();
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.isolate('n1');
    cluster.tick(E - H, ['n1']);
    expect(cluster.node('n1').role).toBe('leader');
    cluster.tick(3 * H, ['n1']);
    expect([cluster.node('n1').role, cluster.node('n1').term]).toEqual(['follower', 1]);
    expect(cluster.node('n1').core.leaderId).toBeNull();
    expect(cluster.node('n1').core.election.deadlineUs).toBeGreaterThan(cluster.nowUs + E / 2);
    expect(cluster.node('n1').effects.filter(({ type }) => type === 'readFailed')).toEqual([
      { type: 'readFailed', ids: [1] },
    ]);
  });

  test('R-16 silence counts from the sending of what was answered, not from the answer', () => {
    const cluster = electedCluster();
    const nowUs = cluster.nowUs;
    cluster.tick(H, ['n1']);
    const n2 = cluster.node('n1').core.leader?.progress.get('n2');
    cluster.tick(4 * H, ['n1']);
    cluster.deliver('n1', 'n2');
    cluster.deliver('n2', 'n1');
    expect(n2?.lastAckSentUs).toBeLessThanOrEqual(nowUs + H);
  });

  test('M-70 a fresh leader is not measured by what it heard before', () => {
    const cluster = new CoreCluster();
    cluster.elect('n1');
    const leader = cluster.node('n1').core.leader;
    expect(leader?.progress.get('n2')?.lastAckSentUs).toBeGreaterThan(0);
    expect(
      cluster
        .node('n1')
        .raft.status()
        .peers.every((peer) => peer.isActive),
    ).toBe(true);
  });
});

describe('a process that did not run', () => {
  test('R-24 reads its messages before it thinks of an election', () => {
    const cluster = electedCluster();
    cluster.tick(H, ['n1']);
    cluster.nowUs += 3 * E;
    cluster.step('n2', { type: 'tick' });
    expect(cluster.node('n2').role).toBe('follower');
    cluster.deliver('n1', 'n2');
    expect(cluster.node('n2').core.leaderId).toBe('n1');
  });

  test('as leader admits nothing until a round is confirmed, and does not step down at once', () => {
    const cluster = electedCluster();
    cluster.nowUs += 2 * E;
    expect(cluster.propose('n1', 'x').refusal).toBe('UNAVAILABLE');
    expect(cluster.node('n1').role).toBe('leader');
    cluster.deliverAll();
    expect(cluster.propose('n1', 'x').refusal).toBeNull();
  });
});

describe('fast fail-over', () => {
  test('a leader that is gone is replaced without waiting for silence', () => {
    const cluster = electedCluster();
    const startUs = cluster.nowUs;
    cluster.crash('n1');
    for (const nodeId of ['n2', 'n3']) {
      cluster.step(nodeId, { type: 'link', peer: 'n1', state: 'gone' });
      expect(cluster.node(nodeId).core.election.deadlineUs).toBeLessThan(startUs + 150_000);
      expect(cluster.node(nodeId).core.election.stickyUntilUs).toBe(0);
    }
    cluster.runUntil(() => cluster.leader() !== null, E / 2);
  });

  test('a lost connection alone is no reason, and neither is another node', () => {
    const cluster = electedCluster();
    const { election } = cluster.node('n2').core;
    const before = { ...election };
    cluster.step('n2', { type: 'link', peer: 'n1', state: 'down' });
    cluster.step('n2', { type: 'link', peer: 'n3', state: 'gone' });
    expect(election).toEqual(before);
  });

  test('four draws are short, unless the leader is heard again', () => {
    const cluster = electedCluster();
    cluster.step('n2', { type: 'link', peer: 'n1', state: 'gone' });
    expect(cluster.node('n2').core.election.fastDraws).toBe(3);
    cluster.inject('n1', 'n2', { type: 'heartbeat', term: 1, commit: 0, round: 1 });
    expect(cluster.node('n2').core.election.fastDraws).toBe(0);
    expect(cluster.node('n2').core.election.deadlineUs).toBeGreaterThanOrEqual(cluster.nowUs + E);
  });

  test('LIV-1 disks slower than every short draw cost no second election', () => {
    for (const diskUs of [100_000, 200_000]) {
      const cluster = electedCluster();
      cluster.crash('n1');
      for (const nodeId of ['n2', 'n3']) cluster.node(nodeId).automatic.slots = false;
      cluster.step('n2', { type: 'link', peer: 'n1', state: 'gone' });
      cluster.step('n3', { type: 'link', peer: 'n1', state: 'gone' });
      cluster.node('n3').core.election.deadlineUs += 100_000;
      cluster.runUntil(() => cluster.node('n2').role === 'candidate');
      cluster.run(diskUs);
      cluster.completeSlots('n2');
      cluster.run(diskUs);
      cluster.completeSlots('n3');
      cluster.runUntil(() => cluster.leader() !== null, H);
      expect(cluster.leader()?.core.hard.term).toBe(2);
    }
  });

  test('a goodbye has the same effect, from the leader of this very term', () => {
    const cluster = electedCluster();
    cluster.inject('n3', 'n2', { type: 'goodbye', term: 1 });
    expect(cluster.node('n2').core.leaderId).toBe('n1');
    cluster.step('n1', { type: 'stepDown' });
    cluster.deliver('n1', 'n2');
    expect(cluster.node('n2').core.leaderId).toBeNull();
    expect(cluster.node('n2').core.election.deadlineUs).toBeLessThan(cluster.nowUs + 150_000);
  });
});
