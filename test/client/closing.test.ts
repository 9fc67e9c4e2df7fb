// The end of a client, whatever happens beside it.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { FakeWorld, failureOf } from './fake-world.ts';
import { observed } from './observed.ts';

/** Nothing may be left: no timer, no link, and of its session only what the cluster ends itself. */
async function nothingIsLeft(world: FakeWorld): Promise<void> {
  world.cluster.expires = false;
  await world.run(60_000);
  expect([world.clock.pending(), world.network.openLinks()]).toEqual([0, 0]);
}

describe('a fast close', () => {
  test('F11 frees all five locks by one entry, and their waiters have them at once', async () => {
    const world = new FakeWorld();
    const [one, two] = [world.client(), world.client()];
    const names = ['a', 'b', 'c', 'd', 'e'];
    await world.settle(Promise.all(names.map((name) => one.lock(name).acquire())));
    const waiting = names.map((name) => two.lock(name).acquire());
    await world.run(50);
    const applied = world.cluster.applied.length;
    await world.settle(one.close(), 10);
    await world.settle(Promise.all(waiting), 10);
    expect(world.cluster.applied.slice(applied).map(({ command }) => command.op)).toEqual([
      'closeSession',
    ]);
  });

  test('F11 of a session without TTL ends it, whatever became of its grants', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: null });
    const [broken, over] = [
      await world.settle(client.lock('a').acquire()),
      await world.settle(client.lock('b').acquire({ maxHoldMs: 1_000 })),
    ];
    await world.settle(client.break('a', { token: broken.token, reason: 'stuck' }));
    await world.run(2_000);
    expect([broken.held(), over.held()]).toEqual([false, false]);
    const session = client.session.id ?? '';
    await world.settle(client.close());
    expect(world.cluster.locks.session(session)).toBeNull();
  });

  test('during the opening of a session, at every step of it', async () => {
    for (let steps = 0; steps < 40; steps++) {
      const world = new FakeWorld();
      const client = world.client();
      const acquiring = observed(client.lock('a').acquire());
      await world.clock.steps(steps);
      await world.settle(client.close(), 2_000);
      await world.run(20_000);
      if (acquiring.error === null) expect(acquiring.value?.held()).toBe(false);
      else expect([steps, acquiring.error]).toMatchObject([steps, { code: 'CLOSED' }]);
      expect(world.standing('a')).toEqual({ holders: 0, waiters: 0 });
      await nothingIsLeft(world);
    }
  });

  test('while nobody leads, and with all nodes down: two seconds', async () => {
    for (const end of ['nobody leads', 'all nodes are down']) {
      const world = new FakeWorld();
      const client = world.client();
      const grant = await world.settle(client.lock('a').acquire());
      const waiting = observed(client.lock('a').acquire({ waitMs: Infinity }));
      await world.run(50);
      if (end === 'nobody leads') world.cluster.elect(null);
      else for (const node of world.cluster.nodes) node.stop();
      const startMs = world.nowMs();
      await world.settle(client.close(), 2_000);
      expect([end, world.nowMs() - startMs]).toEqual([end, 2_000]);
      expect([grant.held(), waiting.error]).toMatchObject([false, { code: 'CLOSED' }]);
      await nothingIsLeft(world);
    }
  });

  test('twice, and side by side, is one', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.lock('a').acquire());
    await world.settle(
      Promise.all([client.close(), client.close(), client[Symbol.asyncDispose]()]),
    );
    await world.settle(client.close());
    expect(world.cluster.count('closeSession')).toBe(1);
    await nothingIsLeft(world);
  });

  test('from within the signal that it fires', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const closings: Promise<void>[] = [];
    grant.signal.addEventListener('abort', () => closings.push(client.close()));
    client.session.signal.addEventListener('abort', () => closings.push(client.close()));
    await world.settle(client.close());
    await world.settle(Promise.all(closings));
    expect([closings.length, world.cluster.count('closeSession')]).toEqual([2, 1]);
    expect(world.cluster.locks.sessionCount()).toBe(0);
    await nothingIsLeft(world);
  });

  test('from within the signal of a loss', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const waiting = observed(world.client().lock('a').acquire({ waitMs: Infinity }));
    const closings: Promise<void>[] = [];
    grant.signal.addEventListener('abort', () => closings.push(client.close()));
    world.cluster.expire(client.session.id ?? '');
    await world.run(10);
    await world.settle(Promise.all(closings));
    expect([grant.signal.reason, closings.length]).toMatchObject([{ code: 'SESSION_EXPIRED' }, 1]);
    expect(waiting.value?.held()).toBe(true);
  });

  test('from within do: its body is told, and loses the lock', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const done = client.lock('a').do(async (grant) => {
      await client.close();
      return grant.signal.aborted;
    });
    const error = await world.error(done);
    expect([error.code, error.cause, error.details['result']]).toMatchObject([
      'LOCK_LOST',
      { code: 'CLOSED' },
      true,
    ]);
  });

  test('every later call says CLOSED, and every answer that is missing comes', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.lock('a').acquire());
    world.cluster.elect(null);
    const asked: readonly Promise<unknown>[] = [
      client.inspect('a'),
      client.list(),
      client.listSessions(),
    ];
    const calls = asked.map((call) => observed(call));
    await world.settle(client.close(), 2_000);
    await world.run(1);
    for (const { error } of calls) expect(error).toMatchObject({ code: 'CLOSED' });
    const late: readonly Promise<unknown>[] = [
      client.lock('a').acquire(),
      client.inspect('a'),
      client.ready(10),
      client.takeOver('x'),
    ];
    for (const error of await world.settle(Promise.all(late.map((call) => failureOf(call))))) {
      expect(error.code).toBe('CLOSED');
    }
  });
});

describe('a close with drainMs', () => {
  test('F10 goes on renewing until the job of 30 s is done, under a TTL of 5 s', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: 5_000 });
    const job = observed(
      client.lock('a').do(async (grant) => {
        await new Promise<void>((resolve) => void world.clock.after(30_000_000, resolve));
        return grant.held();
      }),
    );
    await world.run(50);
    const closing = observed(client.close({ drainMs: 60_000 }));
    await world.run(29_000);
    expect([closing.isSettled, world.standing('a').holders]).toEqual([false, 1]);
    await world.run(1_000);
    expect([job.value, closing.isSettled, world.standing('a').holders]).toEqual([true, true, 0]);
    await nothingIsLeft(world);
  });

  test('F10 waits reject at once, and may be cut short by a further close that says so', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const waiting = observed(client.lock('a').acquire({ waitMs: Infinity }));
    await world.run(50);
    const closing = observed(client.close({ drainMs: 60_000 }));
    await world.run(1);
    expect(waiting.error).toMatchObject({ code: 'CLOSED' });
    void client.close();
    await world.run(5_000);
    expect([closing.isSettled, grant.held()]).toEqual([false, true]);
    await world.settle(client.close({ drainMs: 0 }), 100);
    expect([closing.isSettled, grant.held(), world.standing('a').holders]).toEqual([
      true,
      false,
      0,
    ]);
    await nothingIsLeft(world);
  });

  test('F10 ends when the lease is lost meanwhile', async () => {
    const world = new FakeWorld();
    const client: Client = world.client();
    await world.settle(client.lock('a').acquire());
    const closing = client.close({ drainMs: 60_000 });
    await world.run(50);
    world.cluster.expire(client.session.id ?? '');
    await world.settle(closing, 100);
    await nothingIsLeft(world);
  });
});
