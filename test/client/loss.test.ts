// What callers see when a lease or a lock is lost, and what they can do then.

import { describe, expect, test } from 'vitest';
import { decodeNodeMessages } from '../../src/wire/client.ts';
import type { Client } from '../../src/client/client.ts';
import { failureOf } from './fake-world.ts';
import type { FakeWorld } from './fake-world.ts';
import { held } from './held.ts';

function endSession(world: FakeWorld, client: Client): void {
  const session = client.session.id ?? '';
  world.cluster.apply({ op: 'endSession', session, by: 'op', reason: 'host is gone' });
}

describe('waiters', () => {
  test('B1 a waiter whose session expired is told so, and the next one gets the lock', async () => {
    const { world, grant } = await held();
    const [dying, next] = [world.client(), world.client()];
    const lost = failureOf(dying.lock('a').acquire({ waitMs: Infinity }));
    await world.run(50);
    const waiting = next.lock('a').acquire({ waitMs: Infinity });
    await world.run(50);
    world.cluster.expire(dying.session.id ?? '');
    expect((await world.settle(lost)).code).toBe('SESSION_EXPIRED');
    await world.settle(grant.release());
    expect((await world.settle(waiting)).held()).toBe(true);
  });

  test('B1 a grant that arrives after the deadline is not a hold', async () => {
    const { world, grant } = await held();
    const other = world.client();
    const lost = failureOf(other.lock('a').acquire({ waitMs: Infinity }));
    await world.run(50);
    world.cluster.expires = false;
    world.network.fate = (frame, _address, isToNode) => {
      if (isToNode) return 'pass';
      // The news lie in the socket while the process stands still, and are read before any timer.
      const isNews = decodeNodeMessages(frame).some((message) => message.type === 'news');
      if (isNews) world.clock.block(20_000);
      return 'pass';
    };
    grant.release().catch(() => {});
    const error = await world.settle(lost);
    expect(error).toMatchObject({ code: 'EVENT_LOOP_BLOCKED', outcome: 'unknown' });
    expect(error.cause).toMatchObject({ code: 'EVENT_LOOP_BLOCKED' });
    expect(world.cluster.locks.inspect('a').holders).toHaveLength(1);
  });

  test('B7 no node answers until the lease is over: UNAVAILABLE, for the queue may have it', async () => {
    const { world } = await held();
    const lost = failureOf(world.client().lock('a').acquire({ waitMs: Infinity }));
    await world.run(50);
    for (const node of world.cluster.nodes) node.stop();
    const error = await world.settle(lost, 20_000);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', outcome: 'unknown', retryable: true });
    expect(error.cause).toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('B7 C10 what no node was sent before its session was lost goes on in a new one', async () => {
    const { world, client, grant } = await held();
    const first = client.session.id;
    for (const node of world.cluster.nodes) node.stop();
    await world.run(50);
    const waiting = client.lock('b').acquire({ waitMs: 40_000 });
    const failing = world.error(client.lock('c').acquire({ waitMs: 30_000 }), 31_000);
    await world.run(20_000);
    expect(grant.held()).toBe(false);
    expect((await failing).details).toMatchObject({ waitedMs: 30_000 });
    for (const node of world.cluster.nodes) node.start();
    const next = await world.settle(waiting);
    expect([next.held(), client.session.id === first]).toEqual([true, false]);
    // Nothing was asked for in the session that is over.
    expect(world.standing('b')).toEqual({ holders: 1, waiters: 0 });
  });

  test('C2 a waiter whose session an operator ends rejects within a heartbeat', async () => {
    const { world } = await held();
    const other = world.client();
    const lost = failureOf(other.lock('a').acquire({ waitMs: Infinity }));
    await world.run(50);
    const startMs = world.nowMs();
    endSession(world, other);
    const error = await world.settle(lost);
    expect([error.code, error.details['reason']]).toEqual(['SESSION_ENDED', 'op: host is gone']);
    expect(world.nowMs() - startMs).toBeLessThan(50);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 0 });
  });
});

