import { describe, expect, test } from 'vitest';
import { tokenOf } from '../../sim/cluster-session.ts';
import { E, H, always, elapsed, grantAll, inspect, seeds, withLeader } from './scenario.ts';

/** A request of about this many bytes that is refused when applied, not before. */
function bulky(sizeBytes: number) {
  const meta = 'x'.repeat(sizeBytes);
  const head = { op: 'openSession', nonce: 'n'.repeat(16), ttlMs: 10_000 } as const;
  return { ...head, lockDelayMs: 0, name: '', meta };
}

describe('a slow or hanging disk', () => {
  test('R-34 entries commit without the slow disk of the leader and survive its death', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader);
      cluster.node(leader).disk.extraDelayUs = 200_000;
      const [reply] = await cluster.answers(session.acquire(leader, 'a'));
      const token = reply === undefined ? 0 : tokenOf(reply);
      expect(cluster.status(leader).durableIndex).toBeLessThan(token);
      cluster.node(leader).disk.crash('lost');
      cluster.node(leader).losePower();
      const next = await cluster.waitLeader(leader);
      cluster.node(leader).disk.extraDelayUs = 0;
      cluster.node(leader).start();
      expect((await inspect(cluster, next, 'a')).holders.map((each) => each.token)).toEqual([
        token,
      ]);
      await cluster.until('the old leader', () => cluster.node(leader).isStarted);
      await cluster.converge();
    }
  });

  test('R-45 a leader whose disk hangs gives way to two healthy followers', async () => {
    const { cluster, leader } = await withLeader({ seed: 45 });
    const session = await cluster.openSession(leader);
    cluster.node(leader).disk.writes.holdAfter(0);
    const write = session.acquire(leader, 'a');
    const hasNext = (): boolean => ![null, leader].includes(cluster.leader());
    expect(await elapsed(cluster, 'another leader', hasNext)).toBeLessThan(2_000 + 4 * E);
    // The followers made it durable without the leader, which learnt of that and answered.
    await cluster.until('an answer', () => write.isSettled);
    await always(cluster, 10 * E, () => {
      expect(['follower', 'preCandidate']).toContain(cluster.status(leader).role);
    });
    cluster.node(leader).disk.writes.release();
    await cluster.converge();
  });

  test('R-45 with a follower down too, nobody waits for ever and its return ends the outage', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 46 });
    const session = await cluster.openSession(leader);
    cluster.node(followers[0]).crash();
    cluster.node(leader).disk.writes.holdAfter(0);
    const write = session.acquire(leader, 'a');
    expect(await elapsed(cluster, 'an answer', () => write.isSettled)).toBeLessThan(2_000 + 2 * E);
    expect(write.value.outcome.code).toBe('OUTCOME_UNKNOWN');
    await cluster.runFor(10 * E);
    expect(cluster.leader()).toBeNull();
    cluster.node(followers[0]).start();
    const next = await cluster.waitLeader(leader, 8 * E);
    const [retry] = await cluster.answers(session.acquire(next, 'a', { seq: session.lastSeq }));
    expect(retry?.outcome.code).toBe('GRANTED');
    expect(cluster.status(leader).role).toBe('follower');
  });
});

describe('followers that lag', () => {
  test('R-40 a node that was down catches up in an idle cluster', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 40 });
    const [away] = followers;
    cluster.node(away).crash();
    const names = Array.from({ length: 50 }, (_, at) => `lock ${at}`);
    await grantAll(cluster, leader, names);
    await cluster.runFor(4 * E);
    const { lastIndex } = cluster.status(leader);
    cluster.node(away).start();
    await cluster.until('its start', () => cluster.node(away).isStarted);
    const hasAll = (): boolean => cluster.status(away).appliedIndex === lastIndex;
    expect(await elapsed(cluster, 'all entries', hasAll)).toBeLessThan(2 * E);
    expect(cluster.status(leader).lastIndex).toBe(lastIndex);
    await cluster.converge();
  });

  test('R-41 a leader without a quorum takes only so much, and takes more after it committed', async () => {
    const { cluster, leader } = await withLeader({ seed: 41 });
    const before = cluster.status(leader).lastIndex;
    cluster.world.isolate(leader);
    const flood = seeds(400).map(() => cluster.send(leader, bulky(60_000)));
    await cluster.runFor(H);
    const refused = flood.filter((each) => each.isSettled);
    expect(refused.length).toBeGreaterThan(50);
    expect(refused.map((each) => each.value.outcome.code)).toEqual(refused.map(() => 'OVERLOADED'));
    const appended = flood.length - refused.length;
    expect(appended).toBe(Math.floor((16 * 1024 * 1024) / 60_000));
    expect(cluster.status(leader).lastIndex).toBe(before + appended);
    cluster.world.heal();
    await cluster.until('all answers', () => flood.every((each) => each.isSettled));
    expect(cluster.leader()).toBe(leader);
    const { outcome } = await cluster.execute(leader, bulky(60_000));
    expect(outcome.code).toBe('INVALID');
    await cluster.converge();
  });
});
