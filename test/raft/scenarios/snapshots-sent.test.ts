import { describe, expect, test } from 'vitest';
import { E, H, ackOf, deliverLink, elected, progressOf, runWatching, sentTo } from './scenario.ts';
import { installedAt, laggard, snapshotEffects } from './snapshots.ts';
import type { CoreCluster } from './scenario.ts';

function transferOf(cluster: CoreCluster): number {
  return progressOf(cluster, 'n1', 'n3').transfer;
}

/** n1 has begun a transfer to n3, of which nothing arrives by itself. */
function sending(trailing = 0): CoreCluster {
  const cluster = laggard(trailing);
  cluster.node('n1').automatic.pieces = false;
  cluster.heal();
  cluster.run(4 * H);
  expect(progressOf(cluster, 'n1', 'n3').state).toBe('snapshot');
  cluster.node('n1').effects.length = 0;
  return cluster;
}

describe('R-53 a follower behind the compacted part', () => {
  test('R-53 gets nothing while it is silent, the checkpoint when it answers, then the log', () => {
    const cluster = laggard();
    const n1 = cluster.node('n1');
    cluster.run(2 * E);
    cluster.step('n1', { type: 'link', peer: 'n3', state: 'down' });
    cluster.run(2 * E);
    expect(snapshotEffects(n1)).toEqual([]);
    cluster.heal();
    cluster.run(4 * H);
    expect(snapshotEffects(n1).at(0)).toBe('sendSnapshot');
    expect(snapshotEffects(n1).at(-1)).toBe('endSnapshot');
    const progress = progressOf(cluster, 'n1', 'n3');
    expect([progress.state, progress.matchIndex]).toEqual(['replicate', 11]);
    cluster.propose('n1', 'next');
    cluster.run(H);
    const n3 = cluster.node('n3');
    expect(n3.machine).toEqual(n1.machine);
    expect([n3.checkpoints.installs, n3.machine.index]).toEqual([1, 12]);
  });

  test('R-53 when its window was full and lost', () => {
    const cluster = laggard(0, { settings: { inflightAppendsMax: 2 } });
    // What it needs next was compacted: no question has to be asked.
    expect(progressOf(cluster, 'n1', 'n3').next).toBeLessThan(11);
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('snapshot');
    cluster.heal();
    cluster.run(2 * E);
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('replicate');
    expect(cluster.node('n3').machine).toEqual(cluster.node('n1').machine);
  });

  test('R-53 not while it is silent, although it is known what it needs', () => {
    const cluster = elected({ settings: { inflightAppendsMax: 2 } });
    const n1 = cluster.node('n1');
    cluster.isolate('n3');
    for (let count = 0; count < 5; count++) {
      cluster.propose('n1', 'missed');
      cluster.deliverAll();
    }
    cluster.run(2 * E);
    expect(n1.checkpoint(0, cluster.nowUs)).toBe(true);
    cluster.run(E);
    expect(progressOf(cluster, 'n1', 'n3').next).toBeLessThan(n1.core.log.anchorIndex);
    expect(snapshotEffects(n1)).toEqual([]);
    cluster.heal();
    cluster.run(2 * E);
    expect(cluster.node('n3').machine).toEqual(n1.machine);
  });

  test('R-53 a refusal that points below the compacted part is not asked about again', () => {
    const cluster = laggard(5);
    const n2 = cluster.node('n2');
    n2.checkpoint(5, cluster.nowUs);
    cluster.elect('n2');
    n2.automatic.pieces = false;
    n2.sent.length = 0;
    cluster.heal();
    cluster.run(4 * H);
    expect(progressOf(cluster, 'n2', 'n3').state).toBe('snapshot');
    expect(sentTo(n2, 'n3', 'append').map(({ prevIndex }) => prevIndex)).toEqual([11]);
  });

  test('that needs nothing which was compacted gets the log', () => {
    const cluster = laggard(10);
    cluster.heal();
    cluster.run(4 * H);
    expect(snapshotEffects(cluster.node('n1'))).toEqual([]);
    expect(cluster.node('n3').machine).toEqual(cluster.node('n1').machine);
  });

  test('no Append leaves for it, and heartbeats do', () => {
    const cluster = sending();
    const n1 = cluster.node('n1');
    n1.sent.length = 0;
    cluster.propose('n1', 'more');
    cluster.run(2 * H);
    expect(sentTo(n1, 'n3', 'append')).toEqual([]);
    expect(sentTo(n1, 'n3', 'heartbeat').length).toBeGreaterThan(0);
    expect(n1.core.commitIndex).toBe(12);
  });
});

