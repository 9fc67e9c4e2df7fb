// The clock of a process is one for all its threads, and none of a test's (the built package).

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';

const CLOCK = fileURLToPath(new URL('../../dist/src/adapters/system-clock.js', import.meta.url));

afterEach(() => void vi.useRealTimers());

test('INV-17 two threads read one monotonic clock: a deadline of one is right in the other', async () => {
  const program = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(CLOCK)}).then(({ createSystemClock }) => {
      const clock = createSystemClock();
      parentPort.on('message', () => parentPort.postMessage(clock.monoUs()));
      parentPort.postMessage(null);
    });`;
  const worker = new Worker(program, { eval: true });
  const answer = (): Promise<unknown> => new Promise((resolve) => worker.once('message', resolve));
  await answer();
  const clock = createSystemClock();
  const beforeUs = clock.monoUs();
  worker.postMessage(null);
  const thereUs = Number(await answer());
  expect(thereUs).toBeGreaterThanOrEqual(beforeUs);
  expect(thereUs).toBeLessThanOrEqual(clock.monoUs());
  await worker.terminate();
});

test('I1 I2 timers and dates that a test has replaced move no lease', async () => {
  const clock = createSystemClock();
  const beforeUs = clock.monoUs();
  vi.useFakeTimers({ now: 0 });
  const fired = new Promise<void>((resolve) => void clock.after(1_000, resolve));
  vi.setSystemTime(new Date('2100-01-01'));
  await fired;
  const passedUs = clock.monoUs() - beforeUs;
  expect(passedUs).toBeGreaterThanOrEqual(1_000);
  expect(Date.now()).toBe(new Date('2100-01-01').getTime());
  expect(clock.wallMs()).toBeLessThan(new Date('2100-01-01').getTime());
});
