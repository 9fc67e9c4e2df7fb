// What LevelDB is asked for when a checkpoint writes thousands of rows: one synced batch, taken in
// slices between turns of the event loop.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { createLevelStore } from '../../src/adapters/level-store.ts';
import type { KeyValue, KeyValueOp, Stored } from '../../src/ports/storage.ts';
import { watchWrites } from './level-writes.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-level-'));

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

async function opened(): Promise<KeyValue> {
  const store = createLevelStore(join(root, 'log'));
  await new Promise((resolve) => store.open(true, resolve));
  return store;
}

function write(store: KeyValue, ops: Iterable<KeyValueOp>): Promise<Stored<void>> {
  return new Promise((resolve) => store.batch(ops, resolve));
}

function close(store: KeyValue): Promise<void> {
  return new Promise((resolve) => store.close(resolve));
}

function* rows(count: number, note: () => void): Iterable<KeyValueOp> {
  for (let at = 0; at < count; at++) {
    note();
    yield { type: 'put', key: `r/${at}`, value: new Uint8Array(100) };
  }
}

test('a checkpoint of 8,192 rows leaves room for other work between its slices', async () => {
  const store = await opened();
  const clock = createSystemClock();
  let taken = 0;
  let isWritten = false;
  const seen = new Set<number>();
  const look = (): void => {
    seen.add(taken);
    if (!isWritten) clock.soon(look);
  };
  clock.soon(look);
  const result = await write(
    store,
    rows(8_192, () => (taken += 1)),
  );
  isWritten = true;
  expect(result.ok).toBe(true);
  // Taken in one piece, it is seen before and after; in slices, after each of them.
  expect(seen.size).toBeGreaterThan(8);
  await close(store);
});

test('M-65 short and long batches are synced', async () => {
  const store = await opened();
  const written = watchWrites();
  for (const count of [5, 512, 600]) {
    const result = await write(
      store,
      rows(count, () => {}),
    );
    expect(result.ok).toBe(true);
  }
  expect(written).toEqual([{ sync: true }, { sync: true }, { sync: true }]);
  await close(store);
});
