import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { WatchBatches } from '../../src/client/watch-batches.ts';
import type { LockWatch } from '../../src/client/watch.ts';
import type { FeedOwner } from '../../src/client/watches.ts';
import type { WatchEvent } from '../../src/wire/watch-messages.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld, failureOf } from './fake-world.ts';
import { countEvents, pulse, pulseBehindTheScenes, take, typesOf } from './watching.ts';

const EVENT: WatchEvent = {
  type: 'granted',
  name: 'a',
  session: '1-a',
  acquireSeq: 1,
  token: 2,
  value: null,
  cause: '',
  reason: '',
  delayMs: 0,
};

async function watching(options: Parameters<Client['watch']>[0]) {
  const world = new FakeWorld();
  const [client, other] = [world.client(), world.client({ name: 'other' })];
  const watch = client.watch(options);
  await world.settle(watch.ready());
  return { world, client, other, watch };
}

describe('a watch', () => {
  test('tells of a lock from its first grant to its last release, with revisions', async () => {
    const { world, client, other, watch } = await watching({ name: 'a' });
    const first = await world.settle(client.lock('a').acquire());
    const second = other.lock('a').acquire();
    await world.run(50);
    await pulse(world, client, 'b');
    await world.settle(first.release());
    await world.settle((await world.settle(second)).release());
    const notices = await take(world, watch, 5);
    expect(typesOf(notices)).toEqual(['granted', 'queued', 'released', 'granted', 'released']);
    expect(notices[0]).toMatchObject({ name: 'a', token: first.token, revision: first.token });
    expect(notices[2]?.revision).toBe(notices[3]?.revision);
    expect(notices[4]?.revision).toBe(watch.revision);
  });

  test('of a prefix, and of all', async () => {
    const { world, client, other, watch } = await watching({ prefix: 'a/' });
    const all = other.watch({});
    await world.settle(all.ready());
    for (const name of ['a', 'a/1', 'b', 'a/2']) await pulse(world, client, name);
    expect((await take(world, watch, 4)).map((each) => 'name' in each && each.name)).toEqual([
      'a/1',
      'a/1',
      'a/2',
      'a/2',
    ]);
    expect(await take(world, all, 8)).toHaveLength(8);
  });

  test('H1 of the name "a" hears nothing of "a/1"', async () => {
    const { world, client, watch } = await watching({ name: 'a' });
    await pulse(world, client, 'a/1');
    await pulse(world, client, 'a');
    expect(await take(world, watch, 2)).toMatchObject([{ name: 'a' }, { name: 'a' }]);
  });

  test('tells an expiry, and who gets the lock by it, in one revision', async () => {
    const { world, client, other, watch } = await watching({ name: 'a' });
    const held = await world.settle(other.lock('a').acquire());
    const waiting = client.lock('a').acquire();
    await world.run(50);
    world.cluster.expire(other.session.id ?? '');
    await world.settle(waiting);
    const notices = await take(world, watch, 4);
    expect(typesOf(notices)).toEqual(['granted', 'queued', 'expired', 'granted']);
    expect(notices[2]).toMatchObject({ token: held.token, revision: notices[3]?.revision });
  });

  test('tells by whom and why a lock was broken', async () => {
    const { world, client, watch } = await watching({ name: 'a' });
    const { token } = await world.settle(client.lock('a').acquire());
    await world.settle(client.break('a', { token, reason: 'stuck', by: 'ops' }));
    const [, broken] = await take(world, watch, 2);
    expect(broken).toMatchObject({ type: 'broken', token, cause: 'broken', reason: 'ops: stuck' });
  });

  test('goes on after a revision, in the middle of an entry too', async () => {
    const { world, client, watch } = await watching({});
    const grant = await world.settle(client.lockAll(['a', 'b']).acquire());
    const begun = watch.revision;
    const [one] = await take(world, watch, 1);
    expect([one?.revision, watch.revision]).toEqual([grant.token, grant.token - 1]);
    const again = client.watch({ after: watch.revision });
    expect(await take(world, again, 2)).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(again.revision).toBe(grant.token);
    expect(begun).toBeLessThan(grant.token);
  });
});

