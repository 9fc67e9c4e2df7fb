// Renewals from a thread beside the client: the program of the thread runs here in the same virtual
// time, over links of its own, while the client's own loop is made to stand by or is cut off.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/client.ts';
import type { Grant } from '../../src/client/grant.ts';
import { LeaseClock, originOf } from '../../src/client/lease-clock.ts';
import { SharedCells } from '../../src/client/lease-cells.ts';
import { LEASE_CELLS, LeaseMemory } from '../../src/client/lease-memory.ts';
import { RenewalProgram } from '../../src/client/thread-program.ts';
import type {
  StartRenewalThread,
  ThreadOrder,
  ThreadOwner,
} from '../../src/client/thread-messages.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { decodeClientMessages } from '../../src/wire/client.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';
import { observed } from './observed.ts';
import { VirtualClock } from './virtual-clock.ts';

interface Threaded {
  readonly world: FakeWorld;
  readonly client: Client;
  readonly grant: Grant;
  /** The thread fails. */
  readonly fail: () => void;
  /** Whether end() was called. */
  readonly isEnded: () => boolean;
}

interface Started extends Omit<Threaded, 'grant'> {
  /** What the thread does with orders; tests may put something else there. */
  readonly program: { onOrder(order: ThreadOrder): void };
}

async function held(maxHoldMs = 600_000): Promise<Threaded> {
  const world = new FakeWorld();
  const started = threaded(world, maxHoldMs);
  const grant = await world.settle(started.client.lock('a').acquire());
  return { ...started, grant };
}

function threaded(world: FakeWorld, maxHoldMs = 600_000): Started {
  const { clock, network: transport } = world;
  const random = { u32: () => 0x8000_0000 };
  const warn = (message: string): void => void world.warnings.push(message);
  let isEnded = false;
  const door = { onOrder: (_order: ThreadOrder): void => {} };
  let told: ThreadOwner | null = null;
  const startThread: StartRenewalThread = (owner) => {
    told = owner;
    const tell = owner.onNews.bind(owner);
    const program = new RenewalProgram({ clock, random, transport, tell });
    door.onOrder = (order) => program.onOrder(order);
    return { post: (order) => door.onOrder(order), end: () => void (isEnded = true) };
  };
  const logger = { ...silentLogger, warn };
  const client = createClient(
    { clock, transport, random, logger, startThread },
    { nodes: ADDRESSES, ttlMs: 15_000, keepAlive: 'worker', maxHoldMs },
  );
  const fail = (): void => told?.onEnded('a test says so');
  return { world, client, program: door, fail, isEnded: () => isEnded };
}

/** When renewals are sent, in milliseconds from now. */
function renewals(world: FakeWorld): number[] {
  const startMs = world.nowMs();
  const times: number[] = [];
  world.network.fate = (frame, _address, isToNode) => {
    const messages = isToNode ? decodeClientMessages(frame) : [];
    if (messages.some(({ type }) => type === 'keepAlive')) times.push(world.nowMs() - startMs);
    return 'pass';
  };
  return times;
}

