import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import fs, { readFile } from 'node:fs';
import { readFile as readFilePromise } from 'node:fs/promises';
import { createRequire } from 'node:module';
import net from 'node:net';
import { setTimeout as sleep, setInterval as ticks, scheduler } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { simulate } from '../../sim/api/simulate.ts';
import type { Own, Scenario } from '../../sim/api/types.ts';
import { failing } from './failing.ts';

/** What one program of a world comes to. */
async function inside<T>(program: (own: Own) => Promise<T>, seed = 1): Promise<T> {
  const scenario: Scenario<T> = (world) => world.run('worker', program).done;
  const { value } = await simulate({ seed, clocks: { worker: { skewMs: 5_000 } } }, scenario);
  return value;
}

describe('timers of a program', () => {
  test('take virtual time, in the order in which Node fires them', async () => {
    const realFrom = performance.now();
    const order = await inside(async () => {
      const seen: string[] = [];
      const from = performance.now();
      const stop = setInterval(() => seen.push('interval'), 400);
      setImmediate(() => seen.push('immediate'));
      setTimeout((text: string) => seen.push(text), 1_000, 'second');
      setTimeout(() => seen.push('third'), 1_000);
      setTimeout(() => seen.push('first'), 999);
      const never = setTimeout(() => seen.push('never'), 500);
      clearTimeout(never);
      const numbered = setTimeout(() => seen.push('never'), 500);
      clearTimeout(Number(numbered));
      process.nextTick(() => seen.push('tick'));
      queueMicrotask(() => seen.push('microtask'));
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      clearInterval(stop);
      await sleep(60_000);
      return [...seen, Math.round((performance.now() - from) / 1_000)];
    });
    expect(order).toEqual([
      ...['microtask', 'tick', 'immediate', 'interval', 'interval'],
      ...['first', 'second', 'third', 61],
    ]);
    expect(performance.now() - realFrom).toBeLessThan(30_000);
  });

  test('are those of node:timers/promises and of AbortSignal, too', async () => {
    const result = await inside(async () => {
      const from = Date.now();
      let count = 0;
      for await (const value of ticks(100, 'tick')) if (value === 'tick' && ++count === 3) break;
      await scheduler.wait(100);
      const value = await promisify(setTimeout)(100, 'promisified');
      const signal = AbortSignal.timeout(100);
      const reason = await new Promise<unknown>((resolve) => {
        signal.addEventListener('abort', () => resolve(signal.reason));
      });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 10);
      const aborted = await sleep(5_000, null, { signal: controller.signal }).catch(String);
      const spentMs = Math.floor((Date.now() - from) / 100) * 100;
      return { count, value, reason: String(reason), aborted, spentMs };
    });
    expect(result).toEqual({
      count: 3,
      value: 'promisified',
      reason: 'TimeoutError: The operation was aborted due to timeout',
      aborted: 'AbortError: The operation was aborted',
      spentMs: 600,
    });
  });

  test('keep the asynchronous context of the program, as those of Node do', async () => {
    const requests = new AsyncLocalStorage<string>();
    const seen = await inside(async () =>
      requests.run('request 1', async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        const byTimer = await new Promise((resolve) => {
          setTimeout(() => resolve(requests.getStore()), 10);
        });
        return [requests.getStore(), byTimer];
      }),
    );
    expect(seen).toEqual(['request 1', 'request 1']);
  });

  test('stand still with their process, and are gone with it', async () => {
    const { value } = await simulate({ seed: 1 }, async (world) => {
      const seen: string[] = [];
      world.run('worker', async (own) => {
        setTimeout(() => seen.push(`${own.life} at ${Math.floor(world.nowMs / 1_000)}`), 1_000);
        await own.sleep('1h');
      });
      world.pause('worker', { forMs: '3s' });
      await world.sleep('4s');
      world.restart('worker');
      await world.sleep(500);
      world.restart('worker');
      await world.sleep('2s');
      return seen;
    });
    expect(value).toEqual(['1 at 3', '3 at 5']);
  });
});

