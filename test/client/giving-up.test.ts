import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Grant } from '../../src/client/grant.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';

const POINTS = 150;
const FREE = { holders: 0, waiters: 0 };

async function busyWorld(): Promise<{ world: FakeWorld; holder: Client; other: Client }> {
  const world = new FakeWorld();
  const [holder, other] = [world.client(), world.client()];
  await world.settle(holder.lock('a').acquire());
  await world.settle(other.ready(1_000));
  return { world, holder, other };
}

describe('the wait is over', () => {
  test('C9 who waited too long leaves the queue, and the next one gets the lock at once', async () => {
    const { world, holder, other } = await busyWorld();
    const error = await world.error(other.lock('a').acquire({ waitMs: 100 }));
    expect(error.code).toBe('WAIT_OVER');
    expect(error.message).toContain('"a" was not granted within the 100 ms that it was to wait');
    expect(error.details).toMatchObject({ waitMs: 100, waitedMs: 100 });
    await world.run(5);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 0 });
    await world.settle(holder.close());
    const third = await world.settle(world.client().lock('a').acquire({ waitMs: 0 }));
    expect(third.held()).toBe(true);
  });

  test('C9 the leader withdraws the waiter first: the error is the same', async () => {
    const { world, other } = await busyWorld();
    const waiting = other.lock('a').acquire({ waitMs: 10_000 });
    await world.run(50);
    const session = other.session.id ?? '';
    world.cluster.apply({ op: 'withdraw', session, acquireSeq: 1, proposerTerm: 1 });
    const error = await world.error(waiting);
    expect(error.code).toBe('WAIT_OVER');
    expect(error.message).toContain('within the 10000 ms that it was to wait');
    expect(error.details['waitedMs']).toBeLessThan(10_000);
  });

  test('C9 who was queued hears WAIT_OVER when no node is left too, and leaves when one is', async () => {
    const { world, other } = await busyWorld();
    const waiting = world.error(other.lock('a').acquire({ waitMs: 2_000 }));
    await world.run(100);
    for (const node of world.cluster.nodes) node.stop();
    const error = await waiting;
    expect([error.code, error.details['waitedMs']]).toEqual(['WAIT_OVER', 2_000]);
    expect(world.standing('a').waiters).toBe(1);
    for (const node of world.cluster.nodes) node.start();
    await world.run(2_000);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 0 });
  });

  test('who was never queued hears UNAVAILABLE, not before requestMs', async () => {
    const { world, other } = await busyWorld();
    for (const node of world.cluster.nodes) node.stop();
    await world.run(10);
    const waiting = other.lock('a').acquire({ waitMs: 2_000 });
    const error = await world.error(waiting);
    expect([error.code, error.outcome]).toEqual(['UNAVAILABLE', 'none']);
    expect(error.details['waitedMs']).toBe(10_000);
  });

  test('waiting has a default limit; Infinity must be said', async () => {
    const { world, other } = await busyWorld();
    const startMs = world.nowMs();
    const endless = other.lock('a').acquire({ waitMs: Infinity });
    const closed = expect(endless).rejects.toMatchObject({ code: 'CLOSED' });
    expect((await world.error(other.lock('a').acquire())).code).toBe('WAIT_OVER');
    expect(world.nowMs() - startMs).toBe(30_000);
    await world.run(3_600_000);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 1 });
    await world.settle(other.close());
    await closed;
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 0 });
  });

  test('no node answers: UNAVAILABLE names the lock, the wait, the addresses and the cause', async () => {
    const world = new FakeWorld();
    for (const node of world.cluster.nodes) node.stop();
    const error = await world.error(world.client().lock('a').acquire({ waitMs: 12_000 }));
    expect([error.code, error.outcome]).toEqual(['UNAVAILABLE', 'none']);
    for (const part of ['"a"', '12000 ms', ...ADDRESSES, 'refused']) {
      expect(error.message).toContain(part);
    }
  });

  test('tryAcquire without a leader is an error, never null', async () => {
    const world = new FakeWorld();
    world.cluster.elect(null);
    const error = await world.error(world.client({ requestMs: 500 }).lock('a').tryAcquire());
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toContain('knows no leader');
  });

  test('C4 an acquire that may have been granted says so, and is taken back', async () => {
    const world = new FakeWorld();
    const client = world.client({ requestMs: 500 });
    await world.settle(client.lock('warm').acquire());
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'stepped down' };
    node.isLate = true;
    node.push = () => {};
    const error = await world.error(client.lock('a').tryAcquire());
    expect([error.code, error.outcome]).toEqual(['UNAVAILABLE', 'unknown']);
    expect(error.message).toContain('OUTCOME_UNKNOWN: stepped down');
    node.refusal = null;
    await world.run(2_000);
    expect(world.standing('a')).toEqual(FREE);
  });
});