describe('a watch that is cut off', () => {
  test('tells each event once, in order, whatever link ends when', async () => {
    const { world, client, other, watch } = await watching({ name: 'a' });
    const cuts: (() => void)[] = [
      () => world.network.cut(ADDRESSES[0] ?? ''),
      () => world.cluster.elect('n2'),
      () => world.cluster.node('n2').restart(),
      () => world.cluster.elect('n3'),
    ];
    const tokens: number[] = [];
    for (const cut of [...cuts, ...cuts]) {
      const grant = await world.settle(other.lock('a').acquire());
      tokens.push(grant.token);
      cut();
      await world.settle(grant.release());
    }
    await pulse(world, client, 'end');
    const notices = await take(world, watch, tokens.length * 2);
    expect(typesOf(notices)).toEqual(tokens.flatMap(() => ['granted', 'released']));
    expect(notices.filter(({ type }) => type === 'granted').map((each) => each.revision)).toEqual(
      tokens,
    );
  });

  test('says so once when what it missed is forgotten, and goes on', async () => {
    const { world, other, watch } = await watching({ name: 'a' });
    await pulse(world, other, 'a');
    const seen = await take(world, watch, 2);
    for (const node of world.cluster.nodes) node.stop();
    await world.run(1_000);
    pulseBehindTheScenes(world, 'a', 150);
    const missedTo = world.cluster.revision;
    for (const node of world.cluster.nodes) node.start();
    const [gap] = await take(world, watch, 1);
    expect(gap).toEqual({ type: 'gap', after: seen[1]?.revision, revision: missedTo });
    expect(watch.revision).toBe(missedTo);
    await pulse(world, other, 'a');
    expect(typesOf(await take(world, watch, 2))).toEqual(['granted', 'released']);
  });

  test('has missed nothing when thousands of events were of other locks', async () => {
    const { world, other, watch } = await watching({ prefix: 'quiet/' });
    const begun = await world.settle(watch.ready());
    const first = watch[Symbol.asyncIterator]().next();
    // More than fifty times what the nodes remember.
    for (let round = 0; round < 200; round++) {
      pulseBehindTheScenes(world, 'busy', 26);
      await world.run(10);
    }
    expect(watch.revision).toBeGreaterThan(begun + 10_000);
    for (const node of world.cluster.nodes) node.restart();
    await pulse(world, other, 'quiet/a');
    expect((await world.settle(first)).value).toMatchObject({ type: 'granted' });
    expect(typesOf(await take(world, watch, 1))).toEqual(['released']);
  });

  test('C21 is no loss of a lock: a link that is reset every second for a minute', async () => {
    const { world, client, other, watch } = await watching({ name: 'b' });
    const grant = await world.settle(client.lock('a').acquire());
    const told = take(world, watch, 120);
    for (let second = 0; second < 60; second++) {
      for (const address of ADDRESSES) world.network.cut(address);
      await pulse(world, other, 'b');
      await world.run(1_000);
      expect([second, grant.held(), grant.signal.aborted]).toEqual([second, true, false]);
    }
    expect(typesOf(await told)).toEqual(
      Array.from({ length: 60 }, () => ['granted', 'released']).flat(),
    );
    expect(await world.settle(grant.release())).toBe(true);
  });

  test('begins when there is a leader', async () => {
    const world = new FakeWorld();
    world.cluster.elect(null);
    const client = world.client({ requestMs: 500 });
    const watch = client.watch({ name: 'a' });
    const error = await world.error(watch.ready());
    expect(error.code).toBe('UNAVAILABLE');
    world.cluster.elect('n2');
    expect(await world.settle(watch.ready())).toBe(world.cluster.revision);
    await pulse(world, client, 'a');
    expect(typesOf(await take(world, watch, 2))).toEqual(['granted', 'released']);
  });
});

