import { subtle } from 'node:crypto';
import * as nodeCrypto from 'node:crypto';
import { hrtime, nextTick } from 'node:process';
import { setTimeout as timersSetTimeout } from 'node:timers';
import { scheduler, setTimeout as promisedTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorld } from '../../sim/world/world.ts';

const nothing = (): void => {};
const RSA = { modulusLength: 512 } as const;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

const SOURCES: Readonly<Record<string, () => unknown>> = {
  'Date.now': () => Date.now(),
  'new Date()': () => new Date(),
  'Date()': () => Date(),
  'Intl.DateTimeFormat': () => new Intl.DateTimeFormat('en').format(),
  'Math.random': () => Math.random(),
  'performance.now': () => performance.now(),
  'performance.timeOrigin': () => performance.timeOrigin,
  'performance.mark': () => performance.mark('here'),
  'process.hrtime': () => process.hrtime(),
  'process.hrtime.bigint': () => process.hrtime.bigint(),
  'hrtime of node:process': () => hrtime(),
  'bigint of node:process': () => hrtime.bigint(),
  'process.uptime': () => process.uptime(),
  'process.cpuUsage': () => process.cpuUsage(),
  'process.memoryUsage': () => process.memoryUsage(),
  'process.resourceUsage': () => process.resourceUsage(),
  'process.nextTick': () => process.nextTick(nothing),
  'nextTick of node:process': () => nextTick(nothing),
  setTimeout: () => clearTimeout(setTimeout(nothing, 0)),
  setInterval: () => clearInterval(setInterval(nothing, 1)),
  setImmediate: () => clearImmediate(setImmediate(nothing)),
  'timers.setTimeout': () => clearTimeout(timersSetTimeout(nothing, 0)),
  'setTimeout of timers/promises': () => promisedTimeout(0),
  'scheduler.wait': () => scheduler.wait(0),
  'scheduler.yield': () => scheduler.yield(),
  'AbortSignal.timeout': () => AbortSignal.timeout(1),
  fetch: () => fetch('data:,x'),
  WeakRef: () => new WeakRef({}),
  FinalizationRegistry: () => new FinalizationRegistry(nothing),
  randomBytes: () => nodeCrypto.randomBytes(4),
  randomUUID: () => nodeCrypto.randomUUID(),
  randomInt: () => nodeCrypto.randomInt(4),
  randomFill: () => nodeCrypto.randomFill(new Uint8Array(4), nothing),
  randomFillSync: () => nodeCrypto.randomFillSync(new Uint8Array(4)),
  'getRandomValues of node:crypto': () => nodeCrypto.getRandomValues(new Uint8Array(4)),
  getRandomValues: () => crypto.getRandomValues(new Uint8Array(4)),
  'crypto.randomUUID': () => crypto.randomUUID(),
  'crypto.subtle.generateKey': () => subtle.generateKey(HMAC, true, ['sign']),
  generateKey: () => nodeCrypto.generateKey('hmac', { length: 64 }, nothing),
  generateKeySync: () => nodeCrypto.generateKeySync('hmac', { length: 64 }),
  generateKeyPair: () => nodeCrypto.generateKeyPair('rsa', RSA, nothing),
  generateKeyPairSync: () => nodeCrypto.generateKeyPairSync('ed25519'),
  generatePrime: () => nodeCrypto.generatePrime(32, nothing),
  generatePrimeSync: () => nodeCrypto.generatePrimeSync(32),
};

function inside(act: () => unknown): void {
  const world = createWorld({ seed: 1 });
  world.process({ name: 'a', isSync: true, start: () => void act() }).start();
  world.runSync(1_000);
}

test.each(Object.entries(SOURCES))(
  '%s is refused inside a world and works outside',
  (name, use) => {
    expect(() => inside(use)).toThrow('inside a simulated world');
    expect(use).not.toThrow();
    try {
      inside(use);
    } catch (error) {
      expect(String(error instanceof Error && error.stack), name).toContain('guard.test.ts');
    }
  },
);

test('what Node does by itself for the program around the world goes on', async () => {
  const world = createWorld({ seed: 1 });
  world.process({ name: 'a', isSync: false, start: () => {} }).start();
  const written = new Promise<void>((resolve) => {
    // Streams tell by process.nextTick, from inside of Node.
    world.at(500, () => process.stdout.write('', () => resolve()));
  });
  await world.run(1_000);
  await written;
});

test('a date of a given time, and microtasks, stay allowed', () => {
  const seen: number[] = [];
  inside(() => {
    seen.push(new Date(5).getTime());
    queueMicrotask(() => {});
  });
  expect(seen).toEqual([5]);
});

test('the world gives back what it took when a program throws', () => {
  const all = (): readonly unknown[] => [
    Date,
    setTimeout,
    fetch,
    Math.random,
    performance.now,
    performance.timeOrigin,
    process.hrtime,
    hrtime,
    nodeCrypto.randomBytes,
    crypto.getRandomValues,
    timersSetTimeout,
  ];
  const before = all();
  expect(() =>
    inside(() => {
      throw new Error('a bug');
    }),
  ).toThrow('a bug');
  expect(all()).toEqual(before);
});
