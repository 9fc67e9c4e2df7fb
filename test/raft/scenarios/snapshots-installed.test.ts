import { describe, expect, test } from 'vitest';
import { E, appendOf, heartbeat, progressOf, repeat, sentTo, voteRequest } from './scenario.ts';
import { COUNT, answersOf, follower, installedAt, installing, laggard } from './snapshots.ts';
import { piecesOf, snapshotEffects, storedUpTo, transferTo } from './snapshots.ts';

describe('R-58 pieces twice, out of order, and not at all', () => {
  const orders = {
    'each twice': [0, 0, 1, 1, 2, 2],
    'the last one again when it is over': [0, 1, 2, 2, 2],
    'in reverse, until they fit': [2, 1, 0, 2, 1, 2],
    'with gaps': [0, 2, 2, 1, 0, 2],
  };
  for (const [what, order] of Object.entries(orders)) {
    test(`R-58 ${what}: one install, and the whole state`, () => {
      const cluster = follower([], 3);
      const n1 = cluster.node('n1');
      const pieces = piecesOf(3, [40, 3]);
      for (const at of order) transferTo(cluster, pieces.slice(at, at + 1));
      expect([n1.checkpoints.installs, n1.machine]).toEqual([1, { index: 40, sum: 12_345 }]);
      expect([n1.term, n1.role, n1.core.isStopped]).toEqual([3, 'follower', false]);
      expect(sentTo(n1, 'n2', 'snapshotResponse').at(-1)).toEqual(installedAt(3, 40));
    });
  }

  test('R-58 each piece is answered with what is there, and the sum of them at the end', () => {
    const cluster = follower([], 3);
    const n1 = cluster.node('n1');
    const pieces = piecesOf(3, [40, 3]);
    for (const at of [1, 0, 0, 1, 2]) transferTo(cluster, pieces.slice(at, at + 1));
    expect(answersOf(n1)).toEqual([
      ...[-1, 0, 0, 1].map((sequence) => storedUpTo(3, sequence)),
      installedAt(3, 40),
    ]);
    expect(COUNT).toBe(3);
  });

  test('R-58 a receiver that restarts in the middle begins anew', () => {
    const cluster = follower([], 3);
    const n1 = cluster.node('n1');
    const pieces = piecesOf(3, [40, 3]);
    transferTo(cluster, pieces.slice(0, 2));
    cluster.crash('n1');
    cluster.restart('n1');
    transferTo(cluster, pieces.slice(2));
    expect(answersOf(n1)).toEqual([storedUpTo(3, -1)]);
    transferTo(cluster, pieces);
    expect([n1.checkpoints.installs, n1.machine.index]).toEqual([1, 40]);
  });

  test('R-58 a piece of an earlier term is answered with ours, and is no contact', () => {
    const cluster = follower([], 5);
    const n1 = cluster.node('n1');
    const { deadlineUs } = n1.core.election;
    transferTo(cluster, piecesOf(3, [40, 3]).slice(0, 1));
    const refused = { status: 'refused', sequence: -1, round: 0 } as const;
    expect(answersOf(n1)).toEqual([{ ...installedAt(5, 0), ...refused }]);
    expect([n1.core.leaderId, n1.core.election.deadlineUs]).toEqual([null, deadlineUs]);
  });

  test('INV-7 nothing is answered before the term of a piece is durable', () => {
    const cluster = follower([], 1);
    const n1 = cluster.node('n1');
    n1.automatic.slots = false;
    transferTo(cluster, piecesOf(3, [40, 3]));
    expect([answersOf(n1), snapshotEffects(n1).includes('installSnapshot')]).toEqual([[], false]);
    cluster.completeSlots('n1');
    expect(answersOf(n1).at(-1)).toEqual(installedAt(3, 40));
    expect(n1.checkpoints.installs).toBe(1);
  });
});

