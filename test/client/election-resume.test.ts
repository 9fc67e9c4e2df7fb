// A leadership that goes on: after a restart of its process, or in another one.

import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/client/grant.ts';
import { FakeWorld } from './fake-world.ts';
import { mortalClient } from './mortal.ts';

function firstOf(grants: readonly Grant[]): Grant {
  const [grant] = grants;
  if (grant === undefined) throw new Error('nothing is held');
  return grant;
}

function valueIn(world: FakeWorld): string | null {
  return world.cluster.locks.inspect('e').holders[0]?.value ?? null;
}

describe('a leader', () => {
  test('C17 leads on after a restart of its process, with its value, and proclaims', async () => {
    const world = new FakeWorld();
    const former = mortalClient(world);
    const before = await world.settle(former.client.election('e').campaign({ value: 'v0' }));
    await world.settle(before.proclaim('v1'));
    const text = former.client.session.save();
    former.die();
    const client = world.client({ resume: text });
    await world.settle(client.ready(1_000));
    const leadership = await world.settle(client.election('e').resume(firstOf(client.grants())));
    expect([leadership.value, leadership.token]).toEqual(['v1', before.token]);
    await world.settle(leadership.proclaim('v2'));
    expect([leadership.value, valueIn(world)]).toEqual(['v2', 'v2']);
    expect(client.grants()).toEqual([leadership]);
    expect(await world.settle(leadership.resign())).toBe(true);
    expect(world.standing('e')).toEqual({ holders: 0, waiters: 0 });
  });

  test('H3 hands its leadership to another process, which proclaims', async () => {
    const world = new FakeWorld();
    const giver = world.client();
    const before = await world.settle(giver.election('e').campaign({ value: 'v0' }));
    const taker = world.client();
    const grant = await world.settle(taker.takeOver(before.handOver()));
    const leadership = await world.settle(taker.election('e').resume(grant));
    // The handle has become the leadership.
    expect([grant.held(), await world.settle(grant.release())]).toEqual([false, false]);
    await world.settle(leadership.proclaim('v1'));
    await world.settle(leadership.proclaim('v2'));
    expect([leadership.held(), leadership.value, valueIn(world)]).toEqual([true, 'v2', 'v2']);
    expect(await world.settle(leadership.resign())).toBe(true);
    expect(world.standing('e')).toEqual({ holders: 0, waiters: 0 });
  });

  test('of a lock that was taken without a campaign has no value yet, and may proclaim', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('e').acquire());
    const leadership = await world.settle(client.election('e').resume(grant));
    expect(leadership.value).toBe('');
    await world.settle(leadership.proclaim('v1'));
    expect(valueIn(world)).toBe('v1');
  });

  test('other handles of its grant stay: the last one gives it back', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('e').acquire());
    const inner = grant.reenter();
    const leadership = await world.settle(client.election('e').resume(grant));
    await world.settle(leadership.resign());
    expect([inner.held(), world.standing('e').holders]).toEqual([true, 1]);
    await world.settle(inner.release());
    expect(world.standing('e').holders).toBe(0);
  });
});

describe('nobody leads', () => {
  test('by a grant of something else', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const others = [
      client.lock('e').acquire({ mode: 'shared' }),
      client.lock('f').acquire(),
      client.lockAll(['g', 'h']).acquire(),
      client.semaphore('s', 1).acquire(),
    ];
    const names = ['e', 'e', 'g', 's'];
    for (const [at, grant] of (await world.settle(Promise.all(others))).entries()) {
      const error = await world.error(client.election(names[at] ?? '').resume(grant));
      expect([at, error.code, grant.held()]).toEqual([at, 'INVALID', true]);
    }
  });

  test('by a grant that is over, here or for the cluster', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const election = client.election('e');
    const released = await world.settle(client.lock('e').acquire());
    await world.settle(released.release());
    expect((await world.error(election.resume(released))).code).toBe('LOCK_LOST');
    const broken = await world.settle(client.lock('e').acquire());
    const { token } = broken;
    // The news of the break is lost on the way.
    world.network.fate = (_frame, _address, isToNode) => (isToNode ? 'pass' : 'lose');
    const stampMs = 0;
    const by = { session: null, by: 'ops', reason: 'stuck', stampMs };
    world.cluster.apply({ op: 'break', name: 'e', token, ...by });
    await world.run(10);
    world.network.fate = () => 'pass';
    expect(broken.held()).toBe(true);
    expect((await world.error(election.resume(broken))).code).toBe('LOCK_LOST');
  });
});
