import { describe, expect, test } from 'vitest';
import { ackOf, appendOf, heartbeat, repeat, sentTo } from './scenario.ts';
import { answersOf, follower, installedAt, piecesOf, pointAt } from './snapshots.ts';
import { snapshotEffects, transferTo } from './snapshots.ts';

describe('R-29 an Append that begins in the compacted part', () => {
  test('R-29 M-23 is no conflict for a log that was compacted while it ran', () => {
    const cluster = follower([], 1);
    const n1 = cluster.node('n1');
    const first = appendOf({ term: 1, prev: [0, 0], terms: repeat(1, 10), commit: 10 });
    cluster.inject('n2', 'n1', first);
    expect(n1.checkpoint(2, cluster.nowUs)).toBe(true);
    expect(n1.core.log.anchorIndex).toBe(8);
    n1.sent.length = 0;
    const wide = appendOf({ term: 1, prev: [3, 1], terms: repeat(1, 9), commit: 10 });
    cluster.inject('n2', 'n1', wide);
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [2, 1], terms: repeat(1, 3) }));
    expect(answersOf(n1)).toEqual([ackOf(1, 12), ackOf(1, 10)]);
    expect([n1.terms(), n1.disk.lastIndex]).toEqual([repeat(1, 4), 12]);
  });

  test('R-29 M-23 and joins a log that is only a checkpoint', () => {
    const cluster = follower([], 1);
    const n1 = cluster.node('n1');
    transferTo(cluster, piecesOf(1, [10, 1]));
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [10, 1], terms: [1] }));
    expect(n1.sent.at(-1)?.message).toEqual(ackOf(1, 11));
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [9, 1], terms: [1, 1, 1] }));
    expect(n1.sent.at(-1)?.message).toEqual(ackOf(1, 12));
  });
});

describe('R-56 what a log already has', () => {
  test('R-56 a checkpoint below the commit index is ignored, and answered with that', () => {
    const cluster = follower(repeat(1, 50), 1);
    const n1 = cluster.node('n1');
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [30, 1], commit: 30 }));
    n1.sent.length = 0;
    n1.effects.length = 0;
    transferTo(cluster, piecesOf(1, [20, 1]).slice(0, 1));
    expect(answersOf(n1)).toEqual([installedAt(1, 30)]);
    expect(n1.effects.map(({ type }) => type)).toEqual(['send']);
  });

  test('R-56 INV-8 but only when that much is on disk', () => {
    const cluster = follower([], 1);
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    const append = appendOf({ term: 1, prev: [0, 0], terms: repeat(1, 9), commit: 9 });
    cluster.inject('n2', 'n1', append);
    transferTo(cluster, piecesOf(1, [5, 1]).slice(0, 1));
    expect(answersOf(n1)).toEqual([]);
    cluster.completePersist('n1');
    expect(answersOf(n1)).toEqual([installedAt(1, 9)]);
  });

  test('R-56 M-40 a log that holds the last entry keeps what comes after it', () => {
    const cluster = follower(repeat(1, 50), 1);
    const n1 = cluster.node('n1');
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [30, 1], commit: 30 }));
    n1.sent.length = 0;
    transferTo(cluster, piecesOf(1, [40, 1]));
    const { commitIndex, appliedIndex, log } = n1.core;
    expect([commitIndex, appliedIndex, log.anchorIndex, log.lastIndex]).toEqual([40, 40, 40, 50]);
    expect([n1.disk.anchor.index, n1.disk.lastIndex]).toEqual([40, 50]);
    expect(answersOf(n1).at(-1)).toEqual(installedAt(1, 40));
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [50, 1], commit: 50 }));
    expect([n1.machine.index, n1.core.appliedIndex]).toEqual([50, 50]);
  });

  test('R-56 INV-9 what is committed meanwhile stays committed', () => {
    const cluster = follower(repeat(1, 50), 1);
    const n1 = cluster.node('n1');
    n1.automatic.install = false;
    transferTo(cluster, piecesOf(1, [40, 1]));
    cluster.inject('n2', 'n1', heartbeat(1, 45));
    expect([n1.core.commitIndex, n1.core.appliedIndex]).toEqual([45, 0]);
    n1.completeInstall(cluster.nowUs);
    expect([n1.core.commitIndex, n1.core.appliedIndex, n1.machine.index]).toEqual([45, 45, 45]);
  });

  test('R-56 what only memory holds is written first, so that the disk agrees as well', () => {
    const cluster = follower(repeat(1, 20), 3);
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    // The disk still has 11..20 of term 1 when the checkpoint comes.
    const append = appendOf({ term: 3, prev: [10, 1], terms: repeat(3, 6) });
    cluster.inject('n2', 'n1', append);
    cluster.completePersist('n1');
    cluster.inject('n2', 'n1', appendOf({ term: 3, prev: [16, 3], terms: [3, 3] }));
    const next = appendOf({ term: 3, prev: [18, 3], terms: [3] });
    cluster.inject('n2', 'n1', next);
    transferTo(cluster, piecesOf(3, [19, 3]));
    expect(snapshotEffects(n1)).not.toContain('installSnapshot');
    cluster.completePersist('n1');
    expect(snapshotEffects(n1)).not.toContain('installSnapshot');
    cluster.completePersist('n1');
    expect(snapshotEffects(n1)).toContain('installSnapshot');
    expect([n1.core.log.anchorIndex, n1.disk.lastIndex]).toEqual([19, 19]);
    expect(answersOf(n1).at(-1)).toEqual(installedAt(3, 19));
  });

  test('R-56 when commits get there first, it is discarded', () => {
    const cluster = follower(repeat(1, 50), 1);
    const n1 = cluster.node('n1');
    n1.automatic.apply = false;
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [30, 1], commit: 30 }));
    transferTo(cluster, piecesOf(1, [40, 1]));
    n1.sent.length = 0;
    cluster.inject('n2', 'n1', heartbeat(1, 45));
    expect(snapshotEffects(n1).slice(-2)).toEqual(['storePart', 'discardSnapshot']);
    expect(sentTo(n1, 'n2', 'snapshotResponse')).toEqual([installedAt(1, 45)]);
    n1.automatic.apply = true;
    n1.completeApply(cluster.nowUs);
    expect([n1.machine.index, n1.checkpoints.installs]).toEqual([45, 0]);
  });
});

