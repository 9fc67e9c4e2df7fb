import { describe, expect, test } from 'vitest';
import { firstDifference } from '../../sim/world/trace.ts';
import { createWorld } from '../../sim/world/world.ts';
import type { World } from '../../sim/world/world.ts';
import { echoClient, echoServer, numbers, running } from './echo.ts';

function echoRun(seed: number, frames: number): World {
  const world = createWorld({ seed });
  const server = echoServer(world);
  const client = echoClient(world, { frames });
  server.start();
  world.at(1_000, () => client.start());
  world.runSync(10_000_000);
  expect(running(client).received).toEqual(numbers(frames));
  return world;
}

describe('determinism', () => {
  test('the same seed gives the same trace, another seed another one', () => {
    const first = echoRun(7, 600);
    const second = echoRun(7, 600);
    expect(second.traceHash()).toBe(first.traceHash());
    expect(first.trace.checkpoints().length).toBeGreaterThan(0);
    expect(firstDifference(first.trace, second.trace)).toBeNull();
    expect(echoRun(8, 600).traceHash()).not.toBe(first.traceHash());
  });

  test('the first event in which two runs differ is named', () => {
    const long = echoRun(7, 600);
    const short = echoRun(7, 500);
    const difference = firstDifference(long.trace, short.trace);
    expect(difference?.checkpoint).toBe(1);
    // Frame 501 was sent in one run only.
    expect(difference?.left).toMatchObject({ kind: 'frame', process: 1, b: 3 });
    expect(difference?.right?.timeUs).toBeGreaterThan(2_000_000);
  });

  test('every event but the first of a chain names its cause', () => {
    const { trace } = echoRun(7, 3);
    const frames = Array.from({ length: trace.length }, (_, place) => trace.at(place)).filter(
      (event) => event?.kind === 'frame',
    );
    expect(frames).toHaveLength(6);
    for (const frame of frames) {
      const cause = trace.at((frame?.cause ?? 0) - 1);
      expect(cause?.seq).toBe(frame?.cause);
      expect(cause?.timeUs).toBeLessThan(frame?.timeUs ?? 0);
    }
  });

  test('what is added elsewhere leaves the luck of others as it was', () => {
    const arrivals = (withOther: boolean): readonly unknown[] => {
      const world = createWorld({ seed: 3 });
      if (withOther) echoClient(world, { name: 'other', frames: 20 }).start();
      echoServer(world).start();
      const client = echoClient(world, { frames: 20 });
      client.start();
      world.runSync(1_000_000);
      return Array.from({ length: world.trace.length }, (_, place) => world.trace.at(place))
        .filter((event) => event?.process === client.process.number)
        .map((event) => [event?.timeUs, event?.kind, event?.b, event?.c]);
    };
    expect(arrivals(false).length).toBeGreaterThan(40);
    expect(arrivals(true)).toEqual(arrivals(false));
  });
});

describe('limits', () => {
  test('a program that spins without progress of time is an error', () => {
    const world = createWorld({ seed: 1, eventsPerInstantMax: 1_000 });
    world
      .process({
        name: 'spinner',
        isSync: true,
        start: ({ clock }) => {
          const again = (): void => clock.soon(again);
          again();
        },
      })
      .start();
    expect(() => world.runSync(1_000)).toThrow('something spins');
  });

  test('a run of too many events is an error', () => {
    const world = createWorld({ seed: 1, eventsMax: 100 });
    echoServer(world).start();
    echoClient(world, { frames: 1_000 }).start();
    expect(() => world.runSync(60_000_000)).toThrow('100 events');
  });

  test('a condition that does not come true within its time ends the run with false', () => {
    const world = createWorld({ seed: 1 });
    expect(world.runSync(() => false, 5_000)).toBe(false);
    expect(world.nowUs).toBe(5_000);
  });
});

describe('asynchronous processes', () => {
  test('all promises of one event have run before the next event', async () => {
    const world = createWorld({ seed: 1 });
    const order: string[] = [];
    const wait = async (): Promise<void> => {
      for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    };
    const program = (name: string): void => {
      world
        .process({
          name,
          isSync: false,
          start: ({ clock }) => {
            const beat = async (left: number): Promise<void> => {
              order.push(`${name} begins`);
              await wait();
              order.push(`${name} ends`);
              if (left > 0) clock.after(10, () => void beat(left - 1));
            };
            void beat(5);
          },
        })
        .start();
    };
    program('a');
    program('b');
    await world.run(1_000_000);
    expect(order).toHaveLength(24);
    for (let at = 0; at < order.length; at += 2) {
      expect(order[at + 1]).toBe(order[at]?.replace('begins', 'ends'));
    }
  });

  test('a synchronous run refuses them', () => {
    const world = createWorld({ seed: 1 });
    world.process({ name: 'a', isSync: false, start: () => {} }).start();
    expect(() => world.runSync(1_000)).toThrow('needs run()');
  });
});