test('R-54 a checkpoint that ends with the last entry: replicating, although nothing is to send', () => {
  const cluster = laggard();
  cluster.heal();
  cluster.run(4 * H);
  const progress = progressOf(cluster, 'n1', 'n3');
  expect([progress.state, progress.matchIndex, progress.next]).toEqual(['replicate', 11, 12]);
  expect(cluster.node('n3').core.log.anchorIndex).toBe(11);
});

describe('R-55 an acknowledgement while the checkpoint is on its way', () => {
  test('R-55 that joins the log ends the transfer, and the log goes on from there', () => {
    // The log has entries 11 only; the checkpoint ends with it.
    const cluster = sending(1);
    const n1 = cluster.node('n1');
    n1.sent.length = 0;
    const piece = n1.checkpoints.nextPiece();
    cluster.inject('n3', 'n1', ackOf(1, 10));
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('replicate');
    // What the host had read already goes nowhere.
    if (piece !== null) cluster.step('n1', piece);
    expect([piece?.type, sentTo(n1, 'n3', 'snapshotPart')]).toEqual(['snapshotPart', []]);
    expect(sentTo(n1, 'n3', 'append').map(({ prevIndex }) => prevIndex)).toEqual([10]);
    expect(snapshotEffects(n1)).toEqual(['endSnapshot']);
  });

  test('R-55 that ends below the log changes nothing', () => {
    const cluster = sending(1);
    cluster.inject('n3', 'n1', ackOf(1, 9));
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('snapshot');
    expect(snapshotEffects(cluster.node('n1'))).toEqual([]);
  });

  test('R-55 from whichever transfer it came', () => {
    const cluster = sending();
    cluster.inject('n3', 'n1', installedAt(1, 11, 77));
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('replicate');
    expect(snapshotEffects(cluster.node('n1'))).toEqual(['endSnapshot']);
  });

  test('R-55 a refusal of an Append says nothing then', () => {
    const cluster = sending();
    const late = { ok: false, matchIndex: 0, rejectedPrev: 11, hintIndex: 1, hintTerm: 1 };
    cluster.inject('n3', 'n1', { type: 'appendResponse', term: 1, ...late, round: 1 });
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('snapshot');
  });
});

test('R-59 a checkpoint that lies below the log already when it is in force is followed by another', () => {
  const cluster = laggard();
  const n1 = cluster.node('n1');
  const n3 = cluster.node('n3');
  n1.checkpoints.isPinning = false;
  n3.automatic.install = false;
  cluster.heal();
  cluster.run(4 * H);
  const first = transferOf(cluster);
  cluster.propose('n1', 'later');
  cluster.deliverAll();
  expect(n1.checkpoint(0, cluster.nowUs)).toBe(true);
  n3.automatic.install = true;
  expect(n3.completeInstall(cluster.nowUs)).toBe(true);
  expect(n3.machine.index).toBe(11);
  cluster.deliverAll();
  const second = n1.effects.flatMap((effect) =>
    effect.type === 'sendSnapshot' ? [effect.transfer] : [],
  );
  expect(second).toEqual([first, first + 1]);
  cluster.run(4 * H);
  expect([n3.machine.index, n3.checkpoints.installs]).toEqual([12, 2]);
  expect(progressOf(cluster, 'n1', 'n3').state).toBe('replicate');
});