describe('a reader that is slower than the events', () => {
  test('is told of a gap and goes on with the newest', async () => {
    const { world, other, watch } = await watching({ prefix: '' });
    await world.settle(other.lock('first').acquire());
    const [first] = await take(world, watch, 1);
    const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
    for (let round = 0; round < 100; round++) {
      const grant = await world.settle(other.lockAll(names).acquire());
      await world.settle(grant.release());
    }
    const [gap, next] = await take(world, watch, 2);
    expect(gap).toMatchObject({ type: 'gap', after: first?.revision });
    expect(next?.revision).toBeGreaterThan(gap?.revision ?? Infinity);
    const left = 12_000 - 166 * 60 - 60;
    const rest = await take(world, watch, left - 1);
    expect(rest.some(({ type }) => type === 'gap')).toBe(false);
    expect(watch.revision).toBe(world.cluster.revision);
  });

  test('keeps one piece of the news that nothing happens, and loses no event to it', async () => {
    const feeds: FeedOwner[] = [];
    const open = (_target: unknown, _after: unknown, owner: FeedOwner): (() => void) => {
      feeds.push(owner);
      return () => {};
    };
    const target = { name: null, prefix: '' };
    const batches = new WatchBatches({ open }, { target, after: null, signal: null });
    feeds[0]?.onBegun(1);
    feeds[0]?.onEvents(2, [EVENT]);
    for (let revision = 3; revision < 30_000; revision++) feeds[0]?.onEvents(revision, []);
    const begun = await batches.next();
    const told = [await batches.next(), await batches.next()];
    expect([begun?.kind, told]).toEqual([
      'begun',
      [
        { kind: 'events', revision: 2, events: [EVENT] },
        { kind: 'events', revision: 29_999, events: [] },
      ],
    ]);
    const later = batches.next();
    feeds[0]?.onEvents(30_000, []);
    expect(await later).toMatchObject({ revision: 30_000 });
  });
});

describe('the end of a watch', () => {
  const ends: readonly [string, (watch: LockWatch, stop: () => void) => unknown][] = [
    ['close', (watch) => watch.close()],
    ['its signal', (_watch, stop) => stop()],
    ['its disposal', (watch) => watch[Symbol.asyncDispose]()],
    ['the end of the loop', (watch) => watch[Symbol.asyncIterator]().return?.()],
  ];

  test.each(ends)('by %s: it waits no more, and nothing is sent to it', async (_by, end) => {
    const controller = new AbortController();
    const { world, other, watch } = await watching({ signal: controller.signal });
    const told = countEvents(world);
    await pulse(world, other, 'a');
    expect([(await take(world, watch, 2)).length, told()]).toEqual([2, 2]);
    const iterator = watch[Symbol.asyncIterator]();
    const pending = Promise.all([iterator.next(), iterator.next()]);
    end(watch, () => controller.abort());
    const over = { done: true, value: undefined };
    expect(await world.settle(pending)).toEqual([over, over]);
    await pulse(world, other, 'a');
    world.cluster.elect('n2');
    await pulse(world, other, 'a');
    expect([told(), await world.settle(iterator.next())]).toEqual([2, over]);
  });

  test('its signal was aborted before: it is over, and asks nobody', async () => {
    const world = new FakeWorld();
    const watch = world.client().watch({ signal: AbortSignal.abort() });
    const end = await world.settle(watch[Symbol.asyncIterator]().next());
    expect(end.done).toBe(true);
    expect((await failureOf(watch.ready())).code).toBe('CLOSED');
    await world.run(100);
    expect(world.network.frames).toBe(3);
  });

  test('when the client closes: what came before is told, then it rejects once', async () => {
    const { world, client, watch } = await watching({ name: 'a' });
    await pulse(world, client, 'a');
    await world.settle(client.close());
    expect(typesOf(await take(world, watch, 2))).toEqual(['granted', 'released']);
    expect((await world.error(take(world, watch, 1))).code).toBe('CLOSED');
    const end = await world.settle(watch[Symbol.asyncIterator]().next());
    expect(end.done).toBe(true);
    const late = client.watch({ name: 'a' });
    expect((await world.error(take(world, late, 1))).code).toBe('CLOSED');
  });

  test('when the cluster is another one', async () => {
    const { world, watch } = await watching({ name: 'a' });
    const next = failureOf(watch[Symbol.asyncIterator]().next());
    world.cluster.wipe('c2');
    expect((await world.settle(next)).code).toBe('CLUSTER_CHANGED');
  });

  test('a thousand may be open, no more', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const watches = Array.from({ length: 1_000 }, () => client.watch({ name: 'a' }));
    expect(() => client.watch({ name: 'a' })).toThrow('OVERLOADED');
    await world.settle(Promise.all(watches.map((watch) => watch.ready())));
    watches[0]?.close();
    await world.settle(client.watch({ name: 'a' }).ready());
  });
});
