import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { expect, test } from 'vitest';
import { levelFence } from '../../src/fence.ts';
import { runFenceTable } from './conformance.ts';
import type { FenceWorld } from './conformance.ts';

async function levelWorld(): Promise<FenceWorld> {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-level-'));
  let db = new Level<string, string>(path);
  let fence = levelFence(db);
  return {
    write: (resource, claim, value) =>
      fence.write(resource, claim, [{ type: 'put', key: `data:${resource}`, value }]),
    read: async (resource) => (await db.get(`data:${resource}`)) ?? null,
    seen: (resource, slot) => fence.seen(resource, slot),
    setUp: async () => undefined,
    async restart() {
      await db.close();
      db = new Level(path);
      fence = levelFence(db);
    },
    async close() {
      await db.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

runFenceTable('levelFence', levelWorld);

async function withLevel(work: (db: Level<string, unknown>) => Promise<void>): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-level-'));
  const db = new Level<string, unknown>(path, { valueEncoding: 'json' });
  try {
    await work(db);
  } finally {
    await db.close();
    rmSync(path, { recursive: true, force: true });
  }
}

test('values of the database and of its sublevels are written as they always are', () =>
  withLevel(async (db) => {
    const orders = db.sublevel<string, unknown>('orders', { valueEncoding: 'json' });
    await levelFence(db).write('orders', { token: 34 }, [
      { type: 'put', key: 'a', value: { paid: true } },
      { type: 'put', sublevel: orders, key: 'b', value: [1, 2] },
    ]);
    expect([await db.get('a'), await orders.get('b')]).toEqual([{ paid: true }, [1, 2]]);
    expect(await db.get('holdfast-fence:-1:orders', { valueEncoding: 'utf8' })).toBe('34 0');
  }));

test('a batch that the database refuses leaves nothing, and the next one has its turn', () =>
  withLevel(async (db) => {
    const fence = levelFence(db);
    const refused = fence.write('orders', { token: 34 }, [{ type: 'put', key: 'a', value: 1n }]);
    await expect(refused).rejects.toThrow();
    expect(await fence.seen('orders')).toEqual({ maxExclusive: 0, maxShared: 0 });
    await fence.write('orders', { token: 33 }, [{ type: 'put', key: 'a', value: 1 }]);
    expect(await db.get('a')).toBe(1);
  }));

test('what is no row of a guard is refused, not passed', () =>
  withLevel(async (db) => {
    const fence = levelFence(db, { prefix: 'f/' });
    await db.put('f/-1:orders', { maxExclusive: 40 });
    const written = fence.write('orders', { token: 41 }, [{ type: 'put', key: 'a', value: 1 }]);
    await expect(written).rejects.toMatchObject({ code: 'STORAGE' });
    expect(await db.get('a')).toBe(undefined);
  }));

test('a key that an older Level reports as missing is one that was never seen', async () => {
  const missing = Object.assign(new Error('not found'), { code: 'LEVEL_NOT_FOUND' });
  const written: unknown[] = [];
  const old = {
    get: () => Promise.reject(missing),
    batch: async (operations: object[]) => void written.push(...operations),
  };
  await levelFence(old).write('orders', { token: 1 }, []);
  expect(written).toEqual([expect.objectContaining({ value: '1 0' })]);
});
