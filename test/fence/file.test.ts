import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileFence } from '../../src/fence.ts';
import { expectStale, runFenceTable } from './conformance.ts';
import type { FenceWorld } from './conformance.ts';

const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder().decode(bytes);

async function fileWorld(): Promise<FenceWorld> {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-file-'));
  const fence = fileFence(fs, root);
  return {
    write: fence.write,
    // Another guard of the same folder, as another process has it.
    read: async (resource) => text(await fileFence(fs, root).read(resource)),
    seen: (resource, slot) => fileFence(fs, root).seen(resource, slot),
    setUp: async () => undefined,
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

runFenceTable('fileFence', fileWorld);

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-file-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('bytes come back as they were, and former versions go', async () => {
  const fence = fileFence(fs, root);
  for (let n = 0; n < 40; n++) await fence.write('a', { token: 5 }, Uint8Array.of(10, n, 0, 255));
  expect([...((await fence.read('a')) ?? [])]).toEqual([10, 39, 0, 255]);
  expect(readdirSync(join(root, 'a')).length).toBe(16);
});

test('names that a file system cannot carry, or takes for the same, are kept apart', async () => {
  const fence = fileFence(fs, root);
  const names = ['a/b', 'A/b', '%61/b', '..a', 'x'.repeat(512), 'x'.repeat(511), 'ö', '+'];
  for (const [at, name] of names.entries()) await fence.write(name, { token: at + 1 }, name);
  for (const [at, name] of names.entries()) {
    expect(text(await fence.read(name))).toBe(name);
    expect((await fence.seen(name)).maxExclusive).toBe(at + 1);
  }
  expect(readdirSync(root)).toContain('a%2fb');
});

test('a function makes the next content of the latest, however many write at once', async () => {
  const add = (current: Uint8Array | null): string => `${text(current) ?? ''}x`;
  const writers = Array.from({ length: 7 }, () => fileFence(fs, root));
  await Promise.all(writers.map((fence) => fence.write('count', { token: 1 }, add)));
  expect(text(await fileFence(fs, root).read('count'))).toBe('xxxxxxx');
});

test('who is overtaken between its check and its write finds its token stale', async () => {
  const late = {
    ...fs,
    // What it would do last, once another has written.
    link: async (from: string, to: string) => {
      await fileFence(fs, root).write('orders', { token: 34 }, 'later');
      await fs.link(from, to);
    },
  };
  const written = fileFence(late, root).write('orders', { token: 33 }, 'earlier');
  const stale = { resource: 'orders', claim: { token: 33 }, staleBy: 34 };
  await expectStale(written, stale);
  expect(text(await fileFence(fs, root).read('orders'))).toBe('later');
});

test('who is overtaken so often that its version was removed is not believed', async () => {
  const late = {
    ...fs,
    link: async (from: string, to: string) => {
      for (let n = 0; n < 20; n++)
        await fileFence(fs, root).write('a', { token: 34 }, `later ${n}`);
      await fs.link(from, to);
    },
  };
  const written = fileFence(late, root).write('a', { token: 33 }, 'earlier');
  await expect(written).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(text(await fileFence(fs, root).read('a'))).toBe('later 19');
});

test('what a crash left half done counts as nothing, what is damaged is refused', async () => {
  const fence = fileFence(fs, root);
  await fence.write('a', { token: 5 }, 'kept');
  writeFileSync(join(root, 'a', 'draft-0'), '{"format":"holdfast-fence 1","seen":[[-1,9');
  await fence.write('a', { token: 6 }, 'kept too');
  expect(text(await fence.read('a'))).toBe('kept too');
  const head = '{"format":"holdfast-fence 1","seen":[[-1,9,0]],"crc":1}';
  for (const bytes of ['', 'no line', '{}\n', 'null\n', `${head}\nforged`]) {
    writeFileSync(join(root, 'a', 'v0000000000000003'), bytes);
    const written = fence.write('a', { token: 7 }, 'lost');
    await expect(written).rejects.toMatchObject({ code: 'STORAGE' });
  }
});

test('what is no content or no folder is refused', async () => {
  const untyped: { write(...all: readonly unknown[]): Promise<unknown> } = fileFence(fs, root);
  await expect(untyped.write('a', { token: 1 }, 7)).rejects.toThrow(/INVALID.*got 7/);
  expect(() => fileFence(fs, '')).toThrow('INVALID');
  expect(readdirSync(root)).toEqual([]);
});
