// Locks that are shared, counted, and taken several at a time, as their users see them.

import { describe, expect, test } from 'vitest';
import type { LockItem } from '../../src/client/items.ts';
import { FakeWorld } from './fake-world.ts';

function worldOf() {
  const world = new FakeWorld();
  return { world, one: world.client({ name: 'one' }), two: world.client({ name: 'two' }) };
}

describe('shared', () => {
  test('readers hold together; a writer waits for all, and no later reader passes it', async () => {
    const { world, one, two } = worldOf();
    const first = await world.settle(one.lock('a').acquire({ mode: 'shared' }));
    const second = await world.settle(two.lock('a').acquire({ mode: 'shared' }));
    expect([first.mode, world.standing('a').holders]).toEqual(['shared', 2]);
    const writing = two.lock('a').acquire();
    await world.run(50);
    expect(await world.settle(one.lock('a').tryAcquire({ mode: 'shared' }))).toBe(null);
    await world.settle(first.release());
    await world.run(50);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 1 });
    await world.settle(second.release());
    const writer = await world.settle(writing);
    expect(writer.mode).toBe('exclusive');
    expect(writer.token).toBeGreaterThan(Math.max(first.token, second.token));
  });

  test('the error of a writer that does not wait tells of a reader', async () => {
    const { world, one, two } = worldOf();
    const { token } = await world.settle(one.lock('a').acquire({ mode: 'shared' }));
    const error = await world.error(two.lock('a').acquire({ waitMs: 0 }));
    expect(error.message).toContain(`"a" is busy: "one" holds it shared with token ${token}`);
    expect(error.details).toMatchObject({ name: 'a', holder: { mode: 'shared' }, ghost: null });
  });

  test('the error of a reader tells of the writer that waits before it', async () => {
    const { world, one, two } = worldOf();
    await world.settle(one.lock('a').acquire({ mode: 'shared' }));
    const writing = two.lock('a').acquire();
    writing.catch(() => {});
    await world.run(50);
    const error = await world.error(one.lock('a').acquire({ mode: 'shared', waitMs: 0 }));
    expect(error.message).toContain('others wait for it');
    const [waiter] = world.cluster.locks.inspect('a').waiters;
    expect(error.details).toMatchObject({ holder: null, aheadIndex: waiter?.index });
  });

  test('do runs under a shared lock', async () => {
    const { world, one, two } = worldOf();
    await world.settle(one.lock('a').acquire({ mode: 'shared' }));
    const run = two.lock('a').do({ mode: 'shared' }, (grant) => grant.mode);
    expect(await world.settle(run)).toBe('shared');
    expect(world.standing('a').holders).toBe(1);
  });
});

describe('a semaphore', () => {
  test('has so many holders, each with the lowest slots that are free', async () => {
    const { world, one, two } = worldOf();
    const [gpu, other] = [one.semaphore('gpu', 4), two.semaphore('gpu', 4)];
    const first = await world.settle(gpu.acquire({ permits: 2 }));
    const second = await world.settle(other.acquire());
    expect([first.slots, second.slots, first.mode]).toEqual([[0, 1], [2], 'exclusive']);
    expect(await world.settle(other.tryAcquire({ permits: 2 }))).toBe(null);
    const waiting = other.acquire({ permits: 3 });
    await world.run(50);
    await world.settle(first.release());
    const third = await world.settle(waiting);
    expect([third.slots, third.slotsOf('gpu')]).toEqual([
      [0, 1, 3],
      [0, 1, 3],
    ]);
    expect(await world.settle(gpu.do({ waitMs: 0 }, () => 1).catch(() => 2))).toBe(2);
    await world.settle(third.release());
    expect(await world.settle(gpu.do(({ slots }) => slots))).toEqual([0]);
  });

  test('is busy: the error tells who has how many of how many', async () => {
    const { world, one, two } = worldOf();
    const { token } = await world.settle(one.semaphore('gpu', 4).acquire({ permits: 3 }));
    const error = await world.error(two.semaphore('gpu', 4).acquire({ permits: 2, waitMs: 0 }));
    expect(error.message).toContain(`"one" holds 3 of its 4 permits with token ${token}`);
    expect(error.details['holder']).toMatchObject({ permits: [3, 4], slots: [0, 1, 2] });
  });

  test('who means another one is refused with what is in force', async () => {
    const { world, one, two } = worldOf();
    await world.settle(one.semaphore('gpu', 4).acquire());
    for (const wrong of [two.semaphore('gpu', 5), two.lock('gpu')]) {
      const error = await world.error(wrong.acquire());
      expect([error.code, error.message]).toEqual([
        'INVALID',
        expect.stringContaining('a semaphore of 4'),
      ]);
    }
  });

  test('C6 two acquires of one client are two holders', async () => {
    const { world, one } = worldOf();
    const gpu = one.semaphore('gpu', 2);
    const [first, second] = await world.settle(Promise.all([gpu.acquire(), gpu.acquire()]));
    expect([first?.slots, second?.slots]).toEqual([[0], [1]]);
    await world.settle(first?.release() ?? Promise.resolve(false));
    expect([second?.held(), world.standing('gpu').holders]).toEqual([true, 1]);
  });
});

