import { describe, expect, test } from 'vitest';
import type { Fate } from './fake-network.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';

/** The fate befalls the n-th frame from now on, in either direction; later ones pass. */
function strike(world: FakeWorld, nth: number, fate: Fate): void {
  let seen = 0;
  world.network.fate = () => (seen++ === nth ? fate : 'pass');
}

const FATES: readonly Fate[] = ['cut', 'lose'];

// The n-th frame is lost or takes its link along: request, reply, news, greeting or keepalive.
describe.each(FATES)('C4 C13 one frame is struck (%s), whichever', (fate) => {
  test('an acquire becomes one grant, and its release frees it once', async () => {
    for (let nth = 0; nth < 14; nth++) {
      const world = new FakeWorld();
      const client = world.client();
      strike(world, nth, fate);
      const grant = await world.settle(client.lock('a').acquire());
      expect([nth, world.standing('a')]).toEqual([nth, { holders: 1, waiters: 0 }]);
      expect(grant.token).toBe(world.cluster.locks.inspect('a').holders[0]?.token);
      strike(world, 0, fate);
      expect(await world.settle(grant.release())).toBe(true);
      expect(world.standing('a').holders).toBe(0);
    }
  });

  test('C13 a waiter stands in the queue once, and learns of its grant', async () => {
    for (let nth = 0; nth < 14; nth++) {
      const world = new FakeWorld();
      const [holder, other] = [world.client(), world.client()];
      const first = await world.settle(holder.lock('a').acquire());
      await world.settle(other.lock('warm').acquire());
      strike(world, nth, fate);
      const waiting = other.lock('a').acquire({ waitMs: Infinity });
      await world.run(5_000);
      expect([nth, world.standing('a')]).toEqual([nth, { holders: 1, waiters: 1 }]);
      await world.settle(first.release());
      const second = await world.settle(waiting);
      expect(second.token).toBe(world.cluster.locks.inspect('a').holders[0]?.token);
    }
  });

  test('C1 a late release never frees a newer grant', async () => {
    for (let nth = 0; nth < 6; nth++) {
      const world = new FakeWorld();
      const client = world.client();
      const old = await world.settle(client.lock('a').acquire());
      strike(world, nth, fate);
      const releasing = old.release();
      const fresh = await world.settle(client.lock('a').acquire());
      expect(await world.settle(releasing)).toBe(true);
      await world.run(10_000);
      expect(fresh.token).toBeGreaterThan(old.token);
      expect(world.cluster.locks.inspect('a').holders[0]?.token).toBe(fresh.token);
      expect(fresh.held()).toBe(true);
    }
  });
});

describe('lost answers', () => {
  test('C13 five lost answers in a row make one queue entry', async () => {
    const world = new FakeWorld();
    const [holder, other] = [world.client(), world.client()];
    await world.settle(holder.lock('a').acquire());
    await world.settle(other.lock('warm').acquire());
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'lost' };
    node.isLate = true;
    void other.lock('a').acquire({ waitMs: Infinity });
    await world.run(400);
    expect(world.cluster.count('acquire', 'QUEUED')).toBeGreaterThan(4);
    expect(world.standing('a')).toEqual({ holders: 1, waiters: 1 });
  });

  test('C4 R-78 the leader dies after the commit: the next one tells of the same grant', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.lock('warm').acquire());
    world.network.fate = (_frame, address, isToNode) =>
      isToNode || !address.endsWith('7101') ? 'pass' : 'lose';
    const acquiring = client.lock('a').acquire();
    await world.run(20);
    const token = world.cluster.locks.inspect('a').holders[0]?.token;
    world.cluster.node('n1').stop();
    world.cluster.elect('n3');
    const grant = await world.settle(acquiring);
    expect([grant.token, world.cluster.count('acquire', 'GRANTED')]).toEqual([token, 3]);
  });

  test('another leader is asked at once, without waiting for the old one to answer', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.lock('warm').acquire());
    world.network.silent.add(ADDRESSES[0] ?? '');
    const acquiring = client.lock('a').acquire();
    await world.run(10);
    world.cluster.elect('n2');
    expect((await world.settle(acquiring, 50)).held()).toBe(true);
  });

  test('after a stall of this process the answer is read before the link is given up', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: null });
    await world.settle(client.lock('warm').acquire());
    const dials = world.network.dials;
    let stalls = 0;
    world.network.fate = (_frame, _address, isToNode) => {
      if (isToNode && stalls++ === 0) world.clock.block(10_000);
      return 'pass';
    };
    await world.settle(client.lock('a').acquire());
    expect([stalls > 0, world.network.dials]).toEqual([true, dials]);
  });

  test('a release that nobody confirms rejects in time, and still happens', async () => {
    const world = new FakeWorld();
    const client = world.client({ requestMs: 1_000 });
    const grant = await world.settle(client.lock('a').acquire());
    world.cluster.elect(null);
    const error = await world.error(grant.release());
    expect(error.code).toBe('UNAVAILABLE');
    expect(grant.held()).toBe(false);
    world.cluster.elect('n2');
    await world.run(1_500);
    expect(world.standing('a').holders).toBe(0);
  });

  test('news that no link carried are asked for', async () => {
    const world = new FakeWorld();
    const [holder, other] = [world.client(), world.client()];
    const first = await world.settle(holder.lock('a').acquire());
    const waiting = other.lock('a').acquire({ waitMs: Infinity });
    await world.run(50);
    for (const node of world.cluster.nodes) node.push = () => {};
    await world.settle(first.release());
    expect((await world.settle(waiting, 30_000)).held()).toBe(true);
  });

  test('a break that no link carried is found after the reconnect', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const { signal, token } = grant;
    world.cluster.node('n1').stop();
    const session = null;
    world.cluster.apply({ op: 'break', name: 'a', token, session, by: 'op', reason: 'stuck' });
    world.cluster.node('n1').start();
    await world.run(1_000);
    expect(signal.reason).toMatchObject({ code: 'BROKEN' });
  });
});
