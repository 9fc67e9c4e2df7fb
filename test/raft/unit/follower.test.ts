import { describe, expect, test } from 'vitest';
import type { Append, RaftMessage } from '../../../src/raft/messages.ts';
import { CoreCluster, entriesOf } from './harness.ts';
import type { RaftEffect } from '../../../src/raft/events.ts';

interface AppendOptions {
  readonly term: number;
  readonly prev: readonly [number, number];
  readonly terms?: readonly number[];
  readonly commit?: number;
}

function appendOf({ term, prev, terms = [], commit = 0 }: AppendOptions): Append {
  const [prevIndex, prevTerm] = prev;
  const entries = entriesOf(terms, prevIndex).map((entry, at) =>
    at === 0 ? { ...entry, prevTerm } : entry,
  );
  return { type: 'append', term, prevIndex, prevTerm, entries, commit, round: 1 };
}

function followerWith(terms: readonly number[], term = 3): CoreCluster {
  return new CoreCluster({ logs: { n1: terms }, hard: { n1: { term } }, isObserved: false });
}

function answers(effects: readonly RaftEffect[]): RaftMessage[] {
  return effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
}

const ok = (matchIndex: number): object => ({ type: 'appendResponse', ok: true, matchIndex });

describe('R-27 the conflict table', () => {
  const cases = [
    { prev: [2, 2], terms: [3], log: [1, 2, 3], match: 3 },
    { prev: [1, 1], terms: [3, 4], log: [1, 3, 4], match: 3 },
    { prev: [0, 0], terms: [1], log: [1, 2], match: 1 },
    { prev: [0, 0], terms: [3], log: [3], match: 1 },
  ] as const;
  for (const { prev, terms, log, match } of cases) {
    const name = `prev ${prev.join('/')} [${terms.join(' ')}] give [${log.join(' ')}]`;
    test(`R-27 [1 2] and ${name}`, () => {
      const cluster = followerWith([1, 2], 4);
      cluster.inject('n2', 'n1', appendOf({ term: 4, prev, terms }));
      const n1 = cluster.node('n1');
      expect(n1.terms()).toEqual(log);
      expect(n1.disk.entries.map((entry) => entry.term)).toEqual(log);
      expect(n1.sent.map(({ message }) => message)).toEqual([expect.objectContaining(ok(match))]);
    });
  }

  test('R-27 what does not join is refused with a place to look', () => {
    const cluster = followerWith([1, 2]);
    const hint = (prev: readonly [number, number]): RaftMessage[] =>
      answers(cluster.inject('n2', 'n1', appendOf({ term: 3, prev, terms: [3] })));
    expect(hint([3, 3])).toEqual([
      expect.objectContaining({ ok: false, rejectedPrev: 3, hintIndex: 2, hintTerm: 2 }),
    ]);
    expect(hint([2, 3])).toEqual([expect.objectContaining({ hintIndex: 2, hintTerm: 2 })]);
    expect(hint([2, 1])).toEqual([expect.objectContaining({ hintIndex: 1, hintTerm: 1 })]);
    expect(cluster.node('n1').terms()).toEqual([1, 2]);
  });
});

test('R-28 a delayed shorter Append cuts nothing and writes nothing', () => {
  const cluster = followerWith(
    Array.from({ length: 10 }, () => 1),
    1,
  );
  const message = appendOf({ term: 1, prev: [3, 1], terms: [1, 1] });
  expect(answers(cluster.inject('n2', 'n1', message))).toEqual([expect.objectContaining(ok(5))]);
  expect(cluster.node('n1').terms().length).toBe(10);
  expect(cluster.node('n1').effects.some(({ type }) => type === 'persist')).toBe(false);
});

test('R-29 what lies below the commit index is no conflict', () => {
  const cluster = followerWith([1, 1, 1, 1], 1);
  cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [4, 1], commit: 4 }));
  const early = cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [1, 1], terms: [1] }));
  expect(answers(early)).toEqual([expect.objectContaining(ok(4))]);
  const wide = appendOf({ term: 1, prev: [1, 1], terms: [1, 1, 1, 1, 1] });
  cluster.inject('n2', 'n1', wide);
  expect(cluster.node('n1').sent.at(-1)?.message).toEqual(expect.objectContaining(ok(6)));
  expect(cluster.node('n1').terms()).toEqual([1, 1, 1, 1, 1, 1]);
});

test('R-29 what lies below the anchor of the log is no conflict either', () => {
  const cluster = new CoreCluster({
    origin: 100,
    logs: { n1: [1, 1] },
    isObserved: false,
  });
  const wide = appendOf({ term: 1, prev: [98, 1], terms: [1, 1, 1, 1, 1] });
  cluster.inject('n2', 'n1', wide);
  expect(cluster.node('n1').sent.at(-1)?.message).toEqual(expect.objectContaining(ok(103)));
  expect(cluster.node('n1').terms()).toEqual([1, 1, 1]);
});

test('R-30 only what was compared is committed', () => {
  const cluster = followerWith([1, 1, 1], 2);
  cluster.inject('n2', 'n1', appendOf({ term: 2, prev: [2, 1], commit: 9 }));
  expect(cluster.node('n1').core.commitIndex).toBe(2);
});

