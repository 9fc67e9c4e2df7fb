import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as timersSetTimeout } from 'node:timers';
import { expect, test } from 'vitest';
import { createWorld } from '../../sim/world/world.ts';

const SOURCES: Readonly<Record<string, () => unknown>> = {
  'Date.now': () => Date.now(),
  'new Date()': () => new Date(),
  'Date()': () => Date(),
  'Math.random': () => Math.random(),
  'performance.now': () => performance.now(),
  'process.hrtime': () => process.hrtime(),
  setTimeout: () => setTimeout(() => {}, 0),
  setInterval: () => setInterval(() => {}, 1),
  setImmediate: () => setImmediate(() => {}),
  'timers.setTimeout': () => timersSetTimeout(() => {}, 0),
  randomBytes: () => randomBytes(4),
  randomUUID: () => randomUUID(),
  getRandomValues: () => crypto.getRandomValues(new Uint8Array(4)),
  'AbortSignal.timeout': () => AbortSignal.timeout(1),
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

test('a date of a given time, and microtasks, stay allowed', () => {
  const seen: number[] = [];
  inside(() => {
    seen.push(new Date(5).getTime());
    queueMicrotask(() => {});
  });
  expect(seen).toEqual([5]);
});

test('the world gives back what it took when a program throws', () => {
  const before = [Date, setTimeout, Math.random, performance.now];
  expect(() =>
    inside(() => {
      throw new Error('a bug');
    }),
  ).toThrow('a bug');
  expect([Date, setTimeout, Math.random, performance.now]).toEqual(before);
});
