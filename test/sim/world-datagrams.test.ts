import { describe, expect, test } from 'vitest';
import type { Door, Link } from '../../src/ports/transport.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import type { NetworkSettings } from '../../sim/world/network.ts';
import { createWorld } from '../../sim/world/world.ts';
import type { World } from '../../sim/world/world.ts';
import { numbers, text, utf8 } from './echo.ts';

interface Sending {
  readonly world: World;
  readonly received: string[];
  link: Link | null;
}

/** A link with that door over which frames are sent, one each millisecond. */
function sendThrough(door: Door, network: NetworkSettings, count = 300): Sending {
  const world = createWorld({ seed: 6, network });
  const sending: Sending = { world, received: [], link: null };
  const { received } = sending;
  world
    .process({
      name: 'to',
      isSync: true,
      start: ({ transport }) =>
        transport.listen(
          (link) => void (link.onFrame = (frame) => received.push(text.decode(frame))),
          () => {},
        ),
    })
    .start();
  const from = world.process({
    name: 'from',
    isSync: true,
    start: ({ transport, clock }) => {
      transport.dial('to:1', door, (link) => {
        if (typeof link === 'string') return;
        sending.link = link;
        for (const number of numbers(count)) {
          clock.after(Number(number) * 1_000, () => link.send(utf8.encode(number)));
        }
      });
    },
  });
  world.at(1_000, () => from.start());
  world.runSync(3_000_000);
  return sending;
}

describe('frames between nodes', () => {
  test('are lost where the route says so, but never the first one', () => {
    const { received } = sendThrough('peer', { lossPerMille: 500 });
    expect(received.length).toBeGreaterThan(100);
    expect(received.length).toBeLessThan(200);
    expect(received[0]).toBe('1');
    expect(received).toEqual(numbers(300).filter((number) => received.includes(number)));
    expect(sendThrough('peer', { lossPerMille: 1_000 }).received).toEqual(['1']);
  });

  test('arrive twice, but never the first one', () => {
    const { received } = sendThrough('peer', { duplicatePerMille: 1_000 });
    expect(received).toHaveLength(599);
    expect(new Set(received)).toEqual(new Set(numbers(300)));
    expect(received.filter((number) => number === '1')).toHaveLength(1);
  });

  test('overtake each other within a bound, but never the first one', () => {
    const { received } = sendThrough('peer', { reorderPerMille: 300, reorderUsMax: 50_000 });
    expect(received).toHaveLength(300);
    expect(received).not.toEqual(numbers(300));
    expect(received[0]).toBe('1');
    const late = received.map((number, at) => at + 1 - Number(number));
    expect(Math.max(...late)).toBeGreaterThan(20);
    expect(Math.max(...late)).toBeLessThan(55);
  });

  test('that are lost do not fill the window of the sender', () => {
    const { link } = sendThrough('peer', { lossPerMille: 900, windowBytes: 20 });
    expect(link?.bufferedBytes).toBe(0);
  });

  test('that travel by themselves are lost under a cut', () => {
    const far = { latencyUsMin: 300_000, latencyUsMax: 300_000 };
    const network = { ...far, reorderPerMille: 1_000, reorderUsMax: 1_000 };
    const { world, received, link } = sendThrough('peer', network, 1);
    link?.send(utf8.encode('lost'));
    world.runSync(world.nowUs + 200_000);
    const undo = world.cut('from', 'to');
    world.runSync(world.nowUs + 200_000);
    undo();
    link?.send(utf8.encode('late'));
    world.runSync(world.nowUs + 2_000_000);
    expect(received).toEqual(['1', 'late']);
  });
});

test('frames between a client and a node are not touched', () => {
  const all = { lossPerMille: 500, duplicatePerMille: 500, reorderPerMille: 500 };
  expect(sendThrough('client', all).received).toEqual(numbers(300));
});

test('INV-1 … INV-9 a cluster decides and converges over datagrams', async () => {
  const network = { lossPerMille: 100, duplicatePerMille: 100, reorderPerMille: 100 };
  const cluster = await createSimCluster({ seed: 3, network });
  const leader = await cluster.waitLeader();
  const session = await cluster.openSession(leader);
  await cluster.answers(...[1, 2, 3, 4].map((key) => session.acquire(leader, `k${key}`)));
  await cluster.converge();
});