test('INV-8 an acknowledgement waits for the disk, and dies with its term', () => {
  const cluster = followerWith([1], 1);
  const n1 = cluster.node('n1');
  n1.automatic.persist = false;
  cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [1, 1], terms: [1] }));
  cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [2, 1], terms: [1] }));
  expect(n1.sent).toEqual([]);
  cluster.completePersist('n1');
  expect(n1.sent.map(({ message }) => message)).toEqual([expect.objectContaining(ok(2))]);
  n1.core.election.stickyUntilUs = 0;
  cluster.inject('n3', 'n1', {
    type: 'voteRequest',
    term: 2,
    lastIndex: 9,
    lastTerm: 1,
    transfer: false,
  });
  cluster.completePersist('n1');
  expect(n1.sent.filter(({ message }) => message.type === 'appendResponse').length).toBe(1);
});

test('R-36 entries of a term are handed to the disk only when the term is durable', () => {
  const cluster = followerWith([1], 1);
  const n1 = cluster.node('n1');
  n1.automatic.slots = false;
  cluster.inject('n2', 'n1', appendOf({ term: 5, prev: [1, 1], terms: [5] }));
  expect(n1.disk.entries.map((entry) => entry.term)).toEqual([1]);
  cluster.completeSlots('n1');
  expect(n1.disk.entries.map((entry) => entry.term)).toEqual([1, 5]);
});

test('group commit: what arrives while a batch is out is one next batch', () => {
  const cluster = followerWith([1], 1);
  const n1 = cluster.node('n1');
  n1.automatic.persist = false;
  for (let index = 1; index <= 4; index++) {
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [index, 1], terms: [1] }));
  }
  expect(n1.disk.batches.map((batch) => batch.entries.length)).toEqual([1]);
  cluster.completePersist('n1');
  expect(n1.disk.batches.map((batch) => batch.entries.length)).toEqual([3]);
});

test('R-67 a configuration counts from its entry on, and no longer when that is cut', () => {
  const cluster = followerWith([1], 1);
  const n1 = cluster.node('n1');
  const { config } = n1.core.configurations.latest;
  const smaller = { ...config, voters: config.voters.slice(0, 1) };
  const append = appendOf({ term: 1, prev: [1, 1], terms: [1] });
  const entries = append.entries.map((entry) => ({
    ...entry,
    type: 'config' as const,
    config: smaller,
  }));
  cluster.inject('n2', 'n1', { ...append, entries });
  expect(n1.raft.status().config).toBe(smaller);
  cluster.inject('n3', 'n1', appendOf({ term: 2, prev: [1, 1], terms: [2] }));
  expect(n1.raft.status().config).toBe(config);
  expect(n1.effects.filter(({ type }) => type === 'configChanged').length).toBe(2);
});

test('R-07 a stale leader is told of the term; stale answers are dropped', () => {
  const cluster = followerWith([1], 7);
  const told = cluster.inject('n2', 'n1', appendOf({ term: 5, prev: [1, 1], terms: [5] }));
  expect(answers(told)).toEqual([expect.objectContaining({ ok: false, term: 7 })]);
  const beat = cluster.inject('n2', 'n1', { type: 'heartbeat', term: 5, commit: 1, round: 1 });
  expect(answers(beat)).toEqual([expect.objectContaining({ type: 'heartbeatResponse', term: 7 })]);
  const vote = cluster.inject('n2', 'n1', { type: 'voteResponse', term: 6, granted: true });
  expect(vote).toEqual([]);
  expect([cluster.node('n1').terms(), cluster.node('n1').core.commitIndex]).toEqual([[1], 0]);
});

test('INV-8 an answer that waited for its term tells of the disk as it is when it leaves', () => {
  const cluster = followerWith([1, 1, 1], 1);
  const n1 = cluster.node('n1');
  n1.automatic.slots = false;
  const early = cluster.inject('n2', 'n1', { type: 'heartbeat', term: 2, commit: 0, round: 1 });
  cluster.inject('n2', 'n1', appendOf({ term: 2, prev: [1, 1], terms: [2] }));
  expect(answers(early)).toEqual([]);
  const from = n1.sent.length;
  n1.completeSlots(cluster.nowUs);
  const told = n1.sent.slice(from).map(({ message }) => message);
  expect(told).toContainEqual(
    expect.objectContaining({ type: 'heartbeatResponse', term: 2, lastIndex: 2, durableIndex: 1 }),
  );
});

describe('a node that cannot go on', () => {
  test('stops when its leader contradicts what is committed', () => {
    const cluster = followerWith([1, 1], 1);
    cluster.inject('n2', 'n1', appendOf({ term: 1, prev: [2, 1], commit: 2 }));
    const effects = cluster.inject('n2', 'n1', appendOf({ term: 2, prev: [0, 0], terms: [1, 2] }));
    expect(effects).toEqual([expect.objectContaining({ type: 'fatal', code: 'LOG_CONFLICT' })]);
    expect(cluster.step('n1', { type: 'tick' })).toEqual([]);
  });

  test('stops when the leader knows of more than it has: it lost its log', () => {
    const cluster = followerWith([1, 1], 1);
    const message: RaftMessage = { type: 'heartbeat', term: 1, commit: 3, round: 1 };
    expect(cluster.inject('n2', 'n1', message)).toEqual([
      expect.objectContaining({ type: 'fatal', code: 'LOG_LOST' }),
    ]);
  });
});
