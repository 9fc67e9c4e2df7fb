import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/ports/clock.ts';
import type { ClockSettings } from '../../sim/world/clock.ts';
import { createWorld } from '../../sim/world/world.ts';
import type { ProcessHandle, World } from '../../sim/world/world.ts';
import { echoClient, echoServer, numbers, running, utf8 } from './echo.ts';

interface Watch {
  readonly world: World;
  readonly handle: ProcessHandle<Clock>;
  readonly clock: Clock;
}

function watchOf(settings: ClockSettings): Watch {
  const world = createWorld({ seed: 9 });
  const handle = world.process({
    name: 'clock',
    isSync: true,
    clock: settings,
    start: (ports) => ports.clock,
  });
  handle.start();
  world.runSync(1);
  return { world, handle, clock: running(handle) };
}

/** By how much each of many timers fires late, in microseconds of its own clock. */
function latenesses({ world, clock }: Watch): readonly number[] {
  const late: number[] = [];
  for (let delayUs = 2_000; delayUs < 102_000; delayUs += 100) {
    const dueUs = clock.monoUs() + delayUs;
    clock.after(delayUs, () => late.push(clock.monoUs() - dueUs));
  }
  world.runSync(world.nowUs + 1_000_000);
  expect(late).toHaveLength(1_000);
  return late;
}

describe('a timer', () => {
  test('M-63 fires up to 1 ms early on a machine of that kind, and never earlier', () => {
    for (const driftPpm of [-100_000, 0, 100_000]) {
      const late = latenesses(watchOf({ driftPpm, earlyUsMax: 1_000, latenessUsMax: 100 }));
      expect(Math.min(...late)).toBeGreaterThanOrEqual(-1_000);
      expect(Math.min(...late)).toBeLessThan(-800);
      expect(Math.max(...late)).toBeGreaterThan(0);
    }
  });

  test('never fires earlier than the port allows', () => {
    expect(() => watchOf({ earlyUsMax: 1_001 })).toThrow('1 ms early');
  });

  test('fires later from the time on that its machine is made to', () => {
    const watch = watchOf({ latenessUsMax: 0 });
    expect(Math.max(...latenesses(watch))).toBe(0);
    watch.handle.process.clock.latenessUsMax = 20_000;
    expect(Math.max(...latenesses(watch))).toBeGreaterThan(15_000);
  });

  test('without any lateness fires at all rates at the first moment that its clock shows', () => {
    for (let driftPpm = -300_000; driftPpm <= 300_000; driftPpm += 77_777) {
      expect(Math.max(...latenesses(watchOf({ driftPpm, latenessUsMax: 0 })))).toBeLessThan(2);
    }
  });
});

describe('the rate of a clock', () => {
  test('changes while it runs, without a jump', () => {
    const { world, handle, clock } = watchOf({});
    const startUs = clock.monoUs();
    const bootUs = clock.bootUs();
    world.runSync(1_000_001);
    handle.process.clock.setDrift(500_000, world.nowUs);
    expect(clock.monoUs() - startUs).toBe(1_000_000);
    world.runSync(2_000_001);
    expect(clock.monoUs() - startUs).toBe(2_500_000);
    handle.process.clock.setDrift(-500_000, world.nowUs);
    world.runSync(3_000_001);
    expect([clock.monoUs() - startUs, clock.bootUs() - bootUs]).toEqual([3_000_000, 3_000_000]);
  });

  test('leaves no timer to fire before its time', () => {
    const { world, handle, clock } = watchOf({ latenessUsMax: 0 });
    const dueUs = clock.monoUs() + 1_000_000;
    const fired: number[] = [];
    clock.after(1_000_000, () => fired.push(clock.monoUs() - dueUs));
    handle.process.clock.setDrift(-500_000, world.nowUs);
    world.runSync(1_500_000);
    expect(fired).toEqual([]);
    world.runSync(3_000_000);
    expect(fired).toEqual([0]);
  });

  test('never turns it back, not even when it changes while the machine sleeps', () => {
    const { world, handle, clock } = watchOf({});
    world.runSync(1_000_000);
    const beforeUs = clock.monoUs();
    handle.pause('suspend');
    world.runSync(2_000_000);
    handle.process.clock.setDrift(900_000, world.nowUs);
    world.runSync(3_000_000);
    handle.resume();
    expect(clock.monoUs()).toBe(beforeUs);
    expect(() => handle.process.clock.setDrift(-1_000_000, world.nowUs)).toThrow('forward');
  });

  test('goes on for what begins while its machine was to sleep without a process', () => {
    const { world, handle } = watchOf({});
    handle.crash();
    handle.pause('suspend');
    handle.start();
    world.runSync(world.nowUs + 1);
    const fired: number[] = [];
    running(handle).after(1_000, () => fired.push(1));
    world.runSync(world.nowUs + 1_000_000);
    expect(fired).toEqual([1]);
  });
});