describe('a transfer that fails', () => {
  const ends = [
    ['is refused', { type: 'message' }],
    ['is given up by the host', { type: 'snapshotAborted' }],
  ] as const;
  for (const [what, { type }] of ends) {
    test(`R-61 that ${what} is tried again, an interval later and after an answer`, () => {
      const cluster = sending();
      const n1 = cluster.node('n1');
      const transfer = transferOf(cluster);
      const refused = { ...installedAt(1, 0, transfer), status: 'refused' } as const;
      if (type === 'message') cluster.inject('n3', 'n1', refused);
      else cluster.step('n1', { type, to: 'n3', transfer });
      expect(snapshotEffects(n1).at(-1)).toBe('endSnapshot');
      expect(progressOf(cluster, 'n1', 'n3').state).toBe('probe');
      // Rounds that reads begin are answered much sooner.
      n1.sent.length = 0;
      for (let id = 1; id <= 5; id++) {
        cluster.step('n1', { type: 'read', id });
        cluster.deliverAll();
      }
      expect(sentTo(n1, 'n3', 'append')).toEqual([]);
      cluster.run(3 * H);
      expect(transferOf(cluster)).toBe(transfer + 1);
      expect(progressOf(cluster, 'n1', 'n3').state).toBe('snapshot');
    });
  }

  test('is not ended by a lost connection, but goes on over the next one', () => {
    const cluster = sending();
    cluster.step('n1', { type: 'link', peer: 'n3', state: 'down' });
    cluster.step('n1', { type: 'link', peer: 'n3', state: 'up' });
    expect(progressOf(cluster, 'n1', 'n3').state).toBe('snapshot');
    expect(snapshotEffects(cluster.node('n1'))).toEqual([]);
  });

  test('ends with the office of its leader, whose later pieces go nowhere', () => {
    const cluster = sending();
    const n1 = cluster.node('n1');
    const transfer = transferOf(cluster);
    const piece = n1.checkpoints.nextPiece();
    expect(piece?.type).toBe('snapshotPart');
    cluster.step('n1', { type: 'stepDown' });
    const end = { type: 'endSnapshot', to: 'n3', transfer };
    expect(n1.effects.filter(({ type }) => type === 'endSnapshot')).toEqual([end]);
    n1.sent.length = 0;
    if (piece !== null) cluster.step('n1', piece);
    expect(sentTo(n1, 'n3', 'snapshotPart')).toEqual([]);
  });

  test('ends when a higher term comes', () => {
    const cluster = sending();
    cluster.inject('n2', 'n1', { type: 'heartbeat', term: 9, commit: 0, round: 1 });
    expect(snapshotEffects(cluster.node('n1'))).toEqual(['endSnapshot']);
  });
});

test('transfers of two lives of a node in one term have different numbers', () => {
  const cluster = sending();
  const { lastTransfer } = cluster.node('n1').core.snapshots;
  cluster.crash('n1');
  cluster.restart('n1');
  expect(cluster.node('n1').core.snapshots.lastTransfer).not.toBe(lastTransfer - 1);
});

describe('R-63 a transfer that takes its time', () => {
  test('R-63 stops neither heartbeats nor commits, and nobody campaigns', () => {
    const cluster = laggard();
    const n1 = cluster.node('n1');
    const n3 = cluster.node('n3');
    n3.automatic.pieces = false;
    cluster.heal();
    cluster.run(4 * H);
    for (let count = 0; count < 5; count++) {
      runWatching(cluster, E, () => {
        expect([n1.role, n3.role, n3.term]).toEqual(['leader', 'follower', 1]);
      });
      cluster.propose('n1', `meanwhile ${count}`);
      cluster.deliverAll();
      expect(n1.core.commitIndex).toBe(12 + count);
      n3.completePart(cluster.nowUs);
    }
    n3.automatic.pieces = true;
    cluster.run(2 * E);
    expect(n3.machine).toEqual(n1.machine);
    expect(n3.checkpoints.installs).toBe(1);
  });

  test('R-63 each piece is leader contact, and each answer counts for the quorum', () => {
    const cluster = laggard();
    const n1 = cluster.node('n1');
    const n3 = cluster.node('n3');
    n3.automatic.pieces = false;
    cluster.heal();
    cluster.run(4 * H);
    cluster.isolate('n2');
    // From now on nothing but pieces and their answers passes.
    for (let step = 0; step < 4; step++) {
      cluster.tick(0.8 * E, ['n1', 'n3']);
      keepOnly(cluster, 'n1', 'n3', 'snapshotPart');
      n1.checkpoints.repeatAfter(0, cluster.nowUs);
      cluster.step('n1', n1.checkpoints.nextPiece() ?? { type: 'tick' });
      keepOnly(cluster, 'n1', 'n3', 'snapshotPart');
      deliverLink(cluster, 'n1', 'n3');
      n3.completePart(cluster.nowUs);
      keepOnly(cluster, 'n3', 'n1', 'snapshotResponse');
      deliverLink(cluster, 'n3', 'n1');
      expect([n1.role, n3.role, n3.term]).toEqual(['leader', 'follower', 1]);
    }
  });
});

/** Loses what is on its way there and of another type. */
function keepOnly(cluster: CoreCluster, from: string, to: string, type: string): void {
  for (let at = cluster.link(from, to).length - 1; at >= 0; at--) {
    if (cluster.link(from, to)[at]?.type !== type) cluster.drop(from, to, at);
  }
}
