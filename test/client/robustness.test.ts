import { describe, expect, test } from 'vitest';
import { LeaseClock } from '../../src/client/lease-clock.ts';
import type { Exchange } from '../../src/client/exchange.ts';
import { Links } from '../../src/client/links.ts';
import { checkOptions } from '../../src/client/options.ts';
import { Requests } from '../../src/client/requests.ts';
import { callAt } from '../../src/client/timer.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { CommandMessage } from '../../src/wire/client-messages.ts';
import { encodeBody } from '../../src/wire/command.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld, failureOf } from './fake-world.ts';
import { VirtualClock } from './virtual-clock.ts';

// JSON text carries what the types forbid, as a program in JavaScript may pass it.
function untyped<T>(value: unknown): T {
  return JSON.parse(JSON.stringify({ value })).value;
}

describe('a wrong argument costs its caller an error, not the client its links', () => {
  test.each([5, null, '', '\ud800', ['a']])('as a session: %j', async (session) => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    const { token } = grant;
    const asked = [
      client.inspectSession(untyped(session)),
      client.endSession(untyped(session), { reason: 'r' }),
      ...(session === null
        ? []
        : [client.break('a', { token, reason: 'r', session: untyped(session) })]),
    ];
    const errors = await world.settle(Promise.all(asked.map(failureOf)));
    expect(errors.map((error) => error.code)).toEqual(errors.map(() => 'INVALID'));
    await world.run(30_000);
    expect([grant.held(), client.nodes().every((node) => node.state === 'up')]).toEqual([
      true,
      true,
    ]);
  });
});

describe('requests', () => {
  const settings = checkOptions({ nodes: ADDRESSES });
  const message: CommandMessage = {
    type: 'command',
    requestId: 1,
    ackedBelow: 0,
    body: encodeBody({ op: 'closeSession', session: '1-a', seq: 1 }),
  };

  function setUp() {
    const world = new FakeWorld();
    const { clock, network: transport } = world;
    const random = { u32: () => 7 };
    const owner = {
      onMessage: () => {},
      onChange: () => {},
      onDrain: () => {},
      onDown: () => {},
      onClusterChange: () => {},
    };
    const links = new Links({ clock, random, transport, logger: silentLogger }, settings, owner);
    return { world, links, requests: new Requests({ clock, random }, links) };
  }

  test('G7 C10 what frees a lock finds room when everything else is refused', async () => {
    const { world, requests } = setUp();
    const failed: string[] = [];
    const exchange = (name: string): Exchange => ({
      transmit: (frame) => {
        frame.message(message);
        return true;
      },
      decide: () => {},
      fail: (error) => failed.push(`${name} ${error.code}`),
    });
    for (let count = 0; count < 100_000; count++) requests.submit(exchange('acquire'));
    requests.submit(exchange('one more'));
    requests.submitFreeing(exchange('release'));
    await world.run(1);
    expect(failed).toEqual(['one more OVERLOADED']);
  });

  test('what is dropped makes room at once for what waits behind it', async () => {
    const { world, links, requests } = setUp();
    links.open();
    await world.run(10);
    const sent: string[] = [];
    let isWindowFull = true;
    const exchange = (name: string, canGo: () => boolean): Exchange => ({
      transmit: (frame) => {
        if (!canGo()) return false;
        sent.push(name);
        frame.message(message);
        return true;
      },
      decide: () => {},
      fail: () => {},
    });
    const first = requests.submit(exchange('first', () => true));
    requests.submit(exchange('second', () => !isWindowFull));
    await world.run(10);
    isWindowFull = false;
    first.drop();
    await world.run(10);
    expect(sent).toEqual(['first', 'second']);
  });
});

test('acquires that are given up while a session is being opened do not leave one each', async () => {
  const world = new FakeWorld();
  const client = world.client();
  await world.settle(client.ready(1_000));
  const node = world.cluster.node('n1');
  node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'lost' };
  node.isLate = true;
  for (let count = 0; count < 20; count++) {
    const controller = new AbortController();
    const acquiring = client.lock('a').acquire({ signal: controller.signal });
    const rejected = expect(acquiring).rejects.toBe('given up');
    await world.run(100);
    controller.abort('given up');
    await rejected;
  }
  expect(world.cluster.locks.sessionCount()).toBe(1);
  node.refusal = null;
  await world.run(2_000);
  expect((await world.settle(client.lock('a').acquire())).held()).toBe(true);
  expect(world.cluster.count('openSession', 'OPENED')).toBeGreaterThan(0);
  expect(world.cluster.locks.sessionCount()).toBe(1);
});