describe('the caller aborts', () => {
  test('rejects at once, with the reason of the signal itself', async () => {
    const { world, other } = await busyWorld();
    const controller = new AbortController();
    const reason = { mine: true };
    const waiting = other.lock('a').acquire({ signal: controller.signal });
    await world.run(50);
    const frames = world.network.frames;
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(world.network.frames).toBe(frames);
  });

  test('with an aborted signal nothing is sent', async () => {
    const { world, other } = await busyWorld();
    const applied = world.cluster.applied.length;
    const signal = AbortSignal.abort('no');
    await expect(other.lock('a').acquire({ signal })).rejects.toBe('no');
    await world.run(100);
    expect(world.cluster.applied.length).toBe(applied);
  });

  test('a signal that outlives its acquires keeps none of them', async () => {
    const world = new FakeWorld();
    const client = world.client();
    let listeners = 0;
    const signal = Object.assign(new AbortController().signal, {
      addEventListener: () => void listeners++,
      removeEventListener: () => void listeners--,
    });
    const acquiring = client.lock('a').acquire({ signal });
    expect(listeners).toBe(1);
    const grant = await world.settle(acquiring);
    await world.settle(grant.release());
    expect(listeners).toBe(0);
  });
});

// C10: aborts before each step of the world between the call and its end, so at every point where
// acquire can be waiting: before the links are up, the session is open, the request is sent,
// applied, answered, queued, granted.
describe('C10 an acquire that is aborted at any point leaves nothing behind', () => {
  const situations: readonly [string, (world: FakeWorld) => Promise<void>][] = [
    ['the lock is free', async () => {}],
    ['another holds it and lets go', letGoSoon],
    [
      'the leader changes',
      async (world) => void world.clock.after(6_000, () => world.cluster.elect('n2')),
    ],
    ['every link is cut', async (world) => void world.clock.after(7_000, () => cutAll(world))],
  ];

  test.each(situations)('%s', async (_name, prepare) => {
    await sweep(prepare, (client, signal) => client.lock('a').acquire({ signal }));
  });

  const forms: readonly [string, Ask][] = [
    ['shared', (client, signal) => client.lock('a').acquire({ signal, mode: 'shared' })],
    ['permits', (client, signal) => client.semaphore('a', 4).acquire({ signal, permits: 2 })],
    ['several names', (client, signal) => client.lockAll(['b', 'a']).acquire({ signal })],
    ['a campaign', (client, signal) => client.election('a').campaign({ signal, value: 'v' })],
  ];

  test.each(forms)('of any form: %s', async (_name, ask) => {
    await sweep(async () => {}, ask);
  });

  test('cut off for good: the lock is free after the TTL', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: 3_000 });
    await world.settle(client.lock('warm').acquire());
    const controller = new AbortController();
    const acquiring = client.lock('a').acquire({ signal: controller.signal });
    await world.run(1);
    for (const address of ADDRESSES) world.network.silent.add(address);
    controller.abort('stop');
    await expect(acquiring).rejects.toBe('stop');
    expect(world.standing('a').holders).toBe(1);
    await world.run(3_500);
    expect(world.standing('a')).toEqual(FREE);
  });
});

type Ask = (client: Client, signal: AbortSignal) => Promise<Grant>;

async function sweep(prepare: (world: FakeWorld) => Promise<void>, ask: Ask): Promise<void> {
  let granted = 0;
  for (let point = 0; point < POINTS && granted < 3; point++) {
    const world = new FakeWorld();
    await prepare(world);
    const client = world.client();
    const controller = new AbortController();
    const acquiring = ask(client, controller.signal).catch((reason: unknown) => reason);
    await world.clock.steps(point);
    controller.abort('stop');
    const end = await world.settle(acquiring);
    if (end !== 'stop') {
      granted++;
      expect(world.standing('a').holders).toBe(1);
    } else {
      await world.run(1_000);
      expect([point, world.standing('a')]).toEqual([point, FREE]);
    }
    await world.settle(client.close());
    expect([world.standing('a'), world.standing('b')]).toEqual([FREE, FREE]);
  }
  expect(granted).toBeGreaterThan(0);
}

async function letGoSoon(world: FakeWorld): Promise<void> {
  const holder = world.client();
  const grant = await world.settle(holder.lock('a').acquire());
  world.clock.after(12_000, () => void grant.release());
}

function cutAll(world: FakeWorld): void {
  for (const address of ADDRESSES) world.network.cut(address);
}
