import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimSession } from '../../sim/cluster-session.ts';
import { tokenOf } from '../../sim/cluster-session.ts';
import { E, elapsed, inspect, restartAll, seeds, withLeader } from './scenario.ts';

const TTL = 3_000;

/** Whether the node's own state has the session. */
function knows(cluster: SimCluster, id: NodeId): boolean {
  return cluster.status(id).sessions > 0;
}

/** Milliseconds from now until the leader's state has lost its only session. */
function untilExpiry(cluster: SimCluster, id: NodeId): Promise<number> {
  return elapsed(cluster, 'the expiry', () => !knows(cluster, id));
}

/** Keeps the session alive at that node for so long; every renewal must be confirmed. */
async function keepAliveFor(
  cluster: SimCluster,
  at: NodeId,
  { session, durationMs }: { session: SimSession; durationMs: number },
): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += TTL / 3) {
    const renewal = cluster.keepAlive(at, session);
    await cluster.runFor(TTL / 3);
    expect(renewal.value).toMatchObject({ code: 'OK', ttlMs: TTL });
  }
}

describe('leases', () => {
  test('a session that is kept alive lives, one that is silent ends after its TTL', async () => {
    const { cluster, leader } = await withLeader({ seed: 1 });
    const session = await cluster.openSession(leader, TTL);
    await keepAliveFor(cluster, leader, { session, durationMs: 4 * TTL });
    expect(knows(cluster, leader)).toBe(true);
    const durationMs = await untilExpiry(cluster, leader);
    expect(durationMs).toBeGreaterThan((2 / 3) * TTL - 50);
    expect(durationMs).toBeLessThan((2 / 3) * TTL + 100);
    const renewal = cluster.keepAlive(leader, session);
    await cluster.answers(renewal);
    expect(renewal.value.code).toBe('SESSION_GONE');
  });

  test('R-80a a leader that was cut off confirms no renewal', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader, TTL);
      cluster.world.isolate(leader);
      const before = cluster.keepAlive(leader, session);
      await cluster.waitLeader(leader);
      const after = cluster.keepAlive(leader, session);
      await cluster.until('answers', () => before.isSettled && after.isSettled);
      expect([before.value.code, after.value.code]).toEqual(['NOT_LEADER', 'NOT_LEADER']);
    }
  });

  test('R-80a a leader that wakes after its lease was given away confirms no renewal', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader, TTL);
      cluster.node(leader).pause();
      const asked = cluster.keepAlive(leader, session);
      const next = await cluster.waitLeader(leader);
      await untilExpiry(cluster, next);
      cluster.node(leader).resume();
      await cluster.until('an answer', () => asked.isSettled);
      expect(asked.value.code).not.toBe('OK');
    }
  });

  test('R-80 a renewal that comes while its session is being ended is not confirmed', async () => {
    const { cluster, leader } = await withLeader({ seed: 80 });
    const session = await cluster.openSession(leader, TTL);
    for (const node of cluster.all()) node.disk.extraDelayUs = 300_000;
    const { lastIndex } = cluster.status(leader);
    await cluster.until('the entry', () => cluster.status(leader).lastIndex > lastIndex);
    const renewal = cluster.keepAlive(leader, session);
    await cluster.runFor(100);
    expect([renewal.isSettled, knows(cluster, leader)]).toEqual([false, true]);
    await cluster.until('an answer', () => renewal.isSettled);
    expect([renewal.value.code, knows(cluster, leader)]).toEqual(['SESSION_GONE', false]);
  });

  test('R-80b a leader that was cut off ends no session of the cluster', async () => {
    for (const fault of ['isolate', 'pause'] as const) {
      const { cluster, leader } = await withLeader({ seed: 80 });
      const session = await cluster.openSession(leader, TTL);
      if (fault === 'isolate') cluster.world.isolate(leader);
      else cluster.node(leader).pause();
      const next = await cluster.waitLeader(leader);
      await keepAliveFor(cluster, next, { session, durationMs: 3 * TTL });
      cluster.world.heal();
      cluster.node(leader).resume();
      await keepAliveFor(cluster, next, { session, durationMs: 3 * TTL });
      await cluster.converge();
      expect(cluster.ids.every((id) => knows(cluster, id))).toBe(true);
    }
  });

  test('R-80c a new leader gives every session its whole TTL again', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      await cluster.openSession(leader, TTL);
      await cluster.runFor(TTL - 200);
      cluster.node(leader).crash();
      const next = await cluster.waitLeader(leader);
      const durationMs = await untilExpiry(cluster, next);
      expect(durationMs).toBeGreaterThan(TTL - 10);
      expect(durationMs).toBeLessThan(TTL + 100);
    }
  });

  test('R-80d a waiter whose session ended is skipped, and learns it', async () => {
    const { cluster, leader } = await withLeader({ seed: 80 });
    const [holder, gone, next] = [
      await cluster.openSession(leader),
      await cluster.openSession(leader, 1_000),
      await cluster.openSession(leader),
    ];
    const [grant] = await cluster.answers(holder.acquire(leader, 'a'));
    const token = grant === undefined ? 0 : tokenOf(grant);
    await cluster.answers(gone.acquire(leader, 'a', { waitMs: null }));
    await cluster.answers(next.acquire(leader, 'a', { waitMs: null }));
    await cluster.until('the expiry', () => cluster.status(leader).sessions === 2);
    await cluster.answers(holder.release(leader, 'a', token));
    const lock = await inspect(cluster, leader, 'a');
    expect(lock.holders.map((each) => each.session)).toEqual([next.id]);
    expect(lock.waiters).toEqual([]);
    const [late] = await cluster.answers(gone.acquire(leader, 'a', { seq: gone.lastSeq }));
    expect(late?.outcome.code).toBe('SESSION_GONE');
  });

  test('R-80e when all nodes restart no session ends early', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      await cluster.openSession(leader, TTL);
      await cluster.runFor(TTL - 100);
      await restartAll(cluster);
      const next = await cluster.waitLeader();
      expect(knows(cluster, next)).toBe(true);
      expect(await untilExpiry(cluster, next)).toBeGreaterThan(TTL - 10);
    }
  });

  test('R-80f the lock of a silent holder passes on within its TTL and a few E', async () => {
    for (const seed of seeds(5)) {
      const clocks = { n1: { driftPpm: -10_000 }, n2: { driftPpm: 10_000 } };
      const { cluster, leader } = await withLeader({ seed, clocks });
      const silent = await cluster.openSession(leader, TTL);
      const waiting = await cluster.openSession(leader);
      const [grant] = await cluster.answers(silent.acquire(leader, 'a'));
      await cluster.answers(waiting.acquire(leader, 'a', { waitMs: null }));
      const startUs = cluster.world.nowUs;
      const retry = async (): Promise<string> => {
        const options = { waitMs: null, seq: waiting.lastSeq };
        const [reply] = await cluster.answers(waiting.acquire(leader, 'a', options));
        const token = reply?.outcome.code === 'GRANTED' ? reply.outcome.token : 0;
        if (token > 0) expect(token).toBeGreaterThan(grant === undefined ? 0 : tokenOf(grant));
        return reply?.outcome.code ?? '';
      };
      while ((await retry()) === 'QUEUED') await cluster.runFor(50);
      const passedMs = (cluster.world.nowUs - startUs) / 1_000;
      expect(passedMs).toBeGreaterThan(0.98 * TTL);
      expect(passedMs).toBeLessThan(1.01 * TTL + E);
    }
  });
});