describe('R-57 a log that does not hold the last entry goes as a whole', () => {
  // 1..10 of term 1 are committed nowhere else than below; 11..30 of term 2 never were.
  const conflicting = [...repeat(1, 10), ...repeat(2, 20)];
  const steps = ['before the last piece', 'when it is complete', 'when it is on disk', 'after'];
  for (const step of steps) {
    test(`R-57 M-40 INV-3 INV-10 also after a crash ${step}`, () => {
      const cluster = follower(conflicting, 4);
      const n1 = cluster.node('n1');
      n1.automatic.install = false;
      const pieces = piecesOf(4, [20, 4]);
      transferTo(cluster, step === steps[0] ? pieces.slice(0, -1) : pieces);
      if (step === steps[2]) n1.checkpoints.install();
      if (step === steps[3]) n1.completeInstall(cluster.nowUs);
      cluster.crash('n1');
      cluster.restart('n1');
      const isInstalled = step === steps[2] || step === steps[3];
      expect(n1.terms()).toEqual(isInstalled ? [] : conflicting);
      expect(n1.core.appliedIndex).toBe(isInstalled ? 20 : 0);
      n1.automatic.install = true;
      transferTo(cluster, piecesOf(4, [20, 4], 2));
      expect([n1.core.log.anchorIndex, n1.core.log.lastIndex]).toEqual([20, 20]);
      cluster.inject('n2', 'n1', appendOf({ term: 4, prev: [20, 4], terms: [4, 4], commit: 22 }));
      expect([n1.terms(), n1.machine.index]).toEqual([[4, 4], 22]);
      cluster.crash('n1');
      cluster.restart('n1');
      expect([n1.terms(), n1.disk.anchor]).toEqual([[4, 4], { index: 20, term: 4 }]);
    });
  }

  test('R-57 M-40 nothing of it is in force, known or counted afterwards', () => {
    const cluster = follower(conflicting, 4);
    const n1 = cluster.node('n1');
    transferTo(cluster, piecesOf(4, [20, 4]));
    const { log, writes, configurations } = n1.core;
    expect([log.lastIndex, log.lastTerm, log.firstInMemory]).toEqual([20, 4, 21]);
    expect([writes.durableIndex, writes.submittedIndex]).toEqual([20, 20]);
    expect([n1.disk.anchor.index, n1.disk.entries]).toEqual([20, []]);
    expect(configurations.list()).toEqual([{ index: 7, config: pointAt([20, 4]).config }]);
    n1.sent.length = 0;
    cluster.inject('n3', 'n1', appendOf({ term: 4, prev: [25, 2], terms: [4] }));
    expect(n1.sent.at(-1)?.message).toMatchObject({ ok: false, hintIndex: 20, hintTerm: 4 });
  });

  test('INV-5 one that contradicts what is committed stops the node', () => {
    for (const pieces of [piecesOf(4, [20, 4]), piecesOf(4, [30, 3])]) {
      const cluster = follower(conflicting, 4);
      const n1 = cluster.node('n1');
      cluster.inject('n2', 'n1', appendOf({ term: 4, prev: [30, 2], commit: 30 }));
      transferTo(cluster, pieces.slice(0, 1));
      expect(n1.effects.at(-1)).toMatchObject({ type: 'fatal', code: 'LOG_CONFLICT' });
    }
  });
});
