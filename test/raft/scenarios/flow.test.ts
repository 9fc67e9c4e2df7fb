import { describe, expect, test } from 'vitest';
import type { Append } from '../../../src/raft/messages.ts';
import type { CoreCluster } from './scenario.ts';
import { E, H, appliedTexts, calm, elected, exchange } from './scenario.ts';
import { deliverLink, payloadOfSize, progressOf, randomOf, refusalOf, sentTo } from './scenario.ts';
import { failedIds, readyIds } from './scenario.ts';

const appendsOn = (cluster: CoreCluster, from: string, to: string): Append[] =>
  cluster.link(from, to).flatMap((message) => (message.type === 'append' ? [message] : []));

function proposeSizes(cluster: CoreCluster, sizes: readonly number[]): number {
  return cluster.proposeAll(
    'n1',
    sizes.map((size) => ({
      type: 'command',
      payload: payloadOfSize(size),
      internal: false,
      record: null,
    })),
  ).accepted;
}

test('R-37 M-24 a refusal that arrives after the acknowledgement never moves next back', () => {
  const cluster = elected();
  cluster.propose('n1', 'a');
  cluster.propose('n1', 'b');
  cluster.deliver('n1', 'n2', 1);
  cluster.deliver('n1', 'n2', 0);
  expect(cluster.link('n2', 'n1')).toMatchObject([
    { ok: false, rejectedPrev: 2 },
    { ok: true, matchIndex: 2 },
  ]);
  cluster.deliver('n2', 'n1', 1);
  const progress = progressOf(cluster, 'n1', 'n2');
  expect([progress.matchIndex, progress.state]).toEqual([2, 'replicate']);
  cluster.step('n1', { type: 'link', peer: 'n2', state: 'down' });
  expect([progress.state, progress.next]).toEqual(['probe', 3]);
  cluster.node('n1').sent.length = 0;
  cluster.deliver('n2', 'n1');
  expect([progress.matchIndex, progress.next]).toEqual([2, 3]);
  cluster.step('n1', { type: 'link', peer: 'n2', state: 'up' });
  cluster.deliverAll();
  cluster.run(H);
  const resent = sentTo(cluster.node('n1'), 'n2', 'append').map((append) => append.prevIndex);
  expect(resent[0]).toBe(2);
  expect(Math.min(...resent)).toBe(2);
  expect(cluster.node('n2').terms()).toEqual([1, 1, 1]);
});

test('R-38 M-25 a window that is lost as a whole is found by one empty Append after a heartbeat', () => {
  const cluster = elected({ settings: { inflightAppendsMax: 3 } });
  const progress = progressOf(cluster, 'n1', 'n3');
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) cluster.propose('n1', text);
  expect(appendsOn(cluster, 'n1', 'n3').map((append) => append.prevIndex)).toEqual([1, 2, 3]);
  cluster.drop('n1', 'n3');
  cluster.tick(H, ['n1']);
  cluster.deliver('n1', 'n3');
  expect(appendsOn(cluster, 'n1', 'n3')).toEqual([]);
  cluster.deliver('n3', 'n1');
  expect(appendsOn(cluster, 'n1', 'n3').map((each) => [each.prevIndex, each.entries])).toEqual([
    [4, []],
  ]);
  exchange(cluster, 'n1', 'n3');
  expect([progress.state, progress.next, progress.matchIndex]).toEqual(['probe', 2, 1]);
  expect(appendsOn(cluster, 'n1', 'n3')[0]).toMatchObject({ prevIndex: 1 });
  cluster.deliverAll();
  expect(cluster.node('n3').terms().length).toBe(8);
  expect(cluster.node('n1').core.log.lastIndex).toBe(8);
  cluster.run(H);
  expect(cluster.node('n3').core.commitIndex).toBe(8);
});

