import { promiseHooks } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { tokenOf } from '../../sim/cluster-session.ts';
import { firstDifference } from '../../sim/world/trace.ts';
import { E, H, elapsed, inspect, seeds, withLeader } from './scenario.ts';

async function busyRun(seed: number): Promise<SimCluster> {
  const { cluster, leader } = await withLeader({ seed });
  const session = await cluster.openSession(leader);
  await cluster.answers(session.acquire(leader, 'a'), session.acquire(leader, 'b'));
  cluster.node(leader).crash();
  const next = await cluster.waitLeader(leader);
  cluster.node(leader).start();
  await cluster.answers(session.acquire(next, 'c'));
  await cluster.runFor(5_000);
  return cluster;
}

describe('a cluster of three in one process', () => {
  test('one node leads, a lock is granted, and its token is the index of its entry', async () => {
    const { cluster, leader } = await withLeader({ seed: 1 });
    const session = await cluster.openSession(leader);
    const [reply] = await cluster.answers(session.acquire(leader, 'demo'));
    expect(reply?.outcome).toEqual({
      code: 'GRANTED',
      token: cluster.status(leader).lastIndex,
      slots: [],
    });
    const lock = await inspect(cluster, leader, 'demo');
    expect(lock.holders.map((holder) => holder.session)).toEqual([session.id]);
    await cluster.converge();
  });

  test('a follower refuses and changes nothing', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 1 });
    const session = await cluster.openSession(leader);
    const before = cluster.status(leader).lastIndex;
    const [reply] = await cluster.answers(session.acquire(followers[0], 'demo'));
    expect(reply?.outcome.code).toBe('NOT_LEADER');
    expect(cluster.status(leader).lastIndex).toBe(before);
  });

  test('a released lock passes to the one who waits, with a larger token', async () => {
    const { cluster, leader } = await withLeader({ seed: 2 });
    const first = await cluster.openSession(leader);
    const second = await cluster.openSession(leader);
    const [grant] = await cluster.answers(first.acquire(leader, 'demo'));
    const token = grant === undefined ? 0 : tokenOf(grant);
    const [queued] = await cluster.answers(second.acquire(leader, 'demo', { waitMs: null }));
    expect(queued?.outcome.code).toBe('QUEUED');
    await cluster.answers(first.release(leader, 'demo', token));
    const [again] = await cluster.answers(
      second.acquire(leader, 'demo', { waitMs: null, seq: second.lastSeq }),
    );
    expect(again === undefined ? 0 : tokenOf(again)).toBeGreaterThan(token);
  });

  test('five nodes lose two and go on', async () => {
    const { cluster, leader, rest } = await withLeader({ seed: 3, nodes: 5 });
    cluster.node(leader).crash();
    cluster.node(rest[0] ?? '').crash();
    const next = await cluster.waitLeader(leader);
    const session = await cluster.openSession(next);
    const [reply] = await cluster.answers(session.acquire(next, 'demo'));
    expect(reply?.outcome.code).toBe('GRANTED');
  });

  test('nodes that belong to no cluster take no part, and say so', async () => {
    const cluster = await createSimCluster({ seed: 4, isFounded: false });
    await cluster.runFor(20 * E);
    expect(cluster.living().map((status) => status.role)).toEqual(['blank', 'blank', 'blank']);
    const body = { op: 'openSession', nonce: 'n'.repeat(16), ttlMs: null } as const;
    const rest = { lockDelayMs: 0, name: '', meta: '' };
    const { outcome } = await cluster.execute('n1', { ...body, ...rest });
    expect(outcome.code).toBe('NOT_FOUNDED');
  });
});

describe('determinism', () => {
  test('DET-1 the same seed gives the same run of the whole cluster, crash included', async () => {
    const [first, second] = [await busyRun(11), await busyRun(11)];
    expect(firstDifference(first.world.trace, second.world.trace)).toBeNull();
    expect(second.world.traceHash()).toBe(first.world.traceHash());
    expect((await busyRun(12)).world.traceHash()).not.toBe(first.world.traceHash());
  });
});

test('DESIGN.md §4.1 a node makes no promise: elections, locks, reads, leases, restarts', async () => {
  const { cluster, leader } = await withLeader({ seed: 5 });
  const session = await cluster.openSession(leader, 1_000);
  let promises = 0;
  const stop = promiseHooks.onInit(() => promises++);
  try {
    const answers = [
      session.acquire(leader, 'a'),
      cluster.query(leader, { kind: 'inspect', name: 'a' }),
      cluster.keepAlive(leader, session),
    ];
    cluster.world.runSync(() => answers.every((each) => each.isSettled));
    cluster.world.runSync(() => cluster.status(leader).sessions === 0);
    cluster.node(leader).crash();
    cluster.node(leader).start();
    cluster.world.runSync(cluster.world.nowUs + 5_000_000);
  } finally {
    stop();
  }
  expect(cluster.leader()).not.toBeNull();
  expect(promises).toBe(0);
});

describe('fail-over', () => {
  test('a leader that dies is replaced well within an election timeout', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      cluster.node(leader).crash();
      const isReplaced = (): boolean => cluster.leader() !== null;
      const durationMs = await elapsed(cluster, 'a new leader', isReplaced);
      expect(durationMs, `seed ${seed}`).toBeLessThan(0.8 * E);
    }
  });

  test('a leader that only falls silent is replaced after an election timeout, not before', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      cluster.node(leader).pause();
      const isReplaced = (): boolean => cluster.leader() !== null;
      const durationMs = await elapsed(cluster, 'a new leader', isReplaced);
      expect(durationMs, `seed ${seed}`).toBeGreaterThan(E - 2 * H);
      expect(durationMs, `seed ${seed}`).toBeLessThan(4 * E);
      cluster.node(leader).resume();
      await cluster.converge();
      expect(cluster.status(leader).role).toBe('follower');
    }
  });
});
