import { describe, expect, test } from 'vitest';
import type { ClusterConfig } from '../../../src/raft/config.ts';
import { CoreCluster, H, ackOf, appendOf, configOf, elected, entriesOf } from './scenario.ts';
import { exchange, heartbeat, messagesIn, progressOf, refusalOf, repeat } from './scenario.ts';
import { sentTo } from './scenario.ts';

describe('R-27 the conflict table', () => {
  const joins = [
    { prev: [2, 2], terms: [3], log: [1, 2, 3], match: 3 },
    { prev: [1, 1], terms: [3, 4], log: [1, 3, 4], match: 3 },
    { prev: [0, 0], terms: [1], log: [1, 2], match: 1 },
    { prev: [0, 0], terms: [3], log: [3], match: 1 },
    { prev: [1, 1], terms: [2], log: [1, 2], match: 2 },
    { prev: [1, 1], terms: [], log: [1, 2], match: 1 },
  ] as const;
  for (const { prev, terms, log, match } of joins) {
    const what = `(${prev.join(', ')}) [${terms.join(' ')}]`;
    test(`R-27 M-20 M-21 [1 2] with ${what} is [${log.join(' ')}], acked to ${match}`, () => {
      const cluster = new CoreCluster({ logs: { n1: [1, 2] }, hard: { n1: { term: 4 } } });
      cluster.inject('n2', 'n1', appendOf({ term: 4, prev, terms }));
      const n1 = cluster.node('n1');
      expect(n1.terms()).toEqual(log);
      expect(n1.disk.entries.map((entry) => entry.term)).toEqual(log);
      expect(n1.sent).toEqual([{ to: 'n2', message: ackOf(4, match) }]);
    });
  }

  const refusals = [
    { prev: [3, 3], hint: [2, 2] },
    { prev: [2, 3], hint: [2, 2] },
    { prev: [2, 1], hint: [1, 1] },
    { prev: [9, 1], hint: [1, 1] },
  ] as const;
  for (const { prev, hint } of refusals) {
    test(`R-27 [1 2] refuses (${prev.join(', ')}) and points at (${hint.join(', ')})`, () => {
      const cluster = new CoreCluster({ logs: { n1: [1, 2] }, hard: { n1: { term: 4 } } });
      cluster.inject('n2', 'n1', appendOf({ term: 4, prev, terms: [4] }));
      const n1 = cluster.node('n1');
      expect(n1.sent).toEqual([{ to: 'n2', message: refusalOf(4, prev[0], hint) }]);
      expect(n1.terms()).toEqual([1, 2]);
      expect(n1.effects.filter(({ type }) => type === 'persist')).toEqual([]);
    });
  }
});

test('R-28 M-19 a delayed, shorter Append cuts nothing, undoes no configuration, writes nothing', () => {
  const cluster = new CoreCluster({ hard: { n1: { term: 1 } } });
  const n1 = cluster.node('n1');
  const config: ClusterConfig = configOf(['n1', 'n2', 'n3'], { learners: ['n4'] });
  const full = appendOf({ term: 1, prev: [0, 0], terms: repeat(1, 10) });
  const entries = full.entries.map((entry) =>
    entry.index === 8 ? { ...entry, type: 'config' as const, config } : entry,
  );
  cluster.inject('n2', 'n1', { ...full, entries });
  n1.effects.length = 0;
  const late = appendOf({ term: 1, prev: [3, 1], terms: [1, 1] });
  expect(messagesIn(cluster.inject('n2', 'n1', late))).toEqual([ackOf(1, 5)]);
  expect([n1.terms(), n1.disk.lastIndex]).toEqual([repeat(1, 10), 10]);
  expect(n1.raft.status().config).toBe(config);
  expect(n1.effects.map(({ type }) => type)).toEqual(['send']);
});

describe('R-29 M-23 an Append from below the commit index', () => {
  /** n1 knows nothing below 100, which is covered by what it started from; its log is 101..110. */
  function startedAt100(): CoreCluster {
    return new CoreCluster({ origin: 100, logs: { n1: repeat(1, 10) }, hard: { n1: { term: 1 } } });
  }

  test('R-29 M-23 is no conflict: nothing is lost, and what is new is taken', () => {
    const cluster = startedAt100();
    const n1 = cluster.node('n1');
    const wide = appendOf({ term: 1, prev: [80, 1], terms: repeat(1, 40) });
    cluster.inject('n2', 'n1', wide);
    expect(n1.sent).toEqual([{ to: 'n2', message: ackOf(1, 120) }]);
    expect([n1.terms(), n1.core.log.anchorIndex]).toEqual([repeat(1, 20), 100]);
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [120, 1], terms: [1] }));
    expect(n1.sent.at(-1)).toEqual({ to: 'n2', message: ackOf(1, 121) });
  });

  test('R-29 M-23 that ends below it is acknowledged up to it, and changes nothing', () => {
    const cluster = startedAt100();
    const n1 = cluster.node('n1');
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [80, 1], terms: repeat(1, 15) }));
    expect(n1.sent).toEqual([{ to: 'n2', message: ackOf(1, 100) }]);
    expect(n1.terms()).toEqual(repeat(1, 10));
    expect(n1.effects.filter(({ type }) => type === 'persist')).toEqual([]);
  });

  test('R-29 the leader goes on from the acknowledgement', () => {
    const logs = { n1: repeat(1, 10), n2: repeat(1, 10), n3: repeat(1, 10) };
    const cluster = elected({ origin: 100, logs });
    cluster.cut('n1', 'n2');
    cluster.propose('n1', 'a');
    cluster.deliverAll();
    cluster.heal();
    cluster.inject('n1', 'n2', appendOf({ term: 2, prev: [80, 1], terms: repeat(1, 15) }));
    expect(cluster.link('n2', 'n1')).toEqual([ackOf(2, 111)]);
    cluster.run(2 * H);
    expect(progressOf(cluster, 'n1', 'n2').matchIndex).toBe(112);
    expect(cluster.node('n2').terms()).toEqual([...repeat(1, 10), 2, 2]);
  });
});

