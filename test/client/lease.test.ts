// The lease by the client's own clock (RAFT.md §14.2). TTL 15 s unless a test says otherwise; one
// way takes 1 ms.

import { describe, expect, test } from 'vitest';
import { beliefUs } from '../../src/client/belief.ts';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeNodeMessages } from '../../src/wire/client.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';
import { held } from './held.ts';

function has(frame: Uint8Array, type: NodeMessage['type']): boolean {
  return decodeNodeMessages(frame).some((message) => message.type === type);
}

function blackhole(world: FakeWorld): void {
  for (const address of ADDRESSES) world.network.silent.add(address);
}

describe('the deadline rule', () => {
  test('R-80 M-60 belief is κ·D, rounded down: a client clock 1 % slow and a fast server agree', () => {
    expect(beliefUs(1_000)).toBe(Math.floor((1_000_000 * 0.99) / 1.01));
    expect(beliefUs(15_000)).toBe(14_702_970);
    expect(beliefUs(null)).toBe(Infinity);
  });

  test('R-80 M-59 the lease counts from before the keepalive was sent, not from its answer', async () => {
    const { world, client, grant } = await held();
    world.network.fate = (_frame, _address, isToNode) => {
      // The way back takes 2 s: what counts is when the request left.
      if (!isToNode) world.clock.block(2_000);
      return 'pass';
    };
    const before = grant.remainingMs();
    await world.run(7_000);
    expect(before).toBeLessThanOrEqual(beliefUs(15_000) / 1000);
    expect(client.session.remainingMs()).toBeLessThanOrEqual(beliefUs(15_000) / 1000 - 2_000);
  });

  test('R-80 an opened session counts from the first transmission of its request', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'lost' };
    node.isLate = true;
    const sentMs = world.nowMs();
    const acquiring = client.lock('a').acquire();
    await world.run(3_000);
    node.refusal = null;
    await world.settle(acquiring);
    expect(world.cluster.locks.sessionCount()).toBe(1);
    const endMs = world.nowMs() + client.session.remainingMs();
    expect(endMs).toBeLessThanOrEqual(sentMs + 1 + beliefUs(15_000) / 1000);
  });

  test('R-80 an open request that is answered after its lease would be over begins anew', async () => {
    const world = new FakeWorld();
    world.cluster.elect(null);
    const client = world.client({ waitMs: 60_000 });
    const acquiring = client.lock('a').acquire();
    await world.run(30_000);
    world.cluster.elect('n2');
    const grant = await world.settle(acquiring);
    expect(grant.remainingMs()).toBeGreaterThan(14_000);
  });

  test('R-80 a session whose answer came after its lease is not used', async () => {
    const world = new FakeWorld();
    world.cluster.expires = false;
    const client = world.client({ waitMs: 60_000 });
    let isBlocked = false;
    world.network.fate = (frame, _address, isToNode) => {
      if (!isBlocked && !isToNode && has(frame, 'reply')) {
        isBlocked = true;
        world.clock.block(20_000);
      }
      return 'pass';
    };
    const grant = await world.settle(client.lock('a').acquire());
    expect([isBlocked, grant.held()]).toEqual([true, true]);
    expect(world.cluster.count('openSession')).toBe(2);
  });

  test('a renewal is sent at a third of the TTL, and the session outlives many TTLs', async () => {
    const { world, grant } = await held();
    await world.run(600_000);
    expect(grant.held()).toBe(true);
    expect(world.cluster.count('expireSession')).toBe(0);
  });

  test('null as a TTL holds for ever, and says so', async () => {
    const { world, grant } = await held({ ttlMs: null });
    blackhole(world);
    await world.run(3_600_000);
    expect([grant.held(), grant.remainingMs()]).toEqual([true, Infinity]);
  });
});

