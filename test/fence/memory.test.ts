import { expect, test } from 'vitest';
import { memoryFence } from '../../src/fence.ts';
import { runFenceTable } from './conformance.ts';
import type { FenceWorld } from './conformance.ts';

function memoryWorld(): FenceWorld {
  const fence = memoryFence();
  const values = new Map<string, string>();
  return {
    write: async (resource, claim, value) => {
      fence.write(resource, claim, () => values.set(resource, value));
    },
    read: async (resource) => values.get(resource) ?? null,
    seen: async (resource, slot) => fence.seen(resource, slot),
    setUp: async () => undefined,
    close: async () => undefined,
  };
}

runFenceTable('memoryFence', async () => memoryWorld());

test('what the write returns comes back', () => {
  expect(memoryFence().write('orders', { token: 1 }, () => 42)).toBe(42);
});

test('a write that throws half-way still shuts earlier holders out', () => {
  const fence = memoryFence();
  const fail = (): never => {
    throw new Error('half done');
  };
  expect(() => fence.write('orders', { token: 34 }, fail)).toThrow('half done');
  expect(() => fence.present('orders', { token: 33 })).toThrow('STALE_TOKEN');
});

test('a write that would go on after the check is told so', () => {
  const write = (): Promise<void> => Promise.resolve();
  expect(() => memoryFence().write('orders', { token: 34 }, write)).toThrow(/INVALID.*promise/);
});

test('a full memory refuses what is new, and forgets nothing', () => {
  const fence = memoryFence({ rowsMax: 2 });
  fence.present('a', { token: 5 });
  fence.present('b', { token: 5 });
  expect(() => fence.present('c', { token: 9 })).toThrow('OVERLOADED');
  expect(() => fence.present('d', { token: 9, slots: [0, 1] })).toThrow('OVERLOADED');
  fence.present('a', { token: 6 });
  expect(() => fence.present('a', { token: 5 })).toThrow('STALE_TOKEN');
  expect(() => memoryFence({ rowsMax: 0 })).toThrow(/INVALID.*rowsMax.*got 0/);
});
