import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/ports/clock.ts';
import type { ProcessPorts } from '../../sim/world/ports.ts';
import { createWorld } from '../../sim/world/world.ts';
import type { ProcessHandle, World } from '../../sim/world/world.ts';
import type { ClockSettings } from '../../sim/world/clock.ts';
import { echoClient, echoServer, numbers, running, utf8 } from './echo.ts';

function clockOf(world: World, clock: ClockSettings = {}): ProcessHandle<Clock> {
  const handle = world.process({
    name: 'clock',
    isSync: true,
    clock,
    start: (ports) => ports.clock,
  });
  handle.start();
  world.runSync(world.nowUs + 1);
  return handle;
}

describe('clocks', () => {
  test('a timer never fires early by its own clock, and fires late by its lateness at most', () => {
    for (const driftPpm of [-10_000, 0, 10_000]) {
      const world = createWorld({ seed: 9 });
      const clock = running(clockOf(world, { driftPpm, latenessUsMax: 500 }));
      const late: number[] = [];
      for (let delayUs = 0; delayUs < 50_000; delayUs += 977) {
        const dueUs = clock.monoUs() + delayUs;
        clock.after(delayUs, () => late.push(clock.monoUs() - dueUs));
      }
      world.runSync(1_000_000);
      expect(late).toHaveLength(52);
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...late)).toBeLessThanOrEqual(507);
    }
  });

  test('the monotonic clock drifts, the wall clock jumps', () => {
    const world = createWorld({ seed: 9 });
    const handle = clockOf(world, { driftPpm: 10_000, skewMs: -5_000 });
    const clock = running(handle);
    const mono = clock.monoUs();
    const wall = clock.wallMs();
    world.runSync(world.nowUs + 1_000_000);
    expect(clock.monoUs() - mono).toBe(1_010_000);
    handle.process.clock.jumpWall(-60_000);
    expect(clock.wallMs() - wall).toBe(-59_000);
    expect(clock.monoUs() - mono).toBe(1_010_000);
  });

  test('while the machine sleeps the monotonic clock stands and timers wait that much longer', () => {
    const world = createWorld({ seed: 9 });
    const handle = clockOf(world);
    const clock = running(handle);
    const mono = clock.monoUs();
    const boot = clock.bootUs();
    const fired: number[] = [];
    clock.after(1_000_000, () => fired.push(clock.monoUs() - mono));
    handle.pause('suspend');
    world.runSync(world.nowUs + 5_000_000);
    handle.resume();
    world.runSync(world.nowUs + 500_000);
    expect(fired).toEqual([]);
    expect(clock.bootUs() - boot).toBe(5_500_000);
    expect(clock.monoUs() - mono).toBe(500_000);
    world.runSync(world.nowUs + 600_000);
    expect(fired[0]).toBeGreaterThanOrEqual(1_000_000);
  });

  test('a cancelled timer does not fire, and soon comes after the input that waits', () => {
    const world = createWorld({ seed: 9 });
    const clock = running(clockOf(world, { latenessUsMax: 0 }));
    const order: string[] = [];
    clock.after(1_000, () => order.push('cancelled')).cancel();
    clock.after(1_000, () => {
      clock.soon(() => order.push('soon'));
      order.push('first');
    });
    clock.after(1_000, () => order.push('second'));
    world.runSync(10_000);
    expect(order).toEqual(['first', 'second', 'soon']);
  });
});

