// Reports of users about waiters that die or are ended, refused renewals, and clusters that were
// wiped, with the shipped client and node.

import { describe, expect, test } from 'vitest';
import type { Link, Transport } from '../../src/ports/transport.ts';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeNodeMessages, encodeNodeMessages } from '../../src/wire/client.ts';
import { foundCluster } from '../../sim/cluster-founding.ts';
import type { TransportTap } from '../../sim/cluster-client.ts';
import { lossOf, look, nowMs, result, take } from './client-scenario.ts';
import { always, seeds, withLeader } from './scenario.ts';

const TTL_MS = 3_000;

describe('a waiter', () => {
  test('C2 whose session is ended by an operator rejects within a heartbeat, and leaves its place', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const [one, two, three] = ['one', 'two', 'three'].map((name) => cluster.client(name));
      if (one === undefined || two === undefined || three === undefined) throw new Error('three');
      const grant = await take(cluster, one);
      const second = two.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      await cluster.runFor(100);
      const third = three.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      await cluster.runFor(100);
      const startMs = nowMs(cluster);
      await result(cluster, three, (client) =>
        client.endSession(two.client.session.id ?? '', { reason: 'stuck' }),
      );
      await cluster.until('the rejection', () => second.isSettled);
      expect(nowMs(cluster) - startMs).toBeLessThan(15_000 / 3);
      expect(second.value).toMatchObject({ isOk: false, error: { code: 'SESSION_ENDED' } });
      expect((await look(cluster, one)).waiters).toMatchObject([
        { session: three.client.session.id },
      ]);
      await result(cluster, one, () => grant.release());
      await cluster.until('the turn of the next', () => third.isSettled);
      expect(third.value.isOk).toBe(true);
    }
  });

  test('C3 that dies lets nobody in: of two writers behind it only the next one, and readers wait', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const one = cluster.client('one');
      const dead = cluster.client('dead', { ttlMs: TTL_MS });
      const next = cluster.client('next');
      const reader = cluster.client('reader');
      const grant = await take(cluster, one);
      dead.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      await cluster.runFor(100);
      const writing = next.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      await cluster.runFor(100);
      const reading = reader.run(({ client }) =>
        client.lock('a').acquire({ waitMs: Infinity, mode: 'shared' }),
      );
      await cluster.runFor(100);
      dead.handle.crash();
      await cluster.runFor(2 * TTL_MS);
      expect([writing.isSettled, reading.isSettled, grant.held()]).toEqual([false, false, true]);
      await result(cluster, one, () => grant.release());
      await cluster.until('the next writer', () => writing.isSettled);
      await cluster.runFor(1_000);
      expect([writing.value.isOk, reading.isSettled]).toEqual([true, false]);
      expect(await look(cluster, one)).toMatchObject({ holderCount: 1, waiterCount: 1 });
    }
  });

  test('C9 an outage makes no second entry, and no deadlock with itself', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two')];
      const grant = await take(cluster, one);
      const waiting = two.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      for (let outage = 0; outage < 3; outage++) {
        await cluster.runFor(500);
        cluster.world.isolate('two');
        for (const id of cluster.ids) cluster.world.network.resetLinks('two', id);
        await cluster.runFor(2_000);
        cluster.world.heal();
      }
      await cluster.runFor(5_000);
      expect((await look(cluster, one)).waiterCount).toBe(1);
      await result(cluster, one, () => grant.release());
      await cluster.until('its turn', () => waiting.isSettled);
      const { value } = waiting;
      if (!value.isOk) throw value.error;
      expect(await result(cluster, two, () => value.value.release())).toBe(true);
      expect(await look(cluster, one)).toMatchObject({ holderCount: 0, waiterCount: 0 });
      expect((await take(cluster, one)).held()).toBe(true);
    }
  });
});

