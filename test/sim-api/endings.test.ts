import { scheduler } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { simulate } from '../../sim/api/simulate.ts';
import { failing } from './failing.ts';

describe('the end of a run', () => {
  test('waits for what ends by itself: a long wait, a long lease', async () => {
    const options = { seed: 1, report: false, limitMs: '20min' } as const;
    const wait = await simulate(options, async (world) => {
      await world.client('owner').lock('a').acquire();
      const waiting = world.client('late').lock('a').acquire({ waitMs: 150_000 });
      return waiting.catch(String);
    });
    expect(wait.value).toContain('WAIT_OVER');
    const lease = await simulate(options, async (world) => {
      await world.client('dead', { ttlMs: 200_000 }).lock('a').acquire();
      world.crash('dead');
      await world.client('next').lock('a').acquire({ waitMs: Infinity });
    });
    expect(lease.virtualMs).toBeGreaterThan(190_000);
  });

  test('ends a program that waits for time by looking at a clock', async () => {
    const failure = await failing(async (world) => {
      world.run('busy', async () => {
        const untilMs = Date.now() + 10;
        while (Date.now() < untilMs);
      });
      await world.sleep('1s');
    });
    expect(failure.message).toContain('a clock was read 1000000 times while time stood still');
  });

  test('SPIN ends what goes on without time passing', async () => {
    const failure = await failing(async (world) => {
      world.run('busy', async () => {
        for (;;) await scheduler.wait(0);
      });
      await world.sleep('1s');
      world.run('busier', async () => {
        for (;;) await scheduler.yield();
      });
      await world.sleep('1s');
    });
    expect(failure.oracle).toBe('SPIN');
    expect(Math.floor(failure.atMs / 100)).toBe(10);
  });
});