describe('R-59 M-42 INV-9 an install and what else goes on', () => {
  test('R-59 pieces of another checkpoint are not heeded until it is over', () => {
    const cluster = installing(repeat(1, 5), 3, [17, 3]);
    const n1 = cluster.node('n1');
    transferTo(cluster, piecesOf(3, [18, 3], 2));
    expect(answersOf(n1)).toEqual([]);
    n1.automatic.install = true;
    n1.completeInstall(cluster.nowUs);
    expect([n1.machine.index, n1.core.appliedIndex]).toEqual([17, 17]);
    transferTo(cluster, piecesOf(3, [18, 3], 2));
    expect([n1.machine.index, n1.core.appliedIndex, n1.checkpoints.installs]).toEqual([18, 18, 2]);
  });

  test('R-59 M-42 INV-9 it waits for the page that is being applied, and for the batch', () => {
    for (const what of ['apply', 'persist'] as const) {
      const cluster = follower([], 1);
      const n1 = cluster.node('n1');
      n1.automatic[what] = false;
      const append = appendOf({ term: 1, prev: [0, 0], terms: repeat(1, 9), commit: 9 });
      cluster.inject('n2', 'n1', append);
      transferTo(cluster, piecesOf(1, [40, 1]));
      expect(snapshotEffects(n1)).not.toContain('installSnapshot');
      n1.automatic[what] = true;
      if (what === 'apply') n1.completeApply(cluster.nowUs);
      else n1.completePersist(cluster.nowUs);
      expect([n1.core.appliedIndex, n1.machine.index, n1.core.commitIndex]).toEqual([40, 40, 40]);
      expect(n1.checkpoints.installs).toBe(1);
    }
  });

  test('R-59 no further batch is handed out before it', () => {
    const cluster = follower([], 1);
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [0, 0], terms: repeat(1, 9) }));
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [9, 1], terms: repeat(1, 9) }));
    transferTo(cluster, piecesOf(1, [40, 1]));
    cluster.completePersist('n1');
    expect(n1.effects.filter(({ type }) => type === 'persist')).toHaveLength(1);
    expect([n1.core.log.anchorIndex, n1.core.log.lastIndex, n1.disk.entries]).toEqual([40, 40, []]);
  });

  test('R-59 M-42 no page is handed out and no entry taken until it is in force', () => {
    const cluster = installing(repeat(1, 9), 1, [40, 1]);
    const n1 = cluster.node('n1');
    n1.effects.length = 0;
    cluster.inject('n2', 'n1', heartbeat(1, 9));
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [9, 1], terms: [1, 1], commit: 11 }));
    expect(n1.effects.map(({ type }) => type)).toEqual(['send']);
    expect(sentTo(n1, 'n2', 'heartbeatResponse')).toMatchObject([
      { lastIndex: 9, durableIndex: 9 },
    ]);
    expect(sentTo(n1, 'n2', 'appendResponse')).toEqual([]);
    n1.completeInstall(cluster.nowUs);
    expect([n1.core.log.lastIndex, n1.core.appliedIndex]).toEqual([40, 40]);
    expect(sentTo(n1, 'n2', 'snapshotResponse')).toEqual([installedAt(1, 40)]);
  });

  test('whoever installs campaigns neither by itself nor when it is asked to', () => {
    const cluster = installing(repeat(1, 9), 1, [40, 1]);
    const n1 = cluster.node('n1');
    cluster.tick(3 * E, ['n1']);
    cluster.inject('n2', 'n1', { type: 'timeoutNow', term: 1 });
    expect([n1.role, n1.term, answersOf(n1)]).toEqual(['follower', 1, []]);
    n1.completeInstall(cluster.nowUs);
    cluster.tick(3 * E, ['n1']);
    expect(n1.role).toBe('preCandidate');
  });

  test('it votes by the log before until the checkpoint is in force', () => {
    const cluster = installing(repeat(1, 9), 1, [40, 1]);
    const n1 = cluster.node('n1');
    n1.core.election.stickyUntilUs = 0;
    cluster.inject('n3', 'n1', voteRequest(2, [9, 1]));
    expect(answersOf(n1)).toEqual([{ type: 'voteResponse', term: 2, granted: true }]);
    n1.completeInstall(cluster.nowUs);
    // In a term that nobody asked in, nobody is answered.
    expect(sentTo(n1, 'n2', 'snapshotResponse')).toEqual([]);
    cluster.inject('n3', 'n1', voteRequest(3, [39, 1]));
    expect(answersOf(n1).at(-1)).toEqual({ type: 'voteResponse', term: 3, granted: false });
  });

  test('a candidate, or one that asks whether it could be, gives that up for it', () => {
    const cluster = follower(repeat(1, 9), 1);
    const n1 = cluster.node('n1');
    n1.automatic.pieces = false;
    transferTo(cluster, piecesOf(1, [40, 1]));
    cluster.tick(3 * E, ['n1']);
    expect(n1.role).toBe('preCandidate');
    while (n1.completePart(cluster.nowUs));
    expect([n1.role, n1.machine.index]).toEqual(['follower', 40]);
  });

  test('a leader discards what was still being stored when it was elected', () => {
    const cluster = follower(repeat(1, 50), 1);
    const n1 = cluster.node('n1');
    n1.automatic.pieces = false;
    transferTo(cluster, piecesOf(1, [40, 1]));
    cluster.elect('n1');
    n1.automatic.pieces = true;
    n1.completePart(cluster.nowUs);
    expect(snapshotEffects(n1).at(-1)).toBe('discardSnapshot');
    expect([n1.role, n1.checkpoints.installs, n1.core.snapshots.install]).toEqual([
      'leader',
      0,
      null,
    ]);
  });
});

test('R-61 a checkpoint that turns out to be broken changes nothing, and the next one is taken', () => {
  const cluster = laggard();
  const n1 = cluster.node('n1');
  const n3 = cluster.node('n3');
  n3.checkpoints.isRefusing = true;
  cluster.heal();
  cluster.run(4 * E);
  expect([n3.machine.index, n3.checkpoints.installs, n3.role]).toEqual([1, 0, 'follower']);
  expect(n1.effects.filter(({ type }) => type === 'sendSnapshot').length).toBeLessThan(45);
  n3.checkpoints.isRefusing = false;
  cluster.run(E);
  expect([n3.machine, n3.checkpoints.installs]).toEqual([n1.machine, 1]);
  expect(progressOf(cluster, 'n1', 'n3').state).toBe('replicate');
});