/** Refuses so many renewals that a node has confirmed. */
function refusing(budget: { left: number }): TransportTap {
  const refuse = (message: NodeMessage): NodeMessage => {
    if (message.type !== 'keepAliveReply' || budget.left === 0) return message;
    budget.left--;
    return { ...message, items: message.items.map((item) => ({ ...item, code: 'NOT_LEADER' })) };
  };
  const wrap = (inner: Link): Link => {
    const outer: Link = {
      remote: inner.remote,
      bufferedBytes: 0,
      onFrame: () => {},
      onClose: () => {},
      onDrain: () => {},
      send: (frame) => inner.send(frame),
      pause: () => inner.pause(),
      resume: () => inner.resume(),
      close: (reason) => inner.close(reason),
    };
    inner.onFrame = (frame) =>
      outer.onFrame(encodeNodeMessages(decodeNodeMessages(frame).map(refuse)));
    inner.onClose = (reason) => outer.onClose(reason);
    inner.onDrain = () => outer.onDrain();
    return outer;
  };
  return (transport: Transport): Transport => ({
    listen: (onLink, done) => transport.listen(onLink, done),
    dial: (address, door, done) =>
      transport.dial(address, door, (reached) =>
        done(typeof reached === 'string' ? reached : wrap(reached)),
      ),
    close: (done) => transport.close(done),
  });
}

describe('a renewal that is refused', () => {
  test.each([1, 3])(
    'A14 %i times is sent again long before the deadline, and the lock is kept',
    async (times) => {
      for (const seed of seeds(3)) {
        const { cluster } = await withLeader({ seed });
        const budget = { left: 0 };
        const one = cluster.client('one', { ttlMs: TTL_MS }, {}, refusing(budget));
        const grant = await take(cluster, one);
        await cluster.runFor(5_000);
        budget.left = times;
        let leastMs = Infinity;
        await always(cluster, 30_000, () => (leastMs = Math.min(leastMs, grant.remainingMs())));
        expect([seed, budget.left, grant.held(), lossOf(grant)]).toEqual([seed, 0, true, null]);
        // A third of the TTL to the renewal, then pauses that grow to an eighth.
        expect(leastMs).toBeGreaterThan((0.98 - 1 / 3 - times / 8) * TTL_MS - 20);
        expect(leastMs).toBeLessThan((0.98 - 0.3) * TTL_MS);
      }
    },
  );
});

describe('nodes whose directories were wiped', () => {
  test('C18 tell live clients at once that this is another cluster; nothing hangs', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one'), cluster.client('two')];
      const grant = await take(cluster, one);
      const waiting = two.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity }));
      await cluster.runFor(500);
      for (const node of cluster.all()) {
        node.crash();
        node.disk.removeStore();
        for (const slot of node.disk.slots) slot.overwrite(null);
        node.start();
      }
      await cluster.until('blank nodes', () => cluster.all().every((node) => node.isStarted));
      await foundCluster(cluster);
      // The oracle of this world takes the nodes for one cluster: from here on it is not asked.
      const { world } = cluster;
      await world.run(world.nowUs + 3_000_000);
      expect([seed, lossOf(grant), grant.held()]).toEqual([seed, 'CLUSTER_CHANGED', false]);
      expect(waiting.value).toMatchObject({ isOk: false, error: { code: 'CLUSTER_CHANGED' } });
      const again = [one, two].map((own) =>
        own.run(({ client }) => client.lock('a').acquire({ waitMs: Infinity })),
      );
      expect(await world.run(() => again.every((each) => each.isSettled), 100_000)).toBe(true);
      for (const { value } of again) {
        expect(value).toMatchObject({ isOk: false, error: { code: 'CLUSTER_CHANGED' } });
      }
      const fresh = cluster.client('new').run(({ client }) => client.lock('a').tryAcquire());
      expect(await world.run(() => fresh.isSettled)).toBe(true);
      expect(fresh.value).toMatchObject({ isOk: true, value: { name: 'a' } });
    }
  });
});