describe('crash', () => {
  test('ends every timer and link of that life; the next one starts anew', () => {
    const world = createWorld({ seed: 9 });
    const server = echoServer(world);
    const client = echoClient(world, { frames: 1_000 });
    server.start();
    client.start();
    world.runSync(50_000);
    const lost = running(client);
    client.crash();
    const frozen = lost.received.length;
    expect(client.program).toBeNull();
    world.runSync(100_000);
    expect(lost.received).toHaveLength(frozen);
    expect(lost.closed).toEqual([]);
    client.start();
    world.runSync(2_000_000);
    expect(client.process.incarnation).toBe(2);
    expect(running(client).received).toEqual(numbers(1_000));
  });

  test('a life draws other random numbers than the one before', () => {
    const world = createWorld({ seed: 9 });
    const drawn: number[] = [];
    const handle = world.process({
      name: 'a',
      isSync: true,
      start: ({ random }) => void drawn.push(random.u32(), random.u32()),
    });
    for (let life = 0; life < 2; life++) {
      handle.start();
      world.runSync(world.nowUs + 1);
      handle.crash();
    }
    expect(new Set(drawn).size).toBe(4);
  });
});

describe('pause', () => {
  /** In which order a process acts that slept through its timer and three frames. */
  function wakingOrder(seed: number): string {
    const world = createWorld({ seed });
    const order: string[] = [];
    const sleeper = world.process({
      name: 'server',
      isSync: true,
      start: ({ transport, clock }) => {
        transport.listen(
          (link) => {
            clock.after(50_000, () => {
              order.push('timer');
              clock.soon(() => order.push('soon'));
            });
            link.onFrame = (frame) => order.push(`frame ${frame[0] ?? 0}`);
          },
          () => {},
        );
      },
    });
    const client = echoClient(world);
    sleeper.start();
    client.start();
    world.runSync(20_000);
    sleeper.pause();
    for (const number of [1, 2, 3]) running(client).link?.send(Uint8Array.of(number));
    world.runSync(200_000);
    expect(order).toEqual([]);
    sleeper.resume();
    world.runSync(300_000);
    return order.join(', ');
  }

  test('overdue timers and waiting input run in either order, a link in its own, soon last', () => {
    const orders = Array.from({ length: 40 }, (_, seed) => wakingOrder(seed + 1));
    expect([...new Set(orders)].sort((left, right) => (left < right ? -1 : 1))).toEqual([
      'frame 1, frame 2, frame 3, timer, soon',
      'frame 1, frame 2, timer, frame 3, soon',
      'frame 1, timer, frame 2, frame 3, soon',
      'timer, frame 1, frame 2, frame 3, soon',
    ]);
    expect(wakingOrder(1)).toBe(orders[0]);
    // By chance alone that would be a quarter of them.
    const timerFirst = orders.filter((order) => order.startsWith('timer'));
    expect(timerFirst.length).toBeGreaterThan(orders.length / 2);
  });

  test('a thread goes on while the main loop is blocked, and stands still and dies with it', () => {
    const world = createWorld({ seed: 3 });
    const ticks = { main: 0, thread: 0 };
    const tick = (clock: Clock, which: keyof typeof ticks): void => {
      ticks[which]++;
      clock.after(10_000, () => tick(clock, which));
    };
    const start = ({ clock, beginThread }: ProcessPorts): void => {
      tick(clock, 'main');
      tick(beginThread().clock, 'thread');
    };
    const handle = world.process({ name: 'p', isSync: true, start });
    const during = (ms: number): readonly [boolean, boolean] => {
      const before = { ...ticks };
      world.runSync(world.nowUs + ms * 1_000);
      return [ticks.main > before.main, ticks.thread > before.thread];
    };
    handle.start();
    expect(during(100)).toEqual([true, true]);
    handle.process.block();
    expect(during(100)).toEqual([false, true]);
    handle.pause();
    expect(during(100)).toEqual([false, false]);
    handle.resume();
    expect(during(100)).toEqual([false, true]);
    handle.process.unblock();
    expect(during(100)).toEqual([true, true]);
    handle.crash();
    expect(during(100)).toEqual([false, false]);
  });

  test('input that comes while a process catches up keeps its place', () => {
    const world = createWorld({ seed: 3 });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(20_000);
    server.pause();
    for (const number of numbers(100)) running(client).link?.send(utf8.encode(number));
    world.runSync(100_000);
    server.resume();
    running(client).link?.send(utf8.encode('101'));
    world.runSync(200_000);
    expect(running(server).received).toEqual(numbers(101));
  });
});
