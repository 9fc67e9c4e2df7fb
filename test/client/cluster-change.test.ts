import { describe, expect, test } from 'vitest';
import type { Link } from '../../src/ports/transport.ts';
import { encodeNodeMessages } from '../../src/wire/client.ts';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld, failureOf } from './fake-world.ts';

describe('C18 the cluster was founded anew', () => {
  test('everything ends at once with a code of its own', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const blocker = await world.settle(world.client().lock('b').acquire());
    const waiting = failureOf(client.lock('b').acquire({ waitMs: Infinity }));
    await world.run(50);
    const { signal } = grant;
    world.cluster.wipe('c2');
    expect((await world.settle(waiting)).code).toBe('CLUSTER_CHANGED');
    expect(signal.reason).toMatchObject({ code: 'CLUSTER_CHANGED' });
    expect((await world.error(client.lock('a').acquire())).code).toBe('CLUSTER_CHANGED');
    expect((await world.error(client.inspect('a'))).code).toBe('CLUSTER_CHANGED');
    expect((await world.error(grant.release())).code).toBe('LOCK_LOST');
    await world.settle(client.close());
    expect(blocker.held()).toBe(false);
    expect(world.cluster.locks.sessionCount()).toBe(0);
  });

  test('a stray node among ours is left out, with a warning', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    world.cluster.clusterId = 'other';
    world.cluster.node('n3').restart();
    await world.run(100);
    world.cluster.clusterId = 'c1';
    await world.run(60_000);
    expect(grant.held()).toBe(true);
    expect(world.warnings.join()).toContain(
      '10.0.0.3:7103 says: this node belongs to cluster other, not to c1',
    );
  });
});

describe('a blank node', () => {
  const welcome = { type: 'welcome', version: 1, nodeId: 'n3', storeId: 'n3' } as const;

  test('that is founded for others is left out before its leader is believed', async () => {
    const world = new FakeWorld();
    const address = ADDRESSES[2] ?? '';
    let tell = (_: readonly NodeMessage[]): void => {};
    const accept = (link: Link): void => {
      tell = (messages) => link.send(encodeNodeMessages(messages));
      link.onFrame = () => tell([{ ...welcome, clusterId: null }]);
    };
    world.cluster.node('n3').stop();
    world.network.places.set(address, { accept });
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    expect(client.nodes()[2]?.state).toBe('up');
    const news = { type: 'leader', term: 1_000, leaderId: 'n3', address, isReady: true } as const;
    tell([{ ...welcome, clusterId: 'other' }, news]);
    await world.run(10);
    expect(client.nodes()[2]?.problem).toContain('is of cluster other');
    expect(grant.held()).toBe(true);
    await world.settle(grant.release());
  });
});

describe('reconnecting', () => {
  test('G5 fifty clients of a dead cluster dial with growing, scattered pauses', async () => {
    const world = new FakeWorld();
    const clients = Array.from({ length: 50 }, () => world.client());
    for (const client of clients) await world.settle(client.ready(1_000));
    for (const node of world.cluster.nodes) node.stop();
    const before = world.network.dials;
    await world.run(60_000);
    const perLink = (world.network.dials - before) / (50 * 3);
    expect(perLink).toBeGreaterThan(20);
    expect(perLink).toBeLessThan(60);
    for (const node of world.cluster.nodes) node.start();
    await world.run(2_100);
    for (const client of clients)
      expect(client.nodes().every((node) => node.state === 'up')).toBe(true);
    await world.settle(Promise.all(clients.map((client) => client.close())));
  });

  test('G5 a node that accepts and hangs up is not dialled in a tight loop', async () => {
    const world = new FakeWorld();
    for (const node of world.cluster.nodes) {
      world.network.places.set(node.address, { accept: (link) => link.close('no') });
    }
    world.client();
    await world.run(60_000);
    expect(world.network.dials / 3).toBeLessThan(60);
  });

  test('garbage from a node costs that link, not the client', async () => {
    const world = new FakeWorld();
    world.network.places.set(ADDRESSES[1] ?? '', {
      accept: (link) => {
        link.onFrame = () => link.send(new Uint8Array([0xc1, 0, 255]));
      },
    });
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    expect(grant.held()).toBe(true);
    expect(client.nodes()[1]?.problem).toContain('not understood');
  });

  test('one address is enough: the leader is found through it', async () => {
    const world = new FakeWorld();
    world.cluster.elect('n3');
    const client = world.client({ nodes: ADDRESSES.slice(0, 1) });
    const grant = await world.settle(client.lock('a').acquire());
    expect(grant.held()).toBe(true);
    const linked = client.nodes().map((node) => node.address);
    expect(new Set(linked)).toEqual(new Set(ADDRESSES));
  });

  test('ready rejects in time, with every address and why', async () => {
    const world = new FakeWorld();
    world.cluster.node('n1').stop();
    world.cluster.elect(null);
    const client = world.client();
    const error = await world.error(client.ready(500));
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toContain('10.0.0.1:7101 (connection refused)');
    expect(error.message).toContain('10.0.0.2:7102 (knows no leader)');
  });

  test('the news of the highest term win, in whatever order they come', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    const stale = world.cluster.node('n1');
    stale.tellLeader = () => {};
    world.cluster.elect('n2');
    await world.run(5);
    expect(client.nodes().map((node) => node.isLeader)).toEqual([false, true, false]);
  });
});
