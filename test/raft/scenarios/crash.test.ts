import { describe, expect, test } from 'vitest';
import { NO_ROUND } from '../../../src/raft/messages.ts';
import {
  CoreCluster,
  H,
  ackOf,
  appendOf,
  elected,
  exchange,
  heartbeat,
  refusalOf,
} from './scenario.ts';
import { sentTo } from './scenario.ts';

const OPERATIONS = ['slots', 'log'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Every order in which up to so many operations of the storage may complete. */
function ordersOf(length: number): Operation[][] {
  if (length === 0) return [[]];
  return [
    [],
    ...OPERATIONS.flatMap((first) => ordersOf(length - 1).map((rest) => [first, ...rest])),
  ];
}

/** Lets operations complete on the disk; the last one's report may get lost in the crash. */
function complete(
  cluster: CoreCluster,
  order: readonly Operation[],
  options: { nodeId: string; isLastReported: boolean },
): void {
  const node = cluster.node(options.nodeId);
  order.forEach((operation, at) => {
    const isReported = options.isLastReported || at < order.length - 1;
    if (operation === 'slots') {
      if (isReported) node.completeSlots(cluster.nowUs);
      else node.disk.writeRecord();
    } else if (isReported) node.completePersist(cluster.nowUs);
    else node.disk.writeBatch();
  });
}

const storms = ordersOf(4).flatMap((order) =>
  [true, false].map((isLastReported) => ({ order, isLastReported })),
);

describe('R-36 the term before the entries', () => {
  test('R-36 M-22 no crash leaves an entry of term 5 beside an older term, nor an empty promise', () => {
    const acked = new Set<boolean>();
    for (const { order, isLastReported } of storms) {
      const cluster = new CoreCluster({ logs: { n3: [1] } });
      const n3 = cluster.node('n3');
      Object.assign(n3.automatic, { persist: false, slots: false });
      cluster.inject('n1', 'n3', appendOf({ term: 5, prev: [1, 1], terms: [5] }));
      expect([n3.terms(), n3.sent]).toEqual([[1, 5], []]);
      complete(cluster, order, { nodeId: 'n3', isLastReported });
      const wasAcked = n3.sent.length > 0;
      if (wasAcked) expect(n3.sent).toEqual([{ to: 'n1', message: ackOf(5, 2) }]);
      acked.add(wasAcked);
      cluster.crash('n3');
      const hasEntry = n3.disk.termAt(2) === 5;
      expect(hasEntry && n3.disk.term < 5, order.join(' ')).toBe(false);
      if (wasAcked) expect([hasEntry, n3.disk.term]).toEqual([true, 5]);
      cluster.restart('n3');
      Object.assign(n3.automatic, { persist: true, slots: true });
      cluster.inject('n2', 'n3', appendOf({ term: 1, prev: [1, 1], terms: [1, 1] }));
      if (!wasAcked) continue;
      expect(n3.sent).toEqual([
        { to: 'n2', message: { ...refusalOf(5, 1, [0, 0]), round: NO_ROUND } },
      ]);
      expect(n3.terms()).toEqual([1, 5]);
    }
    expect(acked.size).toBe(2);
  });

  test('R-36 M-22 in one term an acknowledgement waits for the disk, and dies with its term', () => {
    const cluster = new CoreCluster({ logs: { n3: [1] } });
    const n3 = cluster.node('n3');
    n3.automatic.persist = false;
    cluster.inject('n1', 'n3', appendOf({ term: 1, prev: [1, 1], terms: [1] }));
    cluster.inject('n1', 'n3', appendOf({ term: 1, prev: [2, 1], terms: [1] }));
    expect(n3.sent).toEqual([]);
    cluster.completePersist('n3');
    expect(n3.sent).toEqual([{ to: 'n1', message: ackOf(1, 2) }]);
    cluster.inject('n2', 'n3', heartbeat(2));
    cluster.completePersist('n3');
    expect(n3.disk.lastIndex).toBe(3);
    expect(n3.sent.slice(1).map(({ to, message }) => [to, message.type])).toEqual([
      ['n2', 'heartbeatResponse'],
    ]);
  });
});

describe('R-42 a crash around an Append that overlaps', () => {
  test('R-42 M-19 never costs the entry that both already have', () => {
    for (const { order, isLastReported } of storms) {
      const logs = { n1: [1, 1, 1], n2: [1, 1] };
      const cluster = new CoreCluster({ logs, hard: { n2: { term: 1 } } });
      const n2 = cluster.node('n2');
      Object.assign(n2.automatic, { persist: false, slots: false });
      cluster.inject('n1', 'n2', appendOf({ term: 1, prev: [1, 1], terms: [1, 1], commit: 2 }));
      expect(n2.disk.batches).toEqual([
        expect.objectContaining({ truncateFrom: null, lastIndex: 3 }),
      ]);
      expect(n2.disk.batches[0]?.entries.map((entry) => entry.index)).toEqual([3]);
      expect(n2.disk.lastIndex).toBe(2);
      complete(cluster, order, { nodeId: 'n2', isLastReported });
      cluster.crash('n2');
      expect(n2.disk.termAt(2)).toBe(1);
      cluster.restart('n2');
      expect(n2.terms().slice(0, 2)).toEqual([1, 1]);
    }
  });

  test('R-42 cut and append are one batch, so no crash falls between them', () => {
    for (const isWritten of [false, true]) {
      const logs = { n2: [1, 1, 2, 2] };
      const cluster = new CoreCluster({ logs, hard: { n2: { term: 3 } } });
      const n2 = cluster.node('n2');
      n2.automatic.persist = false;
      cluster.inject('n1', 'n2', appendOf({ term: 3, prev: [1, 1], terms: [1, 3] }));
      expect(n2.disk.batches.map((batch) => [batch.truncateFrom, batch.lastIndex])).toEqual([
        [3, 3],
      ]);
      if (isWritten) n2.disk.writeBatch();
      cluster.crash('n2');
      cluster.restart('n2');
      expect(n2.terms()).toEqual(isWritten ? [1, 1, 3] : [1, 1, 2, 2]);
    }
  });
});

test('R-42 M-22 what was acknowledged to a client survives any one crash of every node', () => {
  for (const dead of ['n1', 'n2', 'n3']) {
    const cluster = elected();
    cluster.node('n3').automatic.persist = false;
    cluster.propose('n1', 'a');
    exchange(cluster, 'n1', 'n3');
    expect(sentTo(cluster.node('n3'), 'n1', 'appendResponse').at(-1)?.matchIndex).toBe(1);
    expect(cluster.node('n1').core.commitIndex).toBe(1);
    exchange(cluster, 'n1', 'n2');
    expect(cluster.node('n1').core.commitIndex).toBe(2);
    for (const nodeId of cluster.nodes.keys()) cluster.crash(nodeId);
    cluster.dropAll();
    for (const nodeId of cluster.nodes.keys()) if (nodeId !== dead) cluster.restart(nodeId);
    cluster.node('n3').automatic.persist = true;
    cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true);
    cluster.run(2 * H);
    expect(cluster.leader()?.terms().slice(0, 2)).toEqual([1, 1]);
  }
});