test('C6 two acquires of one client exclude each other, and each frees only its own', async () => {
  const { world, one } = worldOf();
  const lock = one.lock('a');
  const first = await world.settle(lock.acquire());
  const waiting = lock.acquire();
  await world.run(1_000);
  expect(world.standing('a')).toEqual({ holders: 1, waiters: 1 });
  expect(await world.settle(lock.tryAcquire())).toBe(null);
  await world.settle(first.release());
  const second = await world.settle(waiting);
  expect([second.held(), second.token > first.token]).toEqual([true, true]);
  expect(await world.settle(first.release())).toBe(false);
  expect([second.held(), world.standing('a').holders]).toEqual([true, 1]);
});

describe('several at a time', () => {
  const items: readonly LockItem[] = [
    'config',
    { name: 'data', mode: 'exclusive' },
    { name: 'gpu', permits: [2, 4] },
  ];

  test('each in its own mode, and the slots of each by name', async () => {
    const { world, one, two } = worldOf();
    await world.settle(two.semaphore('gpu', 4).acquire());
    const grant = await world.settle(one.lockAll(items).acquire({ mode: 'shared' }));
    expect([grant.names, grant.mode]).toEqual([['config', 'data', 'gpu'], 'shared']);
    expect([grant.slots, grant.slotsOf('gpu'), grant.slotsOf('data')]).toEqual([
      [1, 2],
      [1, 2],
      [],
    ]);
    expect(() => grant.slotsOf('other')).toThrow('INVALID: name must be one of');
    const modes = ['shared', 'exclusive', 'exclusive'];
    expect(grant.names.map((name) => grant.modeOf(name))).toEqual(modes);
    expect(() => grant.modeOf('other')).toThrow('INVALID: name must be one of');
    const taken = await world.settle(two.takeOver(grant.handOver()));
    expect(taken.names.map((name) => taken.modeOf(name))).toEqual(modes);
    const holder = async (name: string) => (await world.settle(two.inspect(name))).holder;
    expect(await holder('config')).toMatchObject({ mode: 'shared', permits: null });
    expect(await holder('data')).toMatchObject({ mode: 'exclusive', token: grant.token });
    expect(await world.settle(two.lock('config').tryAcquire({ mode: 'shared' }))).not.toBe(null);
    expect(await world.settle(two.lock('data').tryAcquire({ mode: 'shared' }))).toBe(null);
  });

  test('or none: the error names the first that is not free', async () => {
    const { world, one, two } = worldOf();
    await world.settle(two.lock('data').acquire());
    const error = await world.error(one.lockAll(items).acquire({ waitMs: 0 }));
    expect(error.details).toMatchObject({ name: 'data', names: ['config', 'data', 'gpu'] });
    expect(world.standing('config')).toEqual({ holders: 0, waiters: 0 });
  });
});

describe('a lock-delay', () => {
  async function delayed() {
    const { world, one, two } = worldOf();
    const careful = world.client({ name: 'careful', lockDelayMs: 5_000 });
    const grant = await world.settle(careful.lock('a').acquire());
    world.cluster.expire(careful.session.id ?? '');
    await world.run(50);
    return { world, one, two, grant };
  }

  test('D12 closes the lock after an expiry: the error and the inspection say so', async () => {
    const { world, one, grant } = await delayed();
    const { token } = grant;
    const error = await world.error(one.lock('a').acquire({ waitMs: 0 }));
    expect(error.message).toContain(
      `it is closed for 5000 ms after the session of its holder "careful" (token ${token}) expired`,
    );
    expect(error.details).toMatchObject({ holder: null, ghost: { token, lockDelayMs: 5_000 } });
    const lock = await world.settle(one.inspect('a'));
    expect(lock).toMatchObject({ holder: null, ghosts: [{ token, delayLeftMs: 5_000 }] });
    const page = await world.settle(one.list({ prefix: 'a' }));
    expect(page.locks[0]?.ghosts).toMatchObject([{ token, delayLeftMs: null }]);
  });

  test('ends by a break with the token of the former grant', async () => {
    const { world, one, two, grant } = await delayed();
    const waiting = one.lock('a').acquire();
    await world.run(50);
    expect(world.standing('a')).toEqual({ holders: 0, waiters: 1 });
    await world.settle(two.break('a', { token: grant.token, reason: 'sure' }));
    expect((await world.settle(waiting)).held()).toBe(true);
  });

  test('is none after a release', async () => {
    const { world, one } = worldOf();
    const careful = world.client({ lockDelayMs: 5_000 });
    await world.settle((await world.settle(careful.lock('a').acquire())).release());
    expect(await world.settle(one.lock('a').tryAcquire())).not.toBe(null);
  });
});