test('R-39 a follower that has everything leaves probe within one heartbeat of an idle cluster', () => {
  const cluster = elected();
  const progress = progressOf(cluster, 'n1', 'n2');
  expect([progress.state, progress.matchIndex]).toEqual(['replicate', 1]);
  cluster.step('n1', { type: 'link', peer: 'n2', state: 'down' });
  expect(progress.state).toBe('probe');
  cluster.tick(H, ['n1']);
  exchange(cluster, 'n1', 'n2');
  exchange(cluster, 'n1', 'n2');
  expect([progress.state, progress.matchIndex, progress.next]).toEqual(['replicate', 1, 2]);
  expect(cluster.node('n1').core.log.lastIndex).toBe(1);
});

test('R-40 M-25 a node that was down for 50 entries gets them within 2 E of an idle cluster', () => {
  const cluster = elected();
  cluster.crash('n3');
  for (let count = 0; count < 50; count++) {
    cluster.propose('n1', `command ${count}`);
    cluster.deliverAll();
  }
  cluster.run(4 * E);
  cluster.restart('n3');
  const n3 = cluster.node('n3');
  cluster.runUntil(() => n3.core.commitIndex === 51, 2 * E);
  expect([appliedTexts(n3).length, n3.core.appliedIndex]).toEqual([50, 51]);
  expect([cluster.node('n1').role, cluster.node('n1').core.log.lastIndex]).toEqual(['leader', 51]);
});

describe('R-41 M-31 uncommitted growth', () => {
  const settings = { uncommittedBytesMax: 500 };

  test('R-41 M-31 is bounded: beyond the limit nothing is appended, after a commit it is again', () => {
    const cluster = elected({ settings });
    const n1 = cluster.node('n1');
    cluster.isolate('n1');
    expect(proposeSizes(cluster, [200, 200, 200])).toBe(2);
    for (let count = 0; count < 20; count++) {
      expect(cluster.propose('n1', 'a long enough command')).toMatchObject({
        accepted: 0,
        refusal: 'OVERLOADED',
      });
    }
    expect([n1.core.log.lastIndex, n1.core.leader?.budget.clientBytes]).toEqual([3, 464]);
    cluster.heal();
    cluster.run(2 * H);
    expect([n1.core.commitIndex, n1.core.leader?.budget.clientBytes]).toEqual([3, 0]);
    expect(proposeSizes(cluster, [200, 200])).toBe(2);
  });

  test('R-41 M-31 an empty tail takes one entry of any size', () => {
    const cluster = elected({ settings });
    cluster.isolate('n1');
    expect(proposeSizes(cluster, [5_000])).toBe(1);
    expect(proposeSizes(cluster, [1])).toBe(0);
  });

  test('R-41 M-31 the no-op is never refused, however full the tail', () => {
    const cluster = elected({ settings });
    const n1 = cluster.node('n1');
    cluster.isolate('n1');
    expect(proposeSizes(cluster, [5_000])).toBe(1);
    for (const internal of [true, false]) {
      const noop = { type: 'noop', payload: payloadOfSize(0), internal, record: null } as const;
      expect(cluster.proposeAll('n1', [noop])).toMatchObject({ accepted: 1, refusal: null });
    }
    cluster.tick(E + H, ['n1']);
    expect(n1.role).toBe('follower');
    cluster.heal();
    cluster.elect('n1');
    expect([n1.terms(), n1.core.commitIndex]).toEqual([[1, 1, 1, 1, 2], 5]);
  });
});

