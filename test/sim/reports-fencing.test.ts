// Reports of users about holders that work on after they lost their lock: the shipped client, and
// a store that compares tokens.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/client/grant.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import { FencedStore } from '../../sim/fenced-store.ts';
import { readUpdate } from '../docs/sql-update.ts';
import { every, lossOf, look, nowMs, result, take } from './client-scenario.ts';
import { seeds, withLeader } from './scenario.ts';

/** What the writes of one holder to the store came to. */
interface Writes {
  lastMs: number;
  refused: number;
}

interface Writer {
  readonly by: SimClient;
  readonly grant: Grant;
  /** It writes whatever became of its lock. */
  readonly isBlind?: boolean;
}

/** Writes every 100 ms from now on. */
function write(
  cluster: SimCluster,
  store: Pick<FencedStore, 'offer'>,
  { by, grant, isBlind = false }: Writer,
): Writes {
  const writes = { lastMs: 0, refused: 0 };
  every(by, 100, () => {
    if (!isBlind && grant.signal.aborted) return false;
    if (store.offer({ name: 'a', token: grant.token, by: by.name })) writes.lastMs = nowMs(cluster);
    else writes.refused++;
    return true;
  });
  return writes;
}

describe('a holder that is cut off for three times its TTL while it writes', () => {
  test('B2 has heard that it is over before its end is appended, and writes no more', async () => {
    for (const seed of seeds(3)) {
      const { cluster, leader } = await withLeader({ seed });
      const store = new FencedStore();
      const [one, two] = [cluster.client('one', { ttlMs: 3_000 }), cluster.client('two')];
      const grant = await take(cluster, one);
      const writes = write(cluster, store, { by: one, grant });
      await cluster.runFor(seed * 300);
      await look(cluster, two);
      cluster.world.isolate('one');
      const { lastIndex } = cluster.status(leader);
      await cluster.until('the expiry', () => cluster.status(leader).lastIndex > lastIndex);
      expect([seed, lossOf(grant), grant.held()]).toEqual([seed, 'UNAVAILABLE', false]);
      const endMs = nowMs(cluster);
      const second = await take(cluster, two);
      write(cluster, store, { by: two, grant: second });
      await cluster.runFor(9_000 - 3_000);
      cluster.world.heal();
      await cluster.runFor(3_000);
      expect([seed, writes.refused, writes.lastMs < endMs]).toEqual([seed, 0, true]);
      expect(second.held()).toBe(true);
    }
  });
});

describe('a holder that is paused for three times its TTL while it writes', () => {
  test.each(['stop', 'suspend'] as const)(
    'B2 (%s) is refused by the store on waking',
    async (kind) => {
      for (const seed of seeds(5)) {
        const { cluster } = await withLeader({ seed });
        const store = new FencedStore();
        const [one, two] = [cluster.client('one', { ttlMs: 3_000 }), cluster.client('two')];
        const grant = await take(cluster, one);
        const writes = write(cluster, store, { by: one, grant, isBlind: true });
        await cluster.runFor(1_000);
        expect(writes.refused).toBe(0);
        one.handle.pause(kind);
        const pausedMs = nowMs(cluster);
        const second = await take(cluster, two);
        const others = write(cluster, store, { by: two, grant: second });
        await cluster.runFor(9_000 - (nowMs(cluster) - pausedMs));
        one.handle.resume();
        await cluster.runFor(1_000);
        // After a suspend the news of the expiry may come before anything has looked at a clock.
        const codes = ['EVENT_LOOP_BLOCKED', ...(kind === 'suspend' ? ['SESSION_EXPIRED'] : [])];
        expect(codes).toContain(lossOf(grant));
        expect([writes.refused > 5, writes.lastMs <= pausedMs, others.refused]).toEqual([
          true,
          true,
          0,
        ]);
      }
    },
  );
});

describe('work that takes twice as long as the lock may be held', () => {
  test('B11 is told at the limit, and its late write is refused', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const store = new FencedStore();
      const [one, two] = [cluster.client('one'), cluster.client('two')];
      const grant = await result(cluster, one, (client) =>
        client.lock('a').acquire({ maxHoldMs: 1_000 }),
      );
      const startMs = nowMs(cluster);
      let abortMs = 0;
      grant.signal.addEventListener('abort', () => (abortMs = nowMs(cluster)));
      const late = one.run(async (own) => {
        await own.sleep(2_000);
        return store.offer({ name: 'a', token: grant.token, by: 'one' });
      });
      const second = await take(cluster, two);
      expect(store.offer({ name: 'a', token: second.token, by: 'two' })).toBe(true);
      await cluster.until('the late write', () => late.isSettled);
      expect(late.value).toEqual({ isOk: true, value: false });
      expect(lossOf(grant)).toBe('HOLD_OVER');
      expect(Math.abs(abortMs - startMs - 1_000)).toBeLessThan(30);
    }
  });
});

describe('a renewal that comes after the expiry, when another has held and released the lock', () => {
  test('B6 revives nothing: no belief, no holder, no token', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', { ttlMs: 3_000 }), cluster.client('two')];
      const grant = await take(cluster, one);
      await cluster.runFor(800);
      // What it sends from now on stands on the way.
      for (const id of cluster.ids) cluster.world.cut('one', id);
      const second = await take(cluster, two);
      expect(await result(cluster, two, () => second.release())).toBe(true);
      cluster.world.heal();
      await cluster.runFor(10_000);
      const { holder, waiterCount, ghosts } = await look(cluster, two);
      expect([holder, waiterCount, ghosts]).toEqual([null, 0, []]);
      expect([grant.held(), lossOf(grant)]).toEqual([false, 'UNAVAILABLE']);
      const third = await take(cluster, one);
      expect(third.token).toBeGreaterThan(second.token);
      expect(grant.held()).toBe(false);
    }
  });
});

describe('the statement of the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, statement = ''] = /```sql\n([^`]+)```/.exec(readme) ?? [];

  test('D13 changes no row for a holder that woke too late, and one for each write of the present', async () => {
    const { cluster } = await withLeader({ seed: 13 });
    const update = readUpdate(statement);
    const rows = [
      { id: 41, state: 'new', fence: 0 },
      { id: 42, state: 'new', fence: 0 },
    ];
    const store = { offer: ({ token }: { token: number }) => update.run(rows, { token }) === 1 };
    const [one, two] = [cluster.client('one', { ttlMs: 3_000 }), cluster.client('two')];
    const grant = await take(cluster, one);
    const writes = write(cluster, store, { by: one, grant, isBlind: true });
    await cluster.runFor(1_000);
    expect([writes.refused, rows[1]]).toEqual([0, { id: 42, state: 'paid', fence: grant.token }]);
    one.handle.pause();
    const pausedMs = nowMs(cluster);
    const second = await take(cluster, two);
    const others = write(cluster, store, { by: two, grant: second });
    await cluster.runFor(1_000);
    one.handle.resume();
    await cluster.runFor(1_000);
    expect([writes.refused > 5, writes.lastMs <= pausedMs, others.refused]).toEqual([
      true,
      true,
      0,
    ]);
    expect(rows).toEqual([
      { id: 41, state: 'new', fence: 0 },
      { id: 42, state: 'paid', fence: second.token },
    ]);
  });

  test('D13 the server keeps tokens of live locks only', async () => {
    const { cluster } = await withLeader({ seed: 13 });
    const one = cluster.client('one');
    for (let at = 0; at < 50; at++)
      await result(cluster, one, (c) => c.lock(`n${at}`).do(() => at));
    await cluster.converge();
    expect(cluster.living().map(({ locks }) => locks)).toEqual([0, 0, 0]);
  });
});