describe('time and chance of a program', () => {
  test('come from its machine and its seed', async () => {
    const draw = async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(4));
      const now = new Date();
      return {
        chance: [
          Math.random(),
          randomUUID(),
          randomInt(100),
          [...bytes],
          randomBytes(3).toString('hex'),
        ],
        isDate: now instanceof Date && Math.abs(now.getTime() - Date.now()) < 5,
        year: now.getFullYear(),
        text: new Intl.DateTimeFormat('en', { year: 'numeric' }).format(),
        isYoung: process.uptime() < 1 && performance.now() < 1_000,
        hrtime: typeof process.hrtime.bigint() === 'bigint' && process.hrtime([0, 0]).length === 2,
      };
    };
    const first = await inside(draw, 1);
    expect(await inside(draw, 1)).toEqual(first);
    expect((await inside(draw, 2)).chance).not.toEqual(first.chance);
    expect(first).toMatchObject({
      isDate: true,
      year: 2027,
      text: '2027',
      isYoung: true,
      hrtime: true,
    });
    expect(first.chance[1]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  test('are as before for everybody else, during the run and after it', async () => {
    const before = [setTimeout, Date, Math.random, fs.readFile, process.nextTick, performance.now];
    let during = 0;
    let isOver = false;
    const outside = (async () => {
      while (!isOver) {
        during = Math.max(during, Date.now());
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    await simulate({ seed: 1 }, (world) => world.sleep('20s'));
    isOver = true;
    await outside;
    expect(Math.abs(during - Date.now())).toBeLessThan(60_000);
    expect([setTimeout, Date, Math.random, fs.readFile, process.nextTick, performance.now]).toEqual(
      before,
    );
    expect(setTimeout).toBe(before[0]);
  });

  test('may be refused, so that only what is given is used', async () => {
    const failure = await failing(async (world) => {
      world.run('worker', async () => void Date.now(), { globals: 'refuse' });
      await world.sleep('1s');
    });
    expect(failure.oracle).toBe('AMBIENT');
    expect(failure.message).toMatch(
      /^worker used Date.now at test\/sim-api\/globals.test.ts:\d+:\d+: its globals are refused/,
    );
  });
});

describe('what reaches out of the world', () => {
  const require = createRequire(import.meta.url);
  const WAYS: readonly (readonly [string, string, () => unknown])[] = [
    ['by default import', 'fs.readFileSync', () => fs.readFileSync('package.json')],
    ['by named import', 'fs.readFile', () => readFile('package.json', () => {})],
    ['by promise', 'fs.promises.readFile', () => readFilePromise('package.json')],
    ['by property', 'fs.promises.stat', () => fs.promises.stat('package.json')],
    ['by require', 'fs.existsSync', () => require('node:fs').existsSync('package.json')],
    [
      'by process.getBuiltinModule',
      'fs.readdirSync',
      () => process.getBuiltinModule('fs').readdirSync('.'),
    ],
    ['a socket', 'net.connect', () => net.connect(1)],
    ['a class', 'new net.Socket', () => new net.Socket()],
    ['fetch', 'fetch', () => fetch('http://localhost:1')],
    ['a child', 'child_process.spawn', () => require('child_process').spawn('ls')],
    ['a thread', 'new worker_threads.Worker', () => new (require('worker_threads').Worker)('x')],
    ['the end', 'process.exit', () => process.exit()],
    ['the garbage collector', 'new WeakRef', () => new WeakRef({})],
  ];

  test.each(WAYS)('is refused with the place of its caller: %s', async (_, what, act) => {
    const failure = await failing(async (world) => {
      world.run('worker', async () => {
        try {
          await act();
        } catch {
          // Whoever swallows it has used it all the same.
        }
      });
      await world.sleep('1s');
    });
    expect(failure.oracle).toBe('AMBIENT');
    const place = String.raw`test/sim-api/globals\.test\.ts:\d+:\d+: \S`;
    expect(failure.message).toMatch(new RegExp(`^worker used ${what} at ${place}`));
  });

  test('is what a program throws in a call-back, too: it fails and nothing else does', async () => {
    const boom = (): never => {
      throw new Error('boom');
    };
    const WAYS_TO_THROW: readonly (() => void)[] = [
      () => void setTimeout(boom, 1),
      () => void setImmediate(boom),
      () => process.nextTick(boom),
      () => queueMicrotask(boom),
      () => void Promise.reject(new Error('boom')),
      () => {
        const target = new EventTarget();
        target.addEventListener('x', boom);
        target.dispatchEvent(new Event('x'));
      },
    ];
    for (const act of WAYS_TO_THROW) {
      const failure = await failing(async (world) => {
        world.run('worker', async () => act());
        await world.sleep('1s');
      });
      expect(failure.message).toBe('the program worker threw Error: boom');
      expect(failure.oracle).toBe('PROGRAM');
    }
  });

  test('is not fake timers, which are told of', async () => {
    vi.useFakeTimers();
    try {
      await expect(simulate({ seed: 1 }, async () => {})).rejects.toThrow('vi.useRealTimers');
    } finally {
      vi.useRealTimers();
    }
  });

  test('is not another world, which may run beside it but not within it', async () => {
    const both = await Promise.all(
      [1, 2].map((seed) => simulate({ seed }, async (world) => world.sleep('5s'))),
    );
    const alone = await simulate({ seed: 1 }, async (world) => world.sleep('5s'));
    expect(both[0]?.traceHash).toBe(alone.traceHash);
    const failure = await failing(() => simulate({ seed: 1 }, async () => {}));
    expect(failure.message).toContain('a simulation cannot begin within another one');
  });
});