describe('R-44 M-28 packing', () => {
  const limit = 300;

  function expectContiguous(appends: readonly Append[]): void {
    for (const { prevIndex, entries } of appends) {
      entries.forEach((entry, at) => expect(entry.index).toBe(prevIndex + at + 1));
      const bytes = entries.reduce((sum, entry) => sum + entry.payload.length + 32, 0);
      if (entries.length > 1) expect(bytes).toBeLessThanOrEqual(limit);
    }
  }

  test('R-44 M-28 is contiguous around the limit, and an oversize entry travels alone', () => {
    const cluster = elected({ settings: { appendBytesMax: limit } });
    proposeSizes(cluster, [118, 118, 119, 118, 267, 268, 269, 900, 1, 1]);
    const appends = appendsOn(cluster, 'n1', 'n2');
    expectContiguous(appends);
    expect(appends.map((each) => each.entries.map((entry) => entry.index))).toEqual([
      [2, 3],
      [4],
      [5],
      [6],
      [7],
      [8],
      [9],
      [10, 11],
    ]);
    cluster.deliverAll();
    expect(cluster.node('n2').disk.lastIndex).toBe(11);
  });

  test('R-44 M-28 holds for any sizes, from memory and from the disk, to a follower far behind', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomOf(seed);
      const cluster = elected({
        seed,
        settings: {
          appendBytesMax: limit,
          tailBytesMax: 800,
          persistBytesMax: 500,
          inflightAppendsMax: 4,
        },
      });
      cluster.isolate('n3');
      for (let count = 0; count < 20; count++) {
        proposeSizes(
          cluster,
          Array.from({ length: 1 + (random() % 4) }, () => random() % (limit + 100)),
        );
        cluster.deliverAll();
      }
      const { lastIndex } = cluster.node('n1').core.log;
      expect(cluster.node('n1').core.log.firstInMemory).toBeGreaterThan(2);
      cluster.heal();
      cluster.run(2 * H);
      for (const peer of ['n2', 'n3']) {
        expectContiguous(sentTo(cluster.node('n1'), peer, 'append'));
        expect(cluster.node(peer).core.commitIndex).toBe(lastIndex);
        expect(cluster.node(peer).disk.entries.length).toBe(lastIndex);
      }
    }
  });
});

test('R-46 a refusal of a lagging follower that comes after it caught up harms nobody', () => {
  const cluster = elected();
  const n1 = cluster.node('n1');
  cluster.isolate('n3');
  for (const text of ['a', 'b', 'c']) cluster.propose('n1', text);
  cluster.deliverAll();
  cluster.step('n1', { type: 'link', peer: 'n3', state: 'down' });
  const progress = progressOf(cluster, 'n1', 'n3');
  cluster.heal();
  cluster.inject('n1', 'n3', { ...sentAppend(cluster), prevIndex: 4, prevTerm: 1, entries: [] });
  const late = cluster.link('n3', 'n1')[0];
  expect(late).toMatchObject({ ok: false, rejectedPrev: 4 });
  cluster.drop('n3', 'n1');
  cluster.run(2 * H);
  expect([progress.matchIndex, progress.state]).toEqual([4, 'replicate']);
  const rounds = progress.heardRound;
  if (late !== undefined) expect(cluster.inject('n3', 'n1', late)).toEqual([]);
  expect(cluster.inject('n3', 'n1', refusalOf(1, 1, [0, 0]))).toEqual([]);
  expect(progress).toMatchObject({ matchIndex: 4, state: 'replicate', isLost: false });
  expect(progress.heardRound).toBe(rounds);
  calm(cluster.node('n2'));
  cluster.isolate('n2');
  cluster.propose('n1', 'd');
  deliverLink(cluster, 'n1', 'n3');
  deliverLink(cluster, 'n3', 'n1');
  expect([n1.core.commitIndex, n1.role]).toEqual([5, 'leader']);
});

test('R-46 a peer that did lose its log confirms nothing more: no commit, no read, no office', () => {
  const cluster = elected();
  const n1 = cluster.node('n1');
  cluster.propose('n1', 'a');
  cluster.deliverAll();
  cluster.node('n3').bootCount = 2;
  expect(cluster.inject('n3', 'n1', refusalOf(1, 2, [0, 0]))).toEqual([
    expect.objectContaining({ type: 'peerLostLog', peer: 'n3' }),
  ]);
  cluster.isolate('n2');
  cluster.propose('n1', 'b');
  cluster.step('n1', { type: 'read', id: 1 });
  cluster.run(E - H);
  expect(sentTo(cluster.node('n3'), 'n1', 'heartbeatResponse').length).toBeGreaterThan(5);
  expect([n1.core.commitIndex, readyIds(n1), n1.role]).toEqual([2, [], 'leader']);
  cluster.run(2 * H);
  expect([n1.role, failedIds(n1)]).toEqual(['follower', [1]]);
});

function sentAppend(cluster: CoreCluster): Append {
  const append = sentTo(cluster.node('n1'), 'n3', 'append').at(-1);
  if (append === undefined) throw new Error('n1 sent nothing to n3');
  return append;
}
