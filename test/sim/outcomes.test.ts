import { describe, expect, test } from 'vitest';
import { tokenOf } from '../../sim/cluster-session.ts';
import { E, grantAll, inspect, restartAll, roles, seeds, withLeader } from './scenario.ts';

describe('exactly once', () => {
  test('R-78 a retry at the next leader gets the grant whose reply was lost', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader);
      const [lost] = await cluster.answers(session.acquire(leader, 'a'));
      cluster.node(leader).crash();
      const next = await cluster.waitLeader(leader);
      const [retry] = await cluster.answers(session.acquire(next, 'a', { seq: session.lastSeq }));
      expect(retry?.outcome).toEqual(lost?.outcome);
      await restartAll(cluster);
      const last = await cluster.waitLeader();
      const [again] = await cluster.answers(session.acquire(last, 'a', { seq: session.lastSeq }));
      expect(again?.outcome).toEqual(lost?.outcome);
      expect((await inspect(cluster, last, 'a')).holders).toHaveLength(1);
    }
  });

  test('R-78 a leader that dies at any moment of the request leaves one grant after a retry', async () => {
    let undecided = 0;
    for (const afterUs of [100, 250, 400, 550, 700, 850, 1_000, 1_300]) {
      const { cluster, leader } = await withLeader({ seed: afterUs });
      const session = await cluster.openSession(leader);
      const first = session.acquire(leader, 'a');
      await cluster.world.run(cluster.world.nowUs + afterUs);
      if (!first.isSettled) undecided++;
      cluster.node(leader).crash();
      const next = await cluster.waitLeader(leader);
      const [retry] = await cluster.answers(session.acquire(next, 'a', { seq: session.lastSeq }));
      const token = retry === undefined ? 0 : tokenOf(retry);
      if (first.isSettled) expect(tokenOf(first.value)).toBe(token);
      const { holders } = await inspect(cluster, next, 'a');
      expect(holders.map((holder) => [holder.session, holder.token])).toEqual([
        [session.id, token],
      ]);
    }
    expect(undecided).toBeGreaterThan(2);
  });
});

describe('honest outcomes', () => {
  test('R-79 an appended request that is overwritten was "unknown", and a retry executes it once', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader);
      cluster.world.isolate(leader);
      const lost = session.acquire(leader, 'a');
      await cluster.runFor(100);
      const appendedAt = cluster.status(leader).lastIndex;
      const next = await cluster.waitLeader(leader);
      await cluster.until('an answer', () => lost.isSettled);
      expect(lost.value.outcome.code).toBe('OUTCOME_UNKNOWN');
      await grantAll(cluster, next, ['b', 'c']);
      expect((await inspect(cluster, next, 'a')).holders).toEqual([]);
      const [retry] = await cluster.answers(session.acquire(next, 'a', { seq: session.lastSeq }));
      expect(retry === undefined ? 0 : tokenOf(retry)).toBeGreaterThan(appendedAt);
      cluster.world.heal();
      await cluster.converge();
      const { leader: last } = await roles(cluster);
      expect((await inspect(cluster, last, 'a')).holders).toHaveLength(1);
    }
  });

  test('R-79 an appended request that survives was "unknown", and a retry gets its grant', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader);
      for (const other of cluster.others(leader)) cluster.world.cut(other, leader);
      const lost = session.acquire(leader, 'a');
      await cluster.runFor(100);
      const appendedAt = cluster.status(leader).lastIndex;
      const next = await cluster.waitLeader(leader);
      await cluster.until('an answer', () => lost.isSettled);
      expect(lost.value.outcome.code).toBe('OUTCOME_UNKNOWN');
      const [retry] = await cluster.answers(session.acquire(next, 'a', { seq: session.lastSeq }));
      expect(retry?.outcome).toEqual({ code: 'GRANTED', token: appendedAt, slots: [] });
      cluster.world.heal();
      await cluster.converge();
    }
  });

  test('R-79 what a node refuses as not leading is never executed', async () => {
    const { cluster, leader } = await withLeader({ seed: 79 });
    const session = await cluster.openSession(leader);
    cluster.node(leader).pause();
    const asked = session.acquire(leader, 'a');
    const next = await cluster.waitLeader(leader);
    cluster.node(leader).resume();
    await cluster.until('an answer', () => asked.isSettled);
    expect(['NOT_LEADER', 'UNAVAILABLE']).toContain(asked.value.outcome.code);
    await cluster.converge();
    await cluster.runFor(4 * E);
    expect((await inspect(cluster, next, 'a')).holders).toEqual([]);
  });
});
