// Explicit re-entry: one grant, several handles.

import { describe, expect, test } from 'vitest';
import { FakeWorld } from './fake-world.ts';

describe('re-entry', () => {
  test('has the same token, sends nothing, and gives the lock back with the last handle', async () => {
    const world = new FakeWorld();
    const grant = await world.settle(world.client().lock('a').acquire());
    const [frames, applied] = [world.network.frames, world.cluster.applied.length];
    const inner = grant.reenter();
    expect([inner.token, inner.names, inner.held()]).toEqual([grant.token, ['a'], true]);
    expect(await world.settle(inner.release())).toBe(true);
    expect([inner.held(), grant.held()]).toEqual([false, true]);
    expect([world.network.frames, world.cluster.applied.length]).toEqual([frames, applied]);
    expect(await world.settle(grant.release())).toBe(true);
    expect([world.cluster.count('release'), world.standing('a').holders]).toEqual([1, 0]);
  });

  test('the first handle may go first', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const inner = grant.reenter();
    expect(await world.settle(grant.release())).toBe(true);
    expect([grant.held(), inner.held(), world.standing('a').holders]).toEqual([false, true, 1]);
    expect(client.grants()).toEqual([inner]);
    await world.settle(inner.release());
    expect([client.grants(), world.standing('a').holders]).toEqual([[], 0]);
  });

  test('G8 a handle that is released twice counts once', async () => {
    const world = new FakeWorld();
    const grant = await world.settle(world.client().lock('a').acquire());
    const inner = grant.reenter();
    const both = Promise.all([inner.release(), inner.release()]);
    expect(await world.settle(both)).toEqual([true, false]);
    expect(await world.settle(inner.release())).toBe(false);
    expect([grant.held(), world.standing('a').holders]).toEqual([true, 1]);
    await world.settle(grant.release());
    expect(world.cluster.count('release')).toBe(1);
  });

  test('a handle that was released cannot be entered again, though others hold on', async () => {
    const world = new FakeWorld();
    const grant = await world.settle(world.client().lock('a').acquire());
    const inner = grant.reenter();
    await world.settle(inner.release());
    expect(() => inner.reenter()).toThrow('was released');
    expect(grant.held()).toBe(true);
  });

  test('a loss reaches all handles, and none can be entered any more', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const inner = grant.reenter();
    await world.settle(client.break('a', { token: grant.token, reason: 'stuck' }));
    await world.run(5);
    expect([grant.signal.aborted, inner.signal.aborted]).toEqual([true, true]);
    expect(() => inner.reenter()).toThrow('LOCK_LOST');
  });
});
