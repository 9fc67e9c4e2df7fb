// Reports of users about lock-delay and quorum that is gone, with the shipped client and node.

import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { WatchNotice } from '../../src/client/watch.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import { lossOf, look, nowMs, result, take } from './client-scenario.ts';
import { seeds, withLeader } from './scenario.ts';

const DELAY = { ttlMs: 3_000, lockDelayMs: 5_000 };

interface Heard {
  readonly type: WatchNotice['type'];
  readonly atMs: number;
}

/** What a client hears of the lock from now on, and when. */
async function watch(cluster: SimCluster, owner: SimClient): Promise<readonly Heard[]> {
  const heard: Heard[] = [];
  const begun = owner.run(({ client }) => {
    const watching = client.watch({ name: 'a' });
    const read = async (): Promise<void> => {
      for await (const { type } of watching) heard.push({ type, atMs: nowMs(cluster) });
    };
    void read();
    return watching.ready();
  });
  await cluster.until('the begin of the watch', () => begun.isSettled);
  return heard;
}

function typesOf(heard: readonly Heard[]): readonly string[] {
  return heard.map(({ type }) => type);
}

/** The error of an acquire that does not wait. */
async function busy(cluster: SimCluster, owner: SimClient): Promise<HoldfastError> {
  const asked = owner.run(({ client }) => client.lock('a').acquire({ waitMs: 0 }));
  await cluster.until('an answer', () => asked.isSettled);
  if (!asked.value.isOk && HoldfastError.is(asked.value.error)) return asked.value.error;
  throw new Error('expected a rejection');
}

describe('a session with a lock-delay', () => {
  test('C15 that is closed leaves none: watchers wake and the next waiter holds at once', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', DELAY), cluster.client('two')];
      const heard = await watch(cluster, cluster.client('watcher'));
      await take(cluster, one);
      const waiting = two.run(({ client }) => client.lock('a').acquire());
      await cluster.runFor(1_000);
      const startMs = nowMs(cluster);
      one.run(({ client }) => client.close());
      await cluster.until('the hand-over', () => waiting.isSettled);
      expect(nowMs(cluster) - startMs).toBeLessThan(100);
      await cluster.runFor(100);
      expect(typesOf(heard)).toEqual(['granted', 'queued', 'released', 'granted']);
      expect((heard.at(-1)?.atMs ?? Infinity) - startMs).toBeLessThan(100);
      expect((await look(cluster, two)).ghosts).toEqual([]);
    }
  });

  test('C15 that dies leaves one: the error, the view and the watch tell, and it ends in time', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', DELAY), cluster.client('two')];
      const heard = await watch(cluster, cluster.client('watcher'));
      const grant = await take(cluster, one);
      const session = one.client.session.id;
      one.handle.crash();
      await cluster.until('the expiry', () => typesOf(heard).includes('expired'));
      expect(typesOf(heard)).toEqual(['granted', 'expired', 'delayed']);
      const startMs = nowMs(cluster);
      await cluster.runFor(1_000);
      const error = await busy(cluster, two);
      expect([error.code, error.message]).toEqual([
        'LOCK_BUSY',
        expect.stringContaining('closed for 5000 ms after the session of its holder "one"'),
      ]);
      expect(error.details['ghost']).toMatchObject({ token: grant.token, lockDelayMs: 5_000 });
      const shown = await look(cluster, two);
      expect(shown).toMatchObject({ holder: null, ghosts: [{ token: grant.token, session }] });
      const leftMs = shown.ghosts[0]?.delayLeftMs ?? 0;
      expect(Math.abs(startMs + DELAY.lockDelayMs - nowMs(cluster) - leftMs)).toBeLessThan(50);
      const next = await take(cluster, two);
      const passedMs = nowMs(cluster) - startMs;
      expect([next.token > grant.token, passedMs > 4_900, passedMs < 5_200]).toEqual([
        true,
        true,
        true,
      ]);
      await cluster.runFor(100);
      expect(typesOf(heard).slice(3)).toEqual(['queued', 'lifted', 'granted']);
    }
  });

  test('C15 the delay counts anew under another leader, and ends', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', DELAY), cluster.client('two')];
      await take(cluster, one);
      one.handle.crash();
      await cluster.runFor(3_500);
      const leader = await cluster.waitLeader();
      cluster.node(leader).crash();
      await cluster.waitLeader(leader);
      const startMs = nowMs(cluster);
      await take(cluster, two);
      const passedMs = nowMs(cluster) - startMs;
      expect([seed, passedMs > 4_900, passedMs < 5_200]).toEqual([seed, true, true]);
    }
  });

  test('C17 its process is back before the expiry: it goes on, and nothing is delayed', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', DELAY), cluster.client('two')];
      const old = await take(cluster, one);
      const resume = one.client.session.save();
      one.handle.crash();
      await cluster.runFor(1_500);
      const back = cluster.client('back', { resume });
      await result(cluster, back, (client) => client.ready(10_000));
      await cluster.runFor(20_000);
      const [grant] = back.client.grants();
      expect([grant?.token, grant?.held()]).toEqual([old.token, true]);
      expect((await look(cluster, two)).ghosts).toEqual([]);
    }
  });

  test('C17 its process is back within the delay: told so, and it waits like everybody', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', DELAY), cluster.client('two')];
      const old = await take(cluster, one);
      const resume = one.client.session.save();
      one.handle.crash();
      await cluster.runFor(4_000);
      expect((await look(cluster, two)).ghosts).toHaveLength(1);
      const startMs = nowMs(cluster);
      const back = cluster.client('back', { resume });
      const ready = back.run(({ client }) => client.ready(10_000));
      await cluster.until('an answer', () => ready.isSettled);
      expect(ready.value).toMatchObject({ isOk: false, error: { code: 'SESSION_GONE' } });
      expect((await busy(cluster, back)).code).toBe('LOCK_BUSY');
      const grant = await take(cluster, back);
      expect(grant.token).toBeGreaterThan(old.token);
      expect(nowMs(cluster) - startMs).toBeGreaterThan(3_000);
      expect(nowMs(cluster) - startMs).toBeLessThan(4_500);
    }
  });
});