describe('the end of a lease', () => {
  test('B10 a black hole: the signal fires before the deadline without any packet', async () => {
    const { world, grant } = await held();
    const { signal } = grant;
    const endMs = world.nowMs() + grant.remainingMs();
    blackhole(world);
    let firedMs = Infinity;
    signal.addEventListener('abort', () => (firedMs = world.nowMs()));
    await world.run(15_000);
    expect(firedMs).toBeLessThanOrEqual(endMs - 700);
    expect(signal.reason).toMatchObject({ code: 'UNAVAILABLE' });
    expect(String(signal.reason)).toContain('"a"');
    expect(String(signal.reason)).toContain(ADDRESSES[0]);
    expect(grant.held()).toBe(false);
  });

  test('B2 the signal has fired before another can be granted the lock', async () => {
    const { world, client, grant } = await held();
    const other = world.client();
    const waiting = other.lock('a').acquire({ waitMs: 60_000 });
    await world.run(10);
    let wasHeld: boolean | null = null;
    const { signal } = grant;
    // Only the holder is cut off: its renewals are swallowed.
    world.cluster.node('n1').deafTo = client.session.id;
    world.cluster.node('n1').deafness = 1_000;
    const expire = world.cluster.expire.bind(world.cluster);
    world.cluster.expire = (session) => {
      wasHeld ??= grant.held() || !signal.aborted;
      expire(session);
    };
    await world.settle(waiting);
    expect(wasHeld).toBe(false);
  });

  test('B9 after the event loop was blocked the first thing seen is the reason', async () => {
    const { world, grant } = await held({ ttlMs: 1_000 });
    const { signal } = grant;
    world.clock.block(3_000);
    await world.run(0);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'EVENT_LOOP_BLOCKED' });
    expect(String(signal.reason)).toMatch(/blocked.* for 2\d\d\d ms/);
  });

  test('B9 code that asks before any timer ran is told too', async () => {
    const { world, grant } = await held({ ttlMs: 1_000 });
    world.clock.block(3_000);
    expect(grant.held()).toBe(false);
    expect(grant.signal.reason).toMatchObject({ code: 'EVENT_LOOP_BLOCKED' });
    expect(() => grant.assertHeld()).toThrow('LOCK_LOST');
  });

  test('B9 a suspend is told apart from a blocked loop, each with how long', async () => {
    const { world, grant } = await held();
    world.clock.suspend(20_000);
    expect(grant.signal.reason).toMatchObject({
      code: 'EVENT_LOOP_BLOCKED',
      message: expect.stringContaining('the machine was suspended for 20010 ms'),
      details: { blockedMs: 0, suspendedMs: 20_010 },
    });
    // What may be nothing but a step of the boot clock is no cause.
    const both = await held();
    both.world.clock.suspend(40);
    both.world.clock.block(20_000);
    const short = String(both.grant.signal.reason);
    expect(short).toContain('the event loop was blocked for');
    expect(short).not.toContain('suspended');
    const blocked = await held();
    blocked.world.clock.block(20_000);
    const { details } = Object(blocked.grant.signal.reason);
    expect(details).toMatchObject({ suspendedMs: 0 });
    expect(details.blockedMs).toBeGreaterThan(18_900);
  });

  test('B9 a short block is no excuse for nodes that did not answer', async () => {
    const { world, grant } = await held();
    blackhole(world);
    world.clock.block(3_000);
    await world.run(15_000);
    const { code, details } = Object(grant.signal.reason);
    expect(code).toBe('UNAVAILABLE');
    expect(details.blockedMs).toBeGreaterThan(1_900);
    expect(details.silentMs).toBeGreaterThan(13_000);
  });

  test('a suspend of the machine counts, though the monotonic clock stood still', async () => {
    const { world, grant } = await held();
    world.clock.suspend(20_000);
    expect(() => grant.assertHeld()).toThrow('LOCK_LOST');
  });

  test('held() sees a suspend once 50 ms have passed', async () => {
    const { world, grant } = await held();
    world.clock.suspend(20_000);
    world.clock.block(50);
    expect(grant.held()).toBe(false);
  });

  test('B6 lost is lost: a confirmation that comes later revives nothing', async () => {
    const { world, client, grant } = await held({ ttlMs: 1_000 });
    world.cluster.expires = false;
    await world.run(340);
    // The renewal is under way; its answer waits in the socket while the process stands still.
    world.clock.block(2_000);
    expect(grant.held()).toBe(false);
    await world.run(5_000);
    expect(grant.held()).toBe(false);
    const again = await world.settle(client.lock('b').acquire());
    expect([again.held(), grant.held()]).toEqual([true, false]);
  });

  test('B6 a confirmation that is read after the deadline revives nothing, though sent in time', async () => {
    const { world, grant } = await held({ ttlMs: 1_000 });
    world.cluster.expires = false;
    world.network.fate = (frame, _address, isToNode) => {
      const isAnswer = !isToNode && has(frame, 'keepAliveReply');
      // Sent at 334 ms, read at 1,100 ms: past the old deadline, before the new one.
      if (isAnswer) world.clock.block(1_100 - 334);
      return 'pass';
    };
    await world.run(400);
    expect([grant.held(), grant.signal.aborted]).toEqual([false, true]);
  });

  test('the margin is the caller’s choice', async () => {
    const { world, grant } = await held({ marginMs: 5_000 });
    const { signal } = grant;
    const endMs = world.nowMs() + grant.remainingMs();
    blackhole(world);
    await world.run(endMs - 5_001 - world.nowMs());
    expect(signal.aborted).toBe(false);
    await world.run(2);
    expect(signal.aborted).toBe(true);
  });
});
