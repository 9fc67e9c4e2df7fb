import { describe, expect, test } from 'vitest';
import { createWorld } from '../../sim/world/world.ts';
import type { World } from '../../sim/world/world.ts';
import type { NetworkSettings } from '../../sim/world/network.ts';
import type { ProcessHandle } from '../../sim/world/world.ts';
import { echoClient, echoServer, numbers, running, utf8 } from './echo.ts';
import type { EchoClient, EchoServer } from './echo.ts';

interface Pair {
  readonly world: World;
  readonly server: ProcessHandle<EchoServer>;
  readonly client: ProcessHandle<EchoClient>;
  /** Sends so many frames from the client, one every millisecond. */
  readonly send: (count: number) => void;
}

/** A client and a server with a link that stands. */
function pairOf(seed = 4, network: NetworkSettings = {}): Pair {
  const world = createWorld({ seed, network });
  const server = echoServer(world);
  const client = echoClient(world);
  server.start();
  client.start();
  world.runSync(100_000);
  const send = (count: number): void => {
    for (const number of numbers(count)) {
      world.at(world.nowUs + Number(number) * 1_000, () =>
        running(client).link?.send(utf8.encode(number)),
      );
    }
  };
  return { world, server, client, send };
}

describe('faults that overlap', () => {
  test('a direction that two have cut opens when the second one ends', () => {
    const { world, server, send } = pairOf();
    const first = world.cut('client', 'server');
    const second = world.cut('client', 'server');
    send(1);
    world.runSync(200_000);
    first();
    first();
    world.runSync(600_000);
    expect(running(server).received).toEqual([]);
    second();
    world.runSync(1_000_000);
    expect(running(server).received).toEqual(['1']);
  });

  test('healing ends all of them, and what is undone later does nothing', () => {
    const { world, server, send } = pairOf();
    const undo = world.cut('client', 'server');
    world.network.impair('client', 'server', { extraUs: 5_000_000 });
    world.heal();
    const other = world.cut('client', 'server');
    undo();
    send(1);
    world.runSync(600_000);
    expect(running(server).received).toEqual([]);
    other();
    world.runSync(900_000);
    expect(running(server).received).toEqual(['1']);
  });

  test('delays add up, the narrowest line counts, and each ends by itself', () => {
    const { world } = pairOf();
    const { latencyUs } = world.network.topology.direction('client', 'server').route;
    const route = (): unknown => {
      const { latencyUs: now, bandwidth } = world.network.topology.direction(
        'client',
        'server',
      ).route;
      return [now - latencyUs, bandwidth];
    };
    const spike = world.network.impair('client', 'server', { extraUs: 10_000 });
    const slow = world.network.impair('client', 'server', { extraUs: 1_000, bandwidth: 5_000 });
    const slower = world.network.impair('client', 'server', { bandwidth: 1_000 });
    expect(route()).toEqual([11_000, 1_000]);
    slower();
    expect(route()).toEqual([11_000, 5_000]);
    spike();
    expect(route()).toEqual([1_000, 5_000]);
    slow();
    expect(route()).toEqual([0, null]);
    expect(world.network.topology.direction('server', 'client').route.bandwidth).toBeNull();
  });
});

describe('dials', () => {
  function dialsUnder(impairment: { isRefusing?: boolean; isHanging?: boolean }): unknown {
    const world = createWorld({ seed: 1 });
    echoServer(world).start();
    const there = echoClient(world, { name: 'there' });
    const undo = world.network.impair('there', 'server', impairment);
    const elsewhere = echoClient(world, { name: 'elsewhere' });
    there.start();
    elsewhere.start();
    world.runSync(900_000);
    const soon = [...running(there).dials];
    world.runSync(1_200_000);
    const late = [...running(there).dials];
    undo();
    there.crash();
    there.start();
    world.runSync(1_300_000);
    return { soon, late, after: running(there).dials, other: running(elsewhere).dials };
  }

  test('are refused from one side, although somebody listens', () => {
    const expected = { soon: ['refused'], late: ['refused'], after: ['open'], other: ['open'] };
    expect(dialsUnder({ isRefusing: true })).toEqual(expected);
  });

  test('hang from one side until they time out', () => {
    const expected = { soon: [], late: ['failed'], after: ['open'], other: ['open'] };
    expect(dialsUnder({ isHanging: true })).toEqual(expected);
  });

  test('links that stand outlive both', () => {
    const { world, server, send } = pairOf();
    world.network.impair('client', 'server', { isRefusing: true, isHanging: true });
    send(3);
    world.runSync(200_000);
    expect(running(server).received).toEqual(numbers(3));
  });
});

describe('a black hole', () => {
  test('swallows both ways of the links that exist, tells nobody, and lets new ones through', () => {
    const { world, server, client, send } = pairOf();
    world.network.blackHole('client', 'server');
    running(server).links[0]?.send(utf8.encode('back'));
    send(5);
    const second = echoClient(world, { name: 'second', frames: 2 });
    second.start();
    world.runSync(1_000_000);
    expect([running(client).closed, running(server).closed]).toEqual([[], []]);
    expect(running(client).received).toEqual([]);
    expect(running(server).received).toEqual(numbers(2));
    client.crash({ isSilent: true });
    client.start();
    world.runSync(1_100_000);
    running(client).link?.send(utf8.encode('new'));
    world.runSync(1_200_000);
    expect(running(server).received).toEqual(['1', '2', 'new']);
  });

  test('gives up in order what it swallowed when it is undone; two need both', () => {
    const { world, server, send } = pairOf();
    const undos = [1, 2].map(() => world.network.blackHole('client', 'server'));
    send(5);
    world.runSync(300_000);
    undos[0]?.();
    world.runSync(900_000);
    expect(running(server).received).toEqual([]);
    undos[1]?.();
    world.runSync(1_200_000);
    expect(running(server).received).toEqual(numbers(5));
  });
});

test('one frame in many takes a hundred times as long', () => {
  const { world } = pairOf(4, { latencyUsMin: 100, latencyUsMax: 100, tailOneIn: 10 });
  const way = world.network.topology.direction('client', 'server');
  const delays = numbers(1_000).map((number) => way.delayUs({ link: 9, frame: Number(number) }));
  const slow = delays.filter((delayUs) => delayUs >= 10_000);
  expect(slow.length).toBeGreaterThan(50);
  expect(slow.length).toBeLessThan(150);
  expect(delays.filter((delayUs) => delayUs <= 150)).toHaveLength(1_000 - slow.length);
});