describe('an election whose nodes have no quorum for longer than the TTL', () => {
  test('A10 nobody wins by it: one winner per token, all others hear that no node answers', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader, followers } = await withLeader({ seed });
      const names = ['one', 'two', 'three', 'four', 'five'];
      const clients = names.map((name) => cluster.client(name, { ttlMs: 2_000 }));
      const runs = clients.map((own) =>
        own.run(({ client }) => client.election('e').campaign({ value: own.name })),
      );
      await cluster.until('a winner', () => runs.some((run) => run.isSettled));
      const winners = (): readonly Grant[] =>
        runs.flatMap((run) => (run.isSettled && run.value.isOk ? [run.value.value] : []));
      const [first] = winners();
      await cluster.runFor(1_000);
      for (const id of [leader, followers[0]]) cluster.node(id).crash();
      await cluster.runFor(5_000);
      for (const id of [leader, followers[0]]) cluster.node(id).start();
      await cluster.runFor(10_000);
      expect([seed, winners()]).toEqual([seed, [first]]);
      expect([first?.held(), first === undefined ? null : lossOf(first)]).toEqual([
        false,
        'UNAVAILABLE',
      ]);
      const errors = runs.flatMap(({ value }) => (value.isOk ? [] : [value.error]));
      expect(errors).toHaveLength(4);
      for (const error of errors) expect(error).toMatchObject({ code: 'UNAVAILABLE' });
      const next = clients.map((own) => own.run(({ client }) => client.election('e').campaign()));
      await cluster.until('the next winner', () => next.some((run) => run.isSettled));
      await cluster.runFor(5_000);
      const won = next.flatMap((run) => (run.isSettled && run.value.isOk ? [run.value.value] : []));
      expect(won.map((grant) => grant.token > (first?.token ?? Infinity))).toEqual([true]);
    }
  });
});
