// Reports of other lock services about sessions and lost answers, played on shipped hosts and the
// shipped client.

import { describe, expect, test } from 'vitest';
import { valueOf } from '../../sim/cluster-client.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { LockInfo } from '../../src/client/holder.ts';
import { seeds, withLeader } from './scenario.ts';

async function result<T>(
  cluster: SimCluster,
  owner: SimClient,
  program: (client: SimClient['client']) => Promise<T>,
): Promise<T> {
  const asked = owner.run(({ client }) => program(client));
  await cluster.until(`an answer for ${owner.name}`, () => asked.isSettled, 120_000);
  return valueOf(asked.value);
}

function take(cluster: SimCluster, owner: SimClient, name = 'a'): Promise<Grant> {
  return result(cluster, owner, (client) => client.lock(name).acquire());
}

function look(cluster: SimCluster, owner: SimClient, name = 'a'): Promise<LockInfo> {
  return result(cluster, owner, (client) => client.inspect(name));
}

/** From now on no answer reaches the client, while its requests reach the nodes. */
function loseAnswers(cluster: SimCluster, client: SimClient): void {
  for (const id of cluster.ids) cluster.world.cut(id, client.name);
}

describe('lost answers', () => {
  test('C1 a release that is repeated does not free what the same session took since', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const one = cluster.client('one');
      const old = await take(cluster, one);
      loseAnswers(cluster, one);
      const releasing = one.run(() => old.release());
      await cluster.runFor(50);
      const again = one.run(({ client }) => client.lock('a').acquire());
      await cluster.runFor(50);
      cluster.node(leader).crash();
      cluster.world.heal();
      await cluster.until('both answers', () => releasing.isSettled && again.isSettled);
      const fresh = valueOf(again.value);
      expect([valueOf(releasing.value), fresh.token > old.token]).toEqual([true, true]);
      await cluster.runFor(5_000);
      expect((await look(cluster, one)).holder?.token).toBe(fresh.token);
      expect(fresh.held()).toBe(true);
    }
  });

  test('C4 committed, and the answer cut off: another node tells of the same grant', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two')];
      await take(cluster, one, 'warm');
      loseAnswers(cluster, one);
      const taking = one.run(({ client }) => client.lock('a').acquire());
      await cluster.runFor(100);
      const granted = (await look(cluster, two)).holder?.token;
      cluster.node(leader).crash();
      cluster.world.heal();
      await cluster.until('the grant', () => taking.isSettled);
      expect([typeof granted, valueOf(taking.value).token]).toEqual(['number', granted]);
    }
  });

  test('C4 who gives up instead has it taken back, on another node', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two')];
      await take(cluster, one, 'warm');
      loseAnswers(cluster, one);
      const controller = new AbortController();
      const taking = one.run(({ client }) =>
        client.lock('a').acquire({ signal: controller.signal }),
      );
      await cluster.runFor(100);
      expect((await look(cluster, two)).holders).toHaveLength(1);
      one.run(() => Promise.resolve(controller.abort('enough')));
      await cluster.until('the rejection', () => taking.isSettled);
      expect(taking.value).toEqual({ isOk: false, error: 'enough' });
      cluster.node(leader).crash();
      cluster.world.heal();
      const next = await take(cluster, two);
      expect([next.held(), (await look(cluster, two)).waiterCount]).toEqual([true, 0]);
    }
  });

  test('C13 five lost answers make one entry in the queue', async () => {
    const { cluster } = await withLeader({ seed: 2 });
    const [one, two] = [cluster.client('one'), cluster.client('two', { ttlMs: 60_000 })];
    const first = await take(cluster, one);
    await take(cluster, two, 'warm');
    const waiting = two.run(({ client }) => client.lock('a').acquire({ waitMs: 60_000 }));
    loseAnswers(cluster, two);
    for (let lost = 0; lost < 5; lost++) {
      await cluster.runFor(5_000);
      const { waiters, waiterCount } = await look(cluster, one);
      expect([lost, waiterCount, waiters.length]).toEqual([lost, 1, 1]);
    }
    cluster.world.heal();
    await result(cluster, one, () => first.release());
    await cluster.until('its turn', () => waiting.isSettled);
    expect((await look(cluster, one)).waiterCount).toBe(0);
    expect(valueOf(waiting.value).token).toBe((await look(cluster, one)).holder?.token);
  });
});

describe('dead holders', () => {
  test('C14 killed together with the node it used: shown until its TTL is over, then free', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const one = cluster.client('one', { ttlMs: 3_000 });
      const two = cluster.client('two');
      const grant = await take(cluster, one);
      const session = one.client.session.id;
      one.handle.crash();
      cluster.node(leader).crash();
      await cluster.waitLeader(leader);
      one.handle.start();
      cluster.node(leader).start();
      const shown = (await look(cluster, two)).holder;
      expect([shown?.session, shown?.token]).toEqual([session, grant.token]);
      const next = await take(cluster, one);
      expect([next.token > grant.token, one.client.session.id === session]).toEqual([true, false]);
      expect((await look(cluster, two)).holder?.token).toBe(next.token);
    }
  });
});

describe('two lives of one name', () => {
  test('B3 a session that is opened again waits for what the former one holds', async () => {
    const { cluster } = await withLeader({ seed: 4 });
    const one = cluster.client('one', { ttlMs: 5_000 });
    const two = cluster.client('two');
    const old = await take(cluster, one);
    one.handle.crash();
    one.handle.start();
    const again = one.run(({ client }) => client.lock('a').acquire());
    await cluster.runFor(1_000);
    const { holder, waiterCount } = await look(cluster, two);
    expect([again.isSettled, holder?.token, waiterCount]).toEqual([false, old.token, 1]);
    await cluster.until('its turn', () => again.isSettled);
    expect(valueOf(again.value).token).toBeGreaterThan(old.token);
  });

  test('C17 B6 a process that is back in time goes on with its session, with no other token', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader } = await withLeader({ seed });
      const one = cluster.client('one', { ttlMs: 5_000 });
      const two = cluster.client('two');
      const old = await take(cluster, one);
      const waiting = two.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      await cluster.runFor(100);
      const resume = one.client.session.save();
      one.handle.crash();
      cluster.node(leader).crash();
      const next = cluster.client('next', { resume });
      await result(cluster, next, (client) => client.ready(30_000));
      const [grant] = next.client.grants();
      expect([grant?.token, grant?.held()]).toEqual([old.token, true]);
      await cluster.runFor(20_000);
      expect([grant?.held(), waiting.isSettled]).toEqual([true, false]);
      await result(cluster, next, () => grant?.release() ?? Promise.resolve(false));
      await cluster.until('the turn of the other', () => waiting.isSettled);
      expect(valueOf(waiting.value).token).toBeGreaterThan(old.token);
    }
  });
});

describe('hand-over', () => {
  test('H3 a grant outlives its giver and the leader, by renewals of its taker alone', async () => {
    for (const seed of seeds(3)) {
      const { cluster, leader } = await withLeader({ seed });
      const giver = cluster.client('giver', { ttlMs: 3_000 });
      const taker = cluster.client('taker');
      const given = await take(cluster, giver);
      const text = given.handOver();
      const taken = await result(cluster, taker, (client) => client.takeOver(text));
      giver.handle.crash();
      cluster.node(leader).crash();
      await cluster.runFor(30_000);
      expect([taken.token, taken.held()]).toEqual([given.token, true]);
      expect(await result(cluster, taker, () => taken.release())).toBe(true);
      expect((await look(cluster, taker)).holders).toEqual([]);
    }
  });
});
