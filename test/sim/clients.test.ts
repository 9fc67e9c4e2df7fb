import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import type { Grant } from '../../src/client/grant.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { foundCluster } from '../../sim/cluster-founding.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import { E, seeds, withLeader } from './scenario.ts';

/** Takes a lock in that client and runs until it has it. */
async function take(
  cluster: SimCluster,
  owner: SimClient,
  options: { name?: string; waitMs?: number } = {},
): Promise<Grant> {
  const { name = 'a', waitMs = 20_000 } = options;
  const taken = owner.run(({ client }) => client.lock(name).acquire({ waitMs }));
  await cluster.until(`${owner.name} to hold ${name}`, () => taken.isSettled);
  return valueOf(taken.value);
}

/** When the signal of a grant fired, in true time; null while it has not. */
function watchSignal(cluster: SimCluster, grant: Grant): { firedUs: number | null } {
  const watch: { firedUs: number | null } = { firedUs: null };
  grant.signal.addEventListener('abort', () => (watch.firedUs = cluster.world.nowUs));
  return watch;
}

describe('the shipped client', () => {
  test('takes a lock, hands it on, and closes', async () => {
    const { cluster } = await withLeader({ seed: 1 });
    const [one, two] = [cluster.client('one'), cluster.client('two')];
    const first = await take(cluster, one);
    const waiting = two.run(({ client }) => client.lock('a').acquire());
    await cluster.runFor(1_000);
    expect(waiting.isSettled).toBe(false);
    const released = one.run(() => first.release());
    await cluster.until('the hand-over', () => waiting.isSettled && released.isSettled);
    expect(valueOf(waiting.value).token).toBeGreaterThan(first.token);
    expect([first.held(), valueOf(waiting.value).held()]).toEqual([false, true]);
    const closed = two.run(({ client }) => client.close());
    await cluster.until('the close', () => closed.isSettled);
    await cluster.converge();
    expect(cluster.living().map((status) => status.locks)).toEqual([0, 0, 0]);
  });

  test('learns its cluster when the nodes that it is linked with are founded', async () => {
    const cluster = await createSimCluster({ seed: 1, isFounded: false });
    const one = cluster.client('one');
    await cluster.runFor(1_000);
    expect(one.client.nodes().map((node) => node.state)).toEqual(['up', 'up', 'up']);
    expect(one.client.clusterId).toBe(null);
    await foundCluster(cluster);
    await cluster.waitLeader();
    await cluster.runFor(100);
    expect(one.client.clusterId).toBe(cluster.living()[0]?.clusterId);
    expect(one.client.nodes().map((node) => node.state)).toEqual(['up', 'up', 'up']);
  });

  test('A9 A14 keeps its lock through the death of the leader, and a waiter through it gets its turn', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two')];
      const first = await take(cluster, one);
      const waiting = two.run(({ client }) => client.lock('a').acquire());
      await cluster.runFor(500);
      cluster.node(leader).crash();
      await cluster.waitLeader(leader);
      await cluster.runFor(20_000);
      expect(first.held()).toBe(true);
      const released = one.run(() => first.release());
      await cluster.until('the hand-over', () => waiting.isSettled && released.isSettled);
      expect(valueOf(waiting.value).token).toBeGreaterThan(first.token);
    }
  });

  test('B2 B10 a holder that was cut off hears of it before another can hold the lock', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const one = cluster.client('one', { ttlMs: 3_000 }, { driftPpm: -10_000 });
      const two = cluster.client('two');
      const first = await take(cluster, one);
      const watch = watchSignal(cluster, first);
      await cluster.runFor(5_000);
      cluster.world.isolate('one');
      const second = await take(cluster, two);
      expect(watch.firedUs).not.toBeNull();
      expect(watch.firedUs).toBeLessThan(cluster.world.nowUs);
      expect(second.token).toBeGreaterThan(first.token);
      expect(HoldfastError.is(first.signal.reason)).toBe(true);
    }
  });

  test('B9 a holder that slept past its lease does not believe in it on waking', async () => {
    for (const seed of seeds(10)) {
      const { cluster } = await withLeader({ seed });
      const one = cluster.client('one', { ttlMs: 3_000 });
      const two = cluster.client('two');
      const first = await take(cluster, one);
      const look = one.run(async (own) => {
        await own.sleep(1_000);
        return first.held();
      });
      one.handle.pause();
      const second = await take(cluster, two);
      one.handle.resume();
      await cluster.until('the look', () => look.isSettled);
      expect(valueOf(look.value)).toBe(false);
      expect(second.held()).toBe(true);
    }
  });

  test('B1 a waiter whose session ended while it slept is not told that it holds the lock', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two', { ttlMs: 3_000 })];
      const first = await take(cluster, one);
      const waiting = two.run(({ client }) => client.lock('a').acquire({ waitMs: 60_000 }));
      await cluster.runFor(1_000);
      two.handle.pause();
      await cluster.runFor(6_000);
      const released = one.run(() => first.release());
      await cluster.until('the release', () => released.isSettled);
      two.handle.resume();
      await cluster.until('an answer', () => waiting.isSettled);
      // Whichever it sees first on waking: its own clock, or what lies in its socket.
      const code: unknown = expect.stringMatching(/^(EVENT_LOOP_BLOCKED|SESSION_EXPIRED)$/);
      expect(waiting.value).toMatchObject({ isOk: false, error: { code } });
      const next = await take(cluster, two);
      expect(next.token).toBeGreaterThan(first.token);
    }
  });

  test('R-78 a grant whose answers are all lost is had once, by the same client', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const one = cluster.client('one');
      const warm = await take(cluster, one, { name: 'warm' });
      for (const id of cluster.ids) cluster.world.cut(id, 'one');
      const taken = one.run(({ client }) => client.lock('a').acquire());
      await cluster.runFor(300);
      expect(cluster.status(leader).locks).toBe(2);
      cluster.node(leader).crash();
      cluster.world.heal();
      await cluster.until('the grant', () => taken.isSettled);
      const grant = valueOf(taken.value);
      expect([warm.held(), grant.held()]).toEqual([true, true]);
      const shown = one.run(({ client }) => client.inspect('a'));
      await cluster.until('an answer', () => shown.isSettled);
      expect(valueOf(shown.value).holders.map((holder) => holder.token)).toEqual([grant.token]);
    }
  });

  test('without a quorum it says unavailable, never busy or free', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 3 });
    const one = cluster.client('one', { requestMs: 2_000 });
    await cluster.runFor(2 * E);
    for (const id of followers) cluster.node(id).crash();
    const tried = one.run(({ client }) => client.lock('a').tryAcquire());
    await cluster.until('an answer', () => tried.isSettled);
    const { isOk } = tried.value;
    expect(isOk).toBe(false);
    if (!tried.value.isOk) expect(tried.value.error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(cluster.node(leader).exit).toBeNull();
  });
});