describe('a slow process', () => {
  test('takes one call-back after the other, in order, each for its time', () => {
    const world = createWorld({ seed: 4 });
    const server = echoServer(world);
    const client = echoClient(world);
    server.start();
    client.start();
    world.runSync(100_000);
    server.process.callbackUs = 10_000;
    for (const number of numbers(20)) running(client).link?.send(utf8.encode(number));
    world.runSync(200_000);
    const halfway = running(server).received.length;
    expect(halfway).toBeGreaterThan(8);
    expect(halfway).toBeLessThan(12);
    world.runSync(400_000);
    expect(running(server).received).toEqual(numbers(20));
  });

  test('runs soon after what waited then, not after all that comes meanwhile', () => {
    const world = createWorld({ seed: 4 });
    const order: string[] = [];
    const handle = world.process({ name: 'a', isSync: true, start: ({ clock }) => clock });
    handle.start();
    world.runSync(10);
    const clock = running(handle);
    handle.process.callbackUs = 1_000;
    handle.process.clock.latenessUsMax = 0;
    const beat = (left: number): void => {
      order.push(`beat ${left}`);
      if (left > 0) clock.after(500, () => beat(left - 1));
      if (left === 3) clock.soon(() => order.push('soon'));
    };
    clock.after(100, () => beat(3));
    clock.after(200, () => order.push('other'));
    world.runSync(100_000);
    expect(order).toEqual(['beat 3', 'soon', 'other', 'beat 2', 'beat 1', 'beat 0']);
  });

  test('that is stopped and goes on again has still one thread', () => {
    const world = createWorld({ seed: 4 });
    const times: number[] = [];
    const handle = world.process({ name: 'a', isSync: true, start: ({ clock }) => clock });
    handle.start();
    world.runSync(10);
    handle.process.callbackUs = 1_000;
    for (let at = 0; at < 20; at++) {
      running(handle).after(0, () => times.push(world.nowUs));
    }
    for (let at = 0; at < 5; at++) {
      world.runSync(world.nowUs + 1_300);
      handle.pause();
      handle.resume();
    }
    world.runSync(1_000_000);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(times).toHaveLength(20);
    expect(gaps.filter((gap) => gap < 1_000).length).toBeLessThanOrEqual(5);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(14_000);
  });

  test('is no slower than any other when its time is 0, and dies like any other', () => {
    const run = (callbackUs: number): string => {
      const world = createWorld({ seed: 4 });
      const server = echoServer(world);
      const client = echoClient(world, { frames: 50 });
      server.process.callbackUs = callbackUs;
      server.start();
      client.start();
      world.runSync(30_000);
      server.crash();
      world.runSync(40_000);
      server.start();
      world.runSync(200_000);
      expect(running(server).links).toEqual([]);
      return world.traceHash();
    };
    expect(run(0)).toBe(run(0));
    expect(run(7_000)).not.toBe(run(0));
  });
});