describe('holders', () => {
  test('B7 nobody listens to the loss: no rejection, no thrown timer, one warning each', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const { world, grant } = await held();
    const waiting = failureOf(world.client().lock('a').acquire({ waitMs: Infinity }));
    await world.run(50);
    for (const node of world.cluster.nodes) node.stop();
    await world.run(60_000);
    process.off('unhandledRejection', note);
    expect([grant.held(), rejections]).toEqual([false, []]);
    expect(world.warnings).toHaveLength(2);
    expect((await world.settle(waiting)).code).toBe('UNAVAILABLE');
  });

  test('a break reaches the holder of that lock alone, with who and why', async () => {
    const { world, client, grant } = await held();
    const other = await world.settle(client.lock('b').acquire());
    const { token } = grant;
    await world.settle(world.client({ name: 'ops' }).break('a', { token, reason: 'stuck' }));
    await world.run(5);
    expect(grant.signal.reason).toMatchObject({ code: 'BROKEN' });
    expect(String(grant.signal.reason)).toContain('ops: stuck');
    expect([grant.held(), other.held(), client.session.signal.aborted]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('C16 after the loss the same lock object works, with a larger token', async () => {
    const { world, client, grant } = await held();
    const { id, signal } = client.session;
    endSession(world, client);
    await world.run(5);
    expect(grant.signal.reason).toMatchObject({ code: 'SESSION_ENDED' });
    expect(signal.aborted).toBe(true);
    const again = await world.settle(client.lock('a').acquire());
    expect(again.token).toBeGreaterThan(grant.token);
    expect([again.held(), grant.held()]).toEqual([true, false]);
    expect(client.session.id).not.toBe(id);
  });

  test('B3 a new session queues behind what the old one still holds', async () => {
    const { world, client, grant } = await held();
    world.cluster.expires = false;
    world.clock.block(20_000);
    expect(grant.held()).toBe(false);
    const old = world.cluster.locks.inspect('a').holders[0]?.session ?? '';
    const waiting = client.lock('a').acquire({ waitMs: Infinity });
    await world.run(100);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 1 });
    world.cluster.expire(old);
    const again = await world.settle(waiting);
    expect(again.token).toBeGreaterThan(grant.token);
  });
});

describe('release', () => {
  test('D3 D6 of an expired lock rejects at once, whatever the patience', async () => {
    const { world, grant } = await held();
    world.clock.block(20_000);
    await expect(grant.release()).rejects.toMatchObject({
      code: 'LOCK_LOST',
      cause: { code: 'EVENT_LOOP_BLOCKED' },
    });
    expect(world.cluster.count('release')).toBe(0);
  });

  test('D3 of a lock that was broken rejects with the reason', async () => {
    const { world, client, grant } = await held();
    await world.settle(client.break('a', { token: grant.token, reason: 'stuck' }));
    const error = await world.error(grant.release());
    expect([error.code, error.cause]).toMatchObject(['LOCK_LOST', { code: 'BROKEN' }]);
    expect(error.details).toMatchObject({ cause: 'BROKEN', reason: 'client: stuck' });
  });

  test('D3 that the cluster refuses rejects with its answer', async () => {
    const { world, grant } = await held();
    for (const node of world.cluster.nodes) node.push = () => {};
    const { token } = grant;
    world.cluster.apply({ op: 'break', name: 'a', token, session: null, by: 'x', reason: 'y' });
    const error = await world.error(grant.release());
    expect([error.code, error.details['answer']]).toEqual(['LOCK_LOST', 'NOT_HOLDER']);
  });

  test('G8 twice, side by side and later: true once, then false, one entry', async () => {
    const { world, grant } = await held();
    const both = Promise.all([grant.release(), grant.release()]);
    expect(await world.settle(both)).toEqual([true, false]);
    expect(await world.settle(grant.release())).toBe(false);
    expect(world.cluster.count('release')).toBe(1);
  });

  test('await using releases, and never throws for a lease that is gone', async () => {
    const { world, client } = await held();
    const used = await world.settle(client.lock('b').acquire());
    await world.settle(used[Symbol.asyncDispose]());
    expect(world.standing('b').holders).toBe(0);
    const lost = await world.settle(client.lock('b').acquire());
    world.clock.block(20_000);
    await world.settle(lost[Symbol.asyncDispose]());
  });
});
