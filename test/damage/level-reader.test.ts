// The reader that is not LevelDB's: it must find in real stores exactly what LevelDB finds, and
// any byte that is wrong.

import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { describe, expect, test } from 'vitest';
import { lossBetween, readStore } from '../../scripts/lib/level-reader.mjs';
import { scratchDirectory } from '../cli/scratch.ts';
import { flip } from './harm.ts';

/** Keys with a digest of their values. */
type Pairs = readonly (readonly [key: string, digest: string])[];
type Store = Level<string, Uint8Array>;

const OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

/** Runs `work` on the store in this directory; then closes it, and gives what LevelDB finds. */
async function withStore(
  directory: string,
  work: (store: Store) => Promise<unknown>,
  writeBufferSize = 64 * 1024 * 1024,
): Promise<Pairs> {
  const store: Store = new Level(directory, OPTIONS);
  await store.open({ compression: false, writeBufferSize });
  await work(store);
  const pairs = await store.iterator().all();
  await store.close();
  return pairs.map(([key, value]) => [key, digestOf(value)] as const);
}

function digestOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function put(store: Store, key: string, value: Uint8Array): Promise<void> {
  return store.batch([{ type: 'put', key, value }], { sync: false });
}

function keyOf(number: number): string {
  return `l/${number.toString(16).padStart(16, '0')}`;
}

/** Bytes that differ from one place to the next, and from one seed to the next. */
function bytesOf(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + seed * 17 + (at >> 8)) & 0xff);
}

function found(directory: string): Pairs {
  const { live, problems } = readStore(directory);
  expect(problems).toEqual([]);
  return [...live.values()].map(({ key, value }) => [key, digestOf(value)] as const);
}

function filesOf(directory: string, kind: string): readonly string[] {
  return readStore(directory).files.flatMap((file) => (file.kind === kind ? file.name : []));
}

async function writeMixed(store: Store): Promise<void> {
  for (let number = 0; number < 40; number++) {
    // Lengths that end records before, at and just beyond the end of a block of 32 KiB.
    await put(store, keyOf(number), bytesOf(number * 997 + 3, number));
  }
  await put(store, keyOf(7), bytesOf(100_000, 99));
  await store.batch([
    { type: 'del', key: keyOf(3) },
    { type: 'put', key: 'm/tail', value: bytesOf(40, 1) },
  ]);
}

describe('a store as the reader sees it', () => {
  test('is what LevelDB wrote ahead: records in pieces, overwritten keys, deletions', async () => {
    const directory = scratchDirectory();
    const pairs = await withStore(directory, writeMixed);
    expect(pairs).toHaveLength(40);
    expect(filesOf(directory, 'table')).toEqual([]);
    expect(found(directory)).toEqual(pairs);
  });

  test('is what several lives left behind: tables, and a write-ahead file over them', async () => {
    const directory = scratchDirectory();
    await withStore(directory, writeMixed);
    await withStore(directory, async (store) => {
      await put(store, keyOf(5), bytesOf(10, 5));
      await store.del(keyOf(6));
    });
    const pairs = await withStore(directory, (store) => store.del(keyOf(8)));
    expect(filesOf(directory, 'table')).toHaveLength(2);
    expect(found(directory)).toEqual(pairs);
  });

  test('is what many memtables and their compactions left: tables of several levels', async () => {
    const directory = scratchDirectory();
    const pairs = await withStore(
      directory,
      async (store) => {
        for (let number = 0; number < 3_000; number++) {
          await put(store, keyOf((number * 7) % 1_000), bytesOf(1_000 + number, number));
        }
        for (let number = 0; number < 400; number++) {
          await put(store, keyOf(number), bytesOf(1_000, 9));
        }
      },
      256 * 1024,
    );
    expect(pairs).toHaveLength(1_000);
    expect(filesOf(directory, 'table').length).toBeGreaterThan(2);
    expect(found(directory)).toEqual(pairs);
  });
});

describe('damage as the reader sees it', () => {
  test('is told for every single byte of every file that counts', async () => {
    const directory = scratchDirectory();
    await withStore(directory, (store) => put(store, 'older', bytesOf(50, 1)));
    await withStore(directory, (store) => put(store, 'newer', bytesOf(50, 2)));
    const before = readStore(directory);
    expect(before.files.map(({ kind }) => kind)).toEqual(['manifest', 'table', 'log']);
    for (const { name } of before.files) {
      const path = join(directory, name);
      const bytes = readFileSync(path);
      const unseen: number[] = [];
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Uint8Array.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ 0x10;
        writeFileSync(path, flipped);
        if (readStore(directory).problems.length === 0) unseen.push(at);
      }
      writeFileSync(path, bytes);
      expect([name, unseen.filter((at) => !isPadding(name, at, bytes.length))]).toEqual([name, []]);
    }
    expect(lossBetween(before, readStore(directory))).toEqual({ gone: [], changed: [] });
  });

  test('costs the key whose value was hit, in a record of many pieces too', async () => {
    const directory = scratchDirectory();
    await withStore(directory, writeMixed);
    const before = readStore(directory);
    for (const [key, offset] of [
      [keyOf(7), 0],
      [keyOf(7), 99_999],
      [keyOf(39), 20_000],
    ] as const) {
      const pair = before.live.get(key);
      if (pair === undefined) throw new Error(`${key} is missing`);
      const at = pair.place(offset);
      expect(readFileSync(join(directory, pair.file))[at]).toBe(pair.value[offset]);
      flip(join(directory, pair.file), at);
      const after = readStore(directory);
      expect(after.problems).toContainEqual(
        expect.objectContaining({ file: pair.file, what: 'a wrong checksum' }),
      );
      const { gone, changed } = lossBetween(before, after);
      // An older version of the key shows again, which is what makes such damage dangerous.
      expect([...gone, ...changed]).toEqual([key]);
      flip(join(directory, pair.file), at);
    }
  });

  test('is told of files that are gone', async () => {
    const directory = scratchDirectory();
    await withStore(directory, writeMixed);
    await withStore(directory, (store) => put(store, 'newer', bytesOf(50, 2)));
    const [manifest = '', table = ''] = readStore(directory).files.map(({ name }) => name);
    for (const name of [table, manifest, 'CURRENT']) {
      rmSync(join(directory, name));
      expect(readStore(directory).problems).toMatchObject([
        { file: name, what: 'the file is missing' },
      ]);
    }
  });
});

// A footer has room that means nothing, between its second handle and the magic number.
function isPadding(name: string, at: number, length: number): boolean {
  return name.endsWith('.ldb') && at >= length - 48 && at < length - 8;
}
