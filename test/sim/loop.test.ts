import { describe, expect, test } from 'vitest';
import { EventLoop, FIRST, LAST } from '../../sim/world/loop.ts';
import type { ProcessPorts } from '../../sim/world/ports.ts';
import { KeyedRandom } from '../../sim/world/random.ts';
import { CHECKPOINT_EVENTS, Trace } from '../../sim/world/trace.ts';
import { createWorld } from '../../sim/world/world.ts';
import { echoServer, running, utf8 } from './echo.ts';

const compare = (left: string, right: string): number => (left < right ? -1 : 1);

function shuffled(seed: number): EventLoop {
  const random = new KeyedRandom(seed);
  return new EventLoop(new Trace(), {
    eventsMax: 1_000,
    eventsPerInstantMax: 1_000,
    drawTie: (timeUs, lane) => random.draw('tie', timeUs, lane),
  });
}

/** Four events of each of three lanes at one instant, one lane after the other. */
function orderOf(loop: EventLoop): readonly string[] {
  const order: string[] = [];
  loop.at(10, () => order.push('last'), LAST);
  for (let number = 0; number < 4; number++) {
    for (const lane of [1, 2, 3]) loop.at(10, () => order.push(`${lane}.${number}`), lane);
  }
  loop.at(10, () => order.push('first'), FIRST);
  while (loop.step(10));
  return order;
}

describe('simultaneous events', () => {
  test('run in a drawn order, but those of a lane in theirs', () => {
    const orders = Array.from({ length: 20 }, (_, seed) => orderOf(shuffled(seed)));
    for (const order of orders) {
      expect(order).toHaveLength(14);
      expect(order[0]).toBe('first');
      expect(order.at(-1)).toBe('last');
      for (const lane of ['1', '2', '3']) {
        const own = order.filter((name) => name.startsWith(`${lane}.`));
        expect(own).toEqual([0, 1, 2, 3].map((number) => `${lane}.${number}`));
      }
    }
    expect(new Set(orders.map((order) => order.join())).size).toBe(6);
    expect(orderOf(shuffled(5))).toEqual(orders[5]);
  });

  test('run as they were scheduled when nothing is drawn', () => {
    const loop = new EventLoop(new Trace(), { eventsMax: 100, eventsPerInstantMax: 100 });
    const order = orderOf(loop);
    expect(order.slice(0, 5)).toEqual(['first', '1.0', '2.0', '3.0', '1.1']);
  });
});

/** What a server receives when two clients each send it three frames that arrive at one instant. */
function meeting(seed: number, shuffleTies: boolean): string {
  const network = { latencyUsMin: 100, latencyUsMax: 100, jitterUs: 0 };
  const world = createWorld({ seed, network, shuffleTies });
  const server = echoServer(world);
  server.start();
  for (const name of ['a', 'b']) {
    const start = ({ transport }: ProcessPorts): void => {
      transport.dial('server:1', 'client', (link) => {
        if (typeof link === 'string') return;
        for (const number of [1, 2, 3]) link.send(utf8.encode(`${name}${number}`));
      });
    };
    world.process({ name, isSync: true, start }).start();
  }
  world.runSync(10_000);
  return running(server).received.join(' ');
}

test('frames of one link keep their order, whoever else comes at the same time', () => {
  const drawn = Array.from({ length: 20 }, (_, seed) => meeting(seed, true));
  expect([...new Set(drawn)].sort(compare)).toEqual(['a1 a2 a3 b1 b2 b3', 'b1 b2 b3 a1 a2 a3']);
  const plain = Array.from({ length: 20 }, (_, seed) => meeting(seed, false));
  expect(new Set(plain).size).toBe(1);
});

describe('stopping', () => {
  test('a world that was stopped runs nothing any more', () => {
    const world = createWorld({ seed: 1 });
    const seen: number[] = [];
    for (const timeUs of [10, 20, 20, 30]) {
      world.at(timeUs, () => {
        seen.push(timeUs);
        if (timeUs === 20) world.stop();
      });
    }
    expect(world.runSync(100)).toBe(false);
    expect(seen).toEqual([10, 20]);
    expect(world.nowUs).toBe(20);
    expect(world.runSync(() => seen.length > 2)).toBe(false);
    expect(seen).toEqual([10, 20]);
  });

  test('a cancelled event does not run and does not move time', () => {
    const world = createWorld({ seed: 1 });
    const seen: number[] = [];
    const timer = world.at(10, () => seen.push(10));
    world.at(5, () => timer.cancel());
    expect(world.runSync(() => seen.length > 0, 20)).toBe(false);
    expect(world.trace.length).toBe(1);
  });
});

describe('traces', () => {
  test('keep what they were given, beyond the first checkpoint too', () => {
    const trace = new Trace();
    const timeUs = 2 ** 40 + 7;
    const largest = 2 ** 32 - 1;
    for (let number = 1; number <= CHECKPOINT_EVENTS + 3; number++) {
      const event = { kind: 'frame', process: 2, a: number, b: 3, c: largest, cause: 1 } as const;
      trace.add(timeUs + number, event);
    }
    const seq = CHECKPOINT_EVENTS + 2;
    expect(trace.at(seq - 1)).toEqual({
      seq,
      timeUs: timeUs + seq,
      kind: 'frame',
      process: 2,
      a: seq,
      b: 3,
      c: largest,
      cause: 1,
    });
    expect(trace.at(CHECKPOINT_EVENTS + 3)).toBeNull();
    expect(trace.checkpoints()).toHaveLength(1);
  });

  test('have another hash when any field of any event is another one', () => {
    const event = { kind: 'frame', process: 1, a: 1, b: 1, c: 1, cause: 1 } as const;
    const variants = [
      event,
      { ...event, kind: 'timer' as const },
      { ...event, process: 2 },
      { ...event, a: 2 },
      { ...event, b: 2 },
      { ...event, c: 2 },
      { ...event, cause: 2 },
    ];
    const hashes = [5, 6, 2 ** 32 + 5].flatMap((timeUs) =>
      variants.map((variant) => {
        const trace = new Trace();
        trace.add(timeUs, variant);
        trace.add(timeUs, event);
        return trace.hash();
      }),
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

test('draws are even, and differ by label and by every id', () => {
  const random = new KeyedRandom(9);
  const counts = Array.from({ length: 16 }, () => 0);
  for (let number = 0; number < 16_000; number++) {
    const drawn = random.below(16, 'even', 'n1', number);
    counts[drawn] = (counts[drawn] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  const draws = [
    random.draw('even', 'n1', 1),
    random.draw('odd', 'n1', 1),
    random.draw('even', 'n2', 1),
    random.draw('even', 'n1', 2),
    random.draw('even', 'n1', 1 + 2 ** 32),
    random.draw('even', 'n1'),
    new KeyedRandom(8).draw('even', 'n1', 1),
  ];
  expect(new Set(draws).size).toBe(draws.length);
});