test('R-30 M-17 an empty Append commits what it compared, not what lies behind it', () => {
  const theirs = [...repeat(1, 9), 2, 2];
  const cluster = new CoreCluster({
    logs: { n1: repeat(1, 10), n2: theirs, n3: theirs },
    hard: { n1: { term: 2 } },
  });
  const n1 = cluster.node('n1');
  cluster.inject('n2', 'n1', appendOf({ term: 2, prev: [9, 1], commit: 11 }));
  expect([n1.core.commitIndex, n1.applied.length]).toEqual([9, 9]);
  expect(n1.sent).toEqual([{ to: 'n2', message: ackOf(2, 9) }]);
  cluster.inject('n2', 'n1', appendOf({ term: 2, prev: [9, 1], terms: [2, 2], commit: 11 }));
  expect([n1.core.commitIndex, n1.terms()]).toEqual([11, theirs]);
});

test('R-31 M-18 a heartbeat tells a follower of no more than it was seen to have', () => {
  const ours = [...repeat(1, 5), ...repeat(3, 14)];
  const divergent = [...repeat(1, 5), ...repeat(2, 7)];
  const cluster = new CoreCluster({
    logs: { n1: ours, n2: ours, n3: divergent },
    hard: { n3: { term: 3 } },
    tailCount: 2,
  });
  cluster.isolate('n3');
  cluster.elect('n1');
  cluster.run(H);
  const [n1, n3] = [cluster.node('n1'), cluster.node('n3')];
  expect(n1.core.commitIndex).toBe(20);
  // The leader finds the place where the logs part; what comes behind it is still on its disk.
  n1.automatic.load = false;
  cluster.heal();
  cluster.run(3 * H);
  expect(progressOf(cluster, 'n1', 'n3')).toMatchObject({ matchIndex: 5, state: 'replicate' });
  expect(n3.terms()).toEqual(divergent);
  n1.sent.length = 0;
  cluster.run(H);
  expect(sentTo(n1, 'n3', 'heartbeat').map((beat) => beat.commit)).toEqual([5]);
  expect(n3.core.commitIndex).toBe(5);
  while (n1.completeLoad(cluster.nowUs));
  n1.automatic.load = true;
  exchange(cluster, 'n1', 'n3');
  cluster.tick(H);
  cluster.deliver('n1', 'n3');
  cluster.deliverAll();
  expect([n3.core.commitIndex, n3.terms()]).toEqual([20, n1.terms()]);
});

test('R-31 a follower that is told of more than it has stops: it lost its log', () => {
  const cluster = new CoreCluster({ logs: { n1: [1, 1] } });
  expect(cluster.inject('n2', 'n1', heartbeat(1, 3))).toEqual([
    expect.objectContaining({ type: 'fatal', code: 'LOG_LOST' }),
  ]);
  expect(cluster.step('n1', { type: 'tick' })).toEqual([]);
});

test('R-43 M-20 nothing of a longer tail outlives the shorter one that replaced it', () => {
  const cluster = new CoreCluster({ logs: { n1: [1, 1, 1, 2, 2] }, hard: { n1: { term: 2 } } });
  const n1 = cluster.node('n1');
  cluster.inject('n2', 'n1', appendOf({ term: 3, prev: [3, 1], terms: [3] }));
  expect(n1.effects).toContainEqual(
    expect.objectContaining({ type: 'persist', truncateFrom: 4, lastIndex: 4, lastTerm: 3 }),
  );
  cluster.crash('n1');
  cluster.restart('n1');
  expect([n1.terms(), n1.core.log.lastIndex]).toEqual([[1, 1, 1, 3], 4]);
  expect(n1.disk.entries.map(({ index, term }) => [index, term])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 3],
  ]);
});

test('R-27 an Append that contradicts what is committed stops the node', () => {
  const logs = { n1: [1, 1], n2: [1, 1], n3: [1, 1] };
  const cluster = new CoreCluster({ logs });
  cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [2, 1], commit: 2 }));
  const contradiction = { ...appendOf({ term: 2, prev: [0, 0] }), entries: entriesOf([1, 2]) };
  expect(cluster.inject('n2', 'n1', contradiction)).toEqual([
    expect.objectContaining({ type: 'fatal', code: 'LOG_CONFLICT' }),
  ]);
});
