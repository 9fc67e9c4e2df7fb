// Reports of users about elections and watches, with the shipped client and node under faults.

import { describe, expect, test } from 'vitest';
import type { SimCluster } from '../../sim/cluster.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import type { ElectionView } from '../../src/client/election.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { WatchNotice } from '../../src/client/watch.ts';
import { seeds, withLeader } from './scenario.ts';

/** Everything that a client observes of an election from now on. */
function observe(owner: SimClient, name: string): readonly ElectionView[] {
  const views: ElectionView[] = [];
  owner.run(async ({ client }) => {
    for await (const view of client.election(name).observe()) views.push(view);
  });
  return views;
}

/** Everything that a client hears of locks from now on. */
function watch(owner: SimClient): readonly WatchNotice[] {
  const notices: WatchNotice[] = [];
  owner.run(async ({ client }) => {
    for await (const notice of client.watch({ prefix: 'w/' })) notices.push(notice);
  });
  return notices;
}

async function value<T>(cluster: SimCluster, owner: SimClient, program: () => Promise<T>) {
  const ran = owner.run(program);
  await cluster.until(`an answer to ${owner.name}`, () => ran.isSettled);
  return valueOf(ran.value);
}

describe('an election', () => {
  test('A10 when the leading node dies no second candidate wins, and no token wins twice', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const clients = ['one', 'two', 'three'].map((name) => cluster.client(name));
      const seen = observe(cluster.client('observer'), 'e');
      const won: Grant[] = [];
      for (const owner of clients) {
        owner.run(async ({ client }) => void won.push(await client.election('e').campaign()));
      }
      await cluster.until('a winner', () => won.length > 0);
      cluster.node(leader).crash();
      await cluster.runFor(10_000);
      expect(won.map((grant) => grant.held())).toEqual([true]);
      const [first] = won;
      const winner = clients.find((owner) => owner.client.grants().length > 0);
      if (first === undefined || winner === undefined) throw new Error('nobody leads');
      cluster.node(leader).start();
      await value(cluster, winner, () => first.release());
      await cluster.until('the next winner', () => won.length > 1);
      await cluster.runFor(2_000);
      expect(won.map((grant) => grant.held())).toEqual([false, true]);
      const tokens = won.map((grant) => grant.token);
      expect(tokens[1]).toBeGreaterThan(tokens[0] ?? Infinity);
      const leaders = seen.flatMap((view) => (view.leader === null ? [] : [view.leader.token]));
      expect(leaders).toEqual(tokens);
    }
  });

  test('B12 a candidate that is cut off until its session is over is told so, and is no leader', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two', { ttlMs: 3_000 })];
      const seen = observe(cluster.client('observer'), 'e');
      const first = await value(cluster, one, () => one.client.election('e').campaign());
      const waiting = two.run(({ client }) => client.election('e').campaign());
      await cluster.runFor(1_000);
      cluster.world.isolate('two');
      await cluster.runFor(3_000);
      expect(waiting.value).toMatchObject({ isOk: false, error: { code: 'UNAVAILABLE' } });
      await value(cluster, one, () => first.resign());
      cluster.world.heal();
      await cluster.runFor(20_000);
      expect(seen.map(({ leader }) => leader?.token ?? null).slice(-2)).toEqual([
        first.token,
        null,
      ]);
      const again = await value(cluster, two, () => two.client.election('e').campaign());
      expect(again.token).toBeGreaterThan(first.token);
    }
  });
});

describe('a watch', () => {
  test('tells each event once, in order, through crashes of leaders and cut links', async () => {
    // A node that starts knows of no event before its checkpoint: here it has the whole log.
    const settings = { checkpoints: { intervalMs: 3_600_000 } };
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed, settings });
      const [holder, watcher] = [cluster.client('holder'), cluster.client('watcher')];
      const heard = watch(watcher);
      await cluster.runFor(500);
      const tokens: number[] = [];
      for (let round = 0; round < 6; round++) {
        const grant = await value(cluster, holder, () => holder.client.lock('w/a').acquire());
        tokens.push(grant.token);
        const leader = await cluster.waitLeader();
        if (round % 2 === 0) cluster.node(leader).crash();
        else cluster.world.isolate('watcher');
        await value(cluster, holder, () => grant.release());
        await cluster.runFor(1_000);
        cluster.world.heal();
        if (round % 2 === 0) cluster.node(leader).start();
      }
      await cluster.runFor(10_000);
      expect(heard.map(({ type }) => type)).toEqual(tokens.flatMap(() => ['granted', 'released']));
      const granted = heard.filter(({ type }) => type === 'granted');
      expect(granted.map(({ revision }) => revision)).toEqual(tokens);
      expect(heard.map(({ revision }) => revision)).toEqual(
        heard.map(({ revision }) => revision).sort((one, other) => one - other),
      );
    }
  });

  test('C21 is no loss of a lock: its links are reset every second for a minute', async () => {
    const { cluster } = await withLeader({ seed: 1 });
    const one = cluster.client('one', { ttlMs: 3_000 });
    const grant = await value(cluster, one, () => one.client.lock('a').acquire());
    const heard = watch(one);
    await cluster.runFor(500);
    for (let second = 0; second < 60; second++) {
      cluster.world.isolate('one');
      await cluster.runFor(100);
      cluster.world.heal();
      await cluster.runFor(900);
      expect([second, grant.held(), grant.signal.aborted]).toEqual([second, true, false]);
    }
    const other = cluster.client('other');
    const late = await value(cluster, other, () => other.client.lock('w/b').acquire());
    await cluster.until('the event', () => heard.length > 0);
    expect(heard).toMatchObject([{ type: 'granted', token: late.token }]);
  });
});
