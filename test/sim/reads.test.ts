import { describe, expect, test } from 'vitest';
import { tokenOf } from '../../sim/cluster-session.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { E, grantAll, inspect, restartAll, seeds, withLeader } from './scenario.ts';

/** Frames that were taken from any link, from that place of the trace on. */
function framesSince(cluster: SimCluster, from: number): number {
  let frames = 0;
  for (let place = from; place < cluster.world.trace.length; place++) {
    if (cluster.world.trace.at(place)?.kind === 'frame') frames++;
  }
  return frames;
}

describe('linearizable reads', () => {
  test('R-47 a new leader answers only when it has applied its own first entry', async () => {
    let early = 0;
    for (const seed of seeds(20)) {
      const { cluster, leader } = await withLeader({ seed });
      const replies = await grantAll(cluster, leader, ['a']);
      const token = replies[0] === undefined ? 0 : tokenOf(replies[0]);
      cluster.node(leader).crash();
      const elected = (): string | undefined =>
        cluster.living().find((status) => status.role === 'leader')?.nodeId;
      await cluster.until('an election', () => elected() !== undefined);
      const next = elected() ?? '';
      const { isReady, term } = cluster.status(next);
      if (!isReady) early++;
      const read = cluster.query(next, { kind: 'inspect', name: 'a' });
      await cluster.until('an answer', () => read.isSettled);
      expect(cluster.status(next)).toMatchObject({ role: 'leader', isReady: true, term });
      expect(read.value.result).toMatchObject({ kind: 'lock', lock: { holders: [{ token }] } });
    }
    expect(early).toBe(20);
  });

  test('R-47 after all nodes were restarted nobody reads an empty state', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      const replies = await grantAll(cluster, leader, ['a', 'b']);
      await restartAll(cluster);
      const reads = cluster.ids.map((id) => cluster.query(id, { kind: 'inspect', name: 'a' }));
      const next = await cluster.waitLeader();
      await cluster.until('all answers', () => reads.every((each) => each.isSettled));
      for (const { value } of reads) expect(value.result).toMatchObject({ kind: 'refused' });
      const tokens = (await inspect(cluster, next, 'a')).holders.map((holder) => holder.token);
      expect(tokens).toEqual([replies[0] === undefined ? 0 : tokenOf(replies[0])]);
    }
  });

  test('R-48 a leader that was cut off never shows what others have changed since', async () => {
    const { cluster, leader } = await withLeader({ seed: 48 });
    const session = await cluster.openSession(leader);
    const [grant] = await cluster.answers(session.acquire(leader, 'a'));
    cluster.world.isolate(leader);
    const first = cluster.query(leader, { kind: 'inspect', name: 'a' });
    const next = await cluster.waitLeader(leader);
    await cluster.answers(session.release(next, 'a', grant === undefined ? 0 : tokenOf(grant)));
    const [fresh] = await grantAll(cluster, next, ['a']);
    const second = cluster.query(leader, { kind: 'inspect', name: 'a' });
    await cluster.until('answers', () => first.isSettled && second.isSettled);
    for (const { value } of [first, second]) {
      expect(value.result).toMatchObject({ kind: 'refused', code: 'NOT_LEADER' });
    }
    const now = await inspect(cluster, next, 'a');
    expect(now.holders.map((each) => each.token)).toEqual([
      fresh === undefined ? 0 : tokenOf(fresh),
    ]);
  });

  test('R-48 a leader that slept through its deposition does not read the old state either', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader } = await withLeader({ seed });
      const session = await cluster.openSession(leader);
      const [grant] = await cluster.answers(session.acquire(leader, 'a'));
      cluster.node(leader).pause();
      const read = cluster.query(leader, { kind: 'inspect', name: 'a' });
      const next = await cluster.waitLeader(leader);
      await cluster.answers(session.release(next, 'a', grant === undefined ? 0 : tokenOf(grant)));
      cluster.node(leader).resume();
      await cluster.until('an answer', () => read.isSettled);
      expect(read.value.result).toMatchObject({ kind: 'refused', code: 'NOT_LEADER' });
    }
  });

  test('R-51 ten thousand reads of one instant cost two quorum rounds at most', async () => {
    const { cluster, leader } = await withLeader({ seed: 51 });
    await cluster.converge();
    const from = cluster.world.trace.length;
    const startUs = cluster.world.nowUs;
    const reads = Array.from({ length: 10_000 }, () =>
      cluster.query(leader, { kind: 'inspect', name: 'a' }),
    );
    await cluster.until('all answers', () => reads.every((each) => each.isSettled), 2 * E);
    expect(cluster.world.nowUs - startUs).toBeLessThan(10_000);
    // Two followers, a message and an answer each, twice; and one heartbeat that may be due.
    expect(framesSince(cluster, from)).toBeLessThanOrEqual(12);
  });

  test('R-51 a read that comes after a round was sent waits for the next one', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 51 });
    await cluster.converge();
    const slow = { latencyUs: 5_000, jitterUs: 0 };
    for (const id of followers) {
      cluster.world.network.topology.setRoute(leader, id, slow);
      cluster.world.network.topology.setRoute(id, leader, slow);
    }
    await cluster.runFor(20);
    const first = cluster.query(leader, { kind: 'inspect', name: 'a' });
    await cluster.runFor(4);
    const second = cluster.query(leader, { kind: 'inspect', name: 'a' });
    await cluster.until('answers', () => first.isSettled && second.isSettled);
    expect(second.atUs - first.atUs).toBeGreaterThanOrEqual(9_000);
  });
});
