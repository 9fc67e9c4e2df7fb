// maxHoldMs: a lock that is held for too long is given back while its holder still works.

import { describe, expect, test } from 'vitest';
import { HoldEnds } from '../../src/client/hold-ends.ts';
import { FakeWorld } from './fake-world.ts';

describe('maxHoldMs', () => {
  test('B11 work of 2 s under a limit of 1 s: the signal fires at 1 s, and others get the lock', async () => {
    const world = new FakeWorld();
    const [one, two] = [world.client(), world.client()];
    const grant = await world.settle(one.lock('a').acquire({ maxHoldMs: 1_000 }));
    const startMs = world.nowMs();
    let firedMs = 0;
    grant.signal.addEventListener('abort', () => (firedMs = world.nowMs() - startMs));
    const waiting = two.lock('a').acquire();
    await world.run(900);
    expect([grant.held(), grant.remainingMs() <= 100]).toEqual([true, true]);
    const next = await world.settle(waiting, 1_100);
    expect([firedMs, grant.held(), next.token > grant.token]).toEqual([1_000, false, true]);
    expect(grant.signal.reason).toMatchObject({ code: 'HOLD_OVER', details: { maxHoldMs: 1_000 } });
    // The session and its other locks are as they were.
    expect([one.session.signal.aborted, world.cluster.count('release')]).toEqual([false, 1]);
  });

  test('B11 the limit is looked at with every use, however late the timers are', async () => {
    const world = new FakeWorld();
    const client = world.client({ maxHoldMs: 1_000 });
    const grant = await world.settle(client.lock('a').acquire());
    world.clock.block(999);
    expect(grant.held()).toBe(true);
    world.clock.block(1);
    expect([grant.held(), grant.remainingMs()]).toEqual([false, 0]);
    const error = await world.error(grant.release());
    expect([error.code, error.cause]).toMatchObject(['LOCK_LOST', { code: 'HOLD_OVER' }]);
    await world.run(10);
    expect([world.standing('a').holders, world.cluster.count('release')]).toEqual([0, 1]);
  });

  test('B11 a suspend of the machine counts', async () => {
    const world = new FakeWorld();
    const grant = await world.settle(world.client().lock('a').acquire({ maxHoldMs: 5_000 }));
    world.clock.suspend(6_000);
    expect(() => grant.assertHeld()).toThrow('LOCK_LOST');
  });

  test('B11 a process that stood still beyond both limits lost it by the first of them', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire({ maxHoldMs: 5_000 }));
    const longer = await world.settle(client.lock('b').acquire({ maxHoldMs: 16_000 }));
    world.clock.block(30_000);
    expect(() => longer.assertHeld()).toThrow('LOCK_LOST');
    const { signal } = grant;
    const details = { maxHoldMs: 5_000, blockedMs: expect.any(Number) };
    expect(signal.reason).toMatchObject({ code: 'HOLD_OVER', details });
    expect(longer.signal.reason).toMatchObject({ code: 'EVENT_LOOP_BLOCKED' });
  });

  test('B11 do rejects with LOCK_LOST and has the result', async () => {
    const world = new FakeWorld();
    const lock = world.client().lock('a');
    const done = lock.do({ maxHoldMs: 1_000 }, async () => {
      await new Promise<void>((resolve) => void world.clock.after(2_000_000, resolve));
      return 42;
    });
    const error = await world.error(done);
    expect([error.code, error.details['result']]).toEqual(['LOCK_LOST', 42]);
    expect(error.cause).toMatchObject({ code: 'HOLD_OVER' });
  });

  test('F9 a handle that everybody forgot is given back, though its session is renewed', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: 1_000, maxHoldMs: 60_000 });
    await world.settle(client.lock('a').acquire());
    await world.run(59_000);
    expect(world.standing('a').holders).toBe(1);
    await world.run(1_100);
    expect([world.standing('a').holders, client.session.signal.aborted]).toEqual([0, false]);
  });

  test('F9 what throws out of its block is given back', async () => {
    const world = new FakeWorld();
    const lock = world.client().lock('a');
    const failed = lock.do(() => {
      throw new Error('mine');
    });
    await expect(world.settle(failed)).rejects.toThrow('mine');
    expect(world.standing('a').holders).toBe(0);
  });

  test('what is released in time is not given back again', async () => {
    const world = new FakeWorld();
    const client = world.client({ maxHoldMs: 1_000 });
    const grant = await world.settle(client.lock('a').acquire());
    const { signal } = grant;
    await world.settle(grant.release());
    await world.run(5_000);
    expect([signal.aborted, world.cluster.count('release')]).toEqual([false, 1]);
  });

  test('an acquire may have another limit than its client, and both are checked', async () => {
    const world = new FakeWorld();
    const client = world.client({ maxHoldMs: 10_000 });
    const short = await world.settle(client.lock('a').acquire({ maxHoldMs: 1_000 }));
    const long = await world.settle(client.semaphore('s', 2).acquire());
    await world.run(2_000);
    expect([short.held(), long.held()]).toEqual([false, true]);
    await world.run(9_000);
    expect(long.signal.reason).toMatchObject({ code: 'HOLD_OVER' });
    for (const maxHoldMs of [0, 1.5, Infinity, -1]) {
      const error = await world.error(client.lock('a').acquire({ maxHoldMs }));
      expect([error.code, error.details['option']]).toEqual(['INVALID', 'maxHoldMs']);
    }
  });
});

describe('the end of the first limited hold', () => {
  test('is told whatever the order in which holds come and go', () => {
    const ends = new HoldEnds();
    const [late, early] = [limited(9), limited(5)];
    expect(ends.earliestUs()).toBe(Infinity);
    ends.add(late);
    ends.add(early);
    expect(ends.earliestUs()).toBe(5);
    early.isOver = true;
    ends.noteOver();
    expect(ends.earliestUs()).toBe(9);
    late.isOver = true;
    ends.noteOver();
    expect(ends.earliestUs()).toBe(Infinity);
  });

  test('is told after more holds than stay in memory', () => {
    const ends = new HoldEnds();
    const first = limited(1);
    ends.add(first);
    for (let at = 0; at < 1_000; at++) {
      const hold = limited(100 + at);
      ends.add(hold);
      hold.isOver = true;
      ends.noteOver();
    }
    expect(ends.earliestUs()).toBe(1);
    expect(ends.size).toBeLessThan(100);
  });
});

function limited(untilUs: number): { untilUs: number; isOver: boolean } {
  return { untilUs, isOver: false };
}