describe('keepAlive worker', () => {
  test('B9 the thread renews at a third of the TTL, and the client never has to', async () => {
    const { world, grant } = await held();
    const times = renewals(world);
    await world.run(60_000);
    expect(grant.held()).toBe(true);
    // One for each third of the TTL, less a spread of a tenth at most.
    expect(times.length).toBeGreaterThanOrEqual(12);
    expect(times.length).toBeLessThanOrEqual(14);
  });

  test('a thread that fails is replaced by the loop, with a warning', async () => {
    const { world, grant, fail } = await held();
    await world.run(6_000);
    fail();
    await world.run(120_000);
    expect(grant.held()).toBe(true);
    expect(world.warnings.join()).toMatch(/thread .* has ended \(a test says so\)/);
  });

  test('a hold that is over is given back, and its session goes on', async () => {
    const { world, client, grant } = await held(8_000);
    const times = renewals(world);
    await world.run(7_900);
    expect(grant.held()).toBe(true);
    await world.run(200);
    expect([grant.held(), grant.signal.reason]).toMatchObject([false, { code: 'HOLD_OVER' }]);
    await world.run(60_000);
    expect(client.session.remainingMs()).toBeGreaterThan(0);
    expect(times.some((ms) => ms > 20_000)).toBe(true);
  });

  test('B9 a loop that is blocked beyond maxHoldMs and the lease: the hold was over first', async () => {
    const { world, grant } = await held(8_000);
    await world.run(4_000);
    world.clock.block(40_000);
    expect(grant.signal.reason).toMatchObject({ code: 'HOLD_OVER' });
  });

  test('B9 is ready when its thread has found a leader: no lease begins that only the loop renews', async () => {
    const world = new FakeWorld();
    const { client, program } = threaded(world);
    // The thread takes a second to start.
    const held: ThreadOrder[] = [];
    const { onOrder } = program;
    program.onOrder = (order) => void held.push(order);
    const ready = observed(client.ready(10_000));
    await world.run(1_000);
    expect([ready.isSettled, held.map(({ kind }) => kind)]).toEqual([false, ['begin']]);
    program.onOrder = onOrder;
    for (const order of held) program.onOrder(order);
    await world.run(100);
    expect([ready.isSettled, ready.error]).toEqual([true, null]);
    await world.run(10_000);
    expect(world.warnings).toEqual([]);
  });

  test('B9 a thread that finds no leader holds nobody up for longer than five seconds', async () => {
    for (const [connectMs, untilMs] of [
      [10_000, 5_000],
      [2_000, 2_000],
    ]) {
      const world = new FakeWorld();
      const { client, program } = threaded(world);
      program.onOrder = () => {};
      const ready = observed(client.ready(connectMs ?? 0));
      await world.run((untilMs ?? 0) - 100);
      expect(ready.isSettled).toBe(false);
      await world.run(200);
      expect([ready.isSettled, ready.error]).toEqual([true, null]);
      await world.run(10_000);
      expect(world.warnings.join()).toContain('has found no leader for 5000 ms');
    }
  });

  test('B9 a thread that cannot start holds nobody up', async () => {
    const world = new FakeWorld();
    const { client, program, fail } = threaded(world);
    program.onOrder = () => {};
    const ready = observed(client.ready(10_000));
    await world.run(100);
    expect(ready.isSettled).toBe(false);
    fail();
    await world.run(1);
    expect([ready.isSettled, ready.error]).toEqual([true, null]);
  });

  test('F9 closing ends the thread', async () => {
    const { world, client, isEnded } = await held();
    await world.settle(client.close());
    expect(isEnded()).toBe(true);
  });

  test('maxHoldMs is required', () => {
    const world = new FakeWorld();
    expect(() => world.client({ keepAlive: 'worker' })).toThrow('maxHoldMs');
  });
});

describe('what two threads share', () => {
  test('a suspend that one of them has seen counts for both, and is never taken back', () => {
    const clock = new VirtualClock();
    const origin = originOf(clock, SharedCells.make(1));
    const [one, other] = [new LeaseClock(clock, origin), new LeaseClock(clock, origin)];
    const before = one.lookUs();
    clock.suspend(5_000);
    expect(one.lookUs() - before).toBeGreaterThanOrEqual(5_000_000);
    expect(other.nowUs()).toBe(one.nowUs());
  });

  test('INV-17 the deadline moves ahead only, whoever writes it', () => {
    const cells = SharedCells.make(LEASE_CELLS);
    const [here, there] = [new LeaseMemory(cells), new LeaseMemory(new SharedCells(cells.buffer))];
    here.confirm(10, 100);
    there.confirm(5, 50);
    expect([here.deadlineUs, there.confirmedUs]).toEqual([100, 10]);
    there.confirm(20, Infinity);
    expect([here.deadlineUs, here.isGone]).toEqual([Infinity, false]);
    there.becomeGone();
    expect(here.isGone).toBe(true);
  });
});