test('C4 a wait that ended unseen does not claim that nothing was granted', async () => {
  const world = new FakeWorld();
  const [holder, other] = [world.client(), world.client()];
  const first = await world.settle(holder.lock('a').acquire());
  const waiting = failureOf(other.lock('a').acquire({ waitMs: Infinity }));
  await world.run(100);
  // Other requests go on, so the cluster need not keep how the wait ends.
  for (let count = 0; count < 2; count++) {
    const grant = await world.settle(other.lock('b').acquire());
    await world.settle(grant.release());
  }
  world.cluster.node('n1').stop();
  const broken = { op: 'break', name: 'a', session: null, by: 'op', reason: '' } as const;
  world.cluster.apply({ ...broken, token: first.token });
  const [taken] = world.cluster.locks.inspect('a').holders;
  expect(taken?.session).toBe(other.session.id);
  world.cluster.apply({ ...broken, token: taken?.token ?? 0 });
  world.cluster.node('n1').start();
  const error = await world.settle(waiting);
  expect([error.code, error.outcome]).toEqual(['WAIT_OVER', 'none']);
  expect(error.message).toContain('ended while no node was reached');
  expect(error.message).not.toContain('was not granted');
});

// As real ones may, by up to 1 ms (RAFT.md §16.3).
function early(delayUs: number): number {
  return delayUs - Math.min(900, Math.floor(delayUs / 2));
}

describe('clocks', () => {
  /** A boot clock that moves in steps of 10 ms, as Linux shows it. */
  class CoarseClock extends VirtualClock {
    override bootUs(): number {
      return Math.floor(super.bootUs() / 10_000) * 10_000;
    }
  }

  test('a suspend is never counted short, wherever in a step of the boot clock it begins or ends', () => {
    for (let phaseUs = 0; phaseUs < 10_000; phaseUs += 500) {
      for (let restUs = 0; restUs < 10_000; restUs += 500) {
        const clock = new CoarseClock();
        clock.block(phaseUs / 1_000);
        const lease = new LeaseClock(clock);
        for (let look = 0; look < 7; look++) {
          clock.block(3);
          lease.lookUs();
        }
        const before = lease.lookUs();
        clock.suspend(1_000 + restUs / 1_000);
        const passedUs = lease.lookUs() - before;
        expect(passedUs).toBeGreaterThanOrEqual(1_000_000 + restUs);
        expect(passedUs).toBeLessThanOrEqual(1_000_000 + restUs + 20_000);
      }
    }
  });

  test('M-63 a timer that fires early is set again: nothing is called before its time', async () => {
    const clock = new VirtualClock();
    const after = clock.after.bind(clock);
    clock.after = (delayUs, callback) => after(early(delayUs), callback);
    const dueUs = clock.monoUs() + 50_000;
    let calledUs = 0;
    callAt(clock, dueUs, () => (calledUs = clock.monoUs()));
    await clock.run(49.5);
    expect(calledUs).toBe(0);
    await clock.run(100);
    expect(calledUs).toBeGreaterThanOrEqual(dueUs);
  });

  test('M-63 a lease is not given up by a timer that fires early', async () => {
    const world = new FakeWorld();
    const after = world.clock.after.bind(world.clock);
    const client = world.client({ ttlMs: 3_000, marginMs: 100 });
    const grant = await world.settle(client.lock('a').acquire());
    const { signal } = grant;
    for (const address of ADDRESSES) world.network.silent.add(address);
    const endMs = world.nowMs() + grant.remainingMs();
    let firedMs = 0;
    signal.addEventListener('abort', () => (firedMs = world.nowMs()));
    world.clock.after = (delayUs, callback) => after(early(delayUs), callback);
    await world.run(5_000);
    expect(firedMs).toBeGreaterThanOrEqual(endMs - 100);
    expect(firedMs).toBeLessThan(endMs);
  });
});
