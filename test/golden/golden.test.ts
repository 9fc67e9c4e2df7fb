// All bytes that outlive a process or leave it, pinned. What fails here breaks disks and clusters
// that run: see README.md before you write a file anew.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { families } from './families.ts';
import type { Family } from './families.ts';
import { itemsOf, textOf } from './text.ts';
import type { Pinned } from './text.ts';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));

for (const family of families()) {
  const file = `${family.name}-${family.version}.txt`;
  const title = `${family.name}, version ${family.version}. Read README.md before you change it.`;
  const text = textOf(title, family.items);
  // For scripts/golden.mjs.
  if (process.env['HOLDFAST_GOLDEN'] === 'write') writeFileSync(`${FOLDER}${file}`, text);

  describe(file, () => {
    const pinned = pinnedIn(file);

    test('names all that has bytes, and nothing else', () => {
      expect(pinned.map(({ name }) => name)).toEqual(family.items.map(({ name }) => name));
    });

    test.each(pinned.map((each) => each.name))('%s', (name) => {
      const { value, bytes } = byName(pinned, name);
      const item = byName(family.items, name);
      expect(item.value).toEqual(value);
      expect(item.read(bytes)).toEqual(value);
      expect(hex(item.bytes)).toBe(hex(bytes));
    });
  });
}

describe('a version that is written no more', () => {
  const former = families().flatMap((family) =>
    formerFiles(family).map((file) => [file, family] as const),
  );

  test('is there: the first format of the disk', () => {
    expect(former.map(([file]) => file)).toContain('disk-1.txt');
  });

  test.each(former)('is still read: %s', (file, family) => {
    for (const { name, value, bytes } of pinnedIn(file)) {
      expect([name, byName(family.items, name).read(bytes)]).toEqual([name, value]);
    }
  });
});

function formerFiles({ name, version }: Family): readonly string[] {
  return readdirSync(FOLDER).filter((file) => {
    const [, family, number] = /^(\w+)-(\d+)\.txt$/.exec(file) ?? [];
    return family === name && Number(number) < version;
  });
}

function pinnedIn(file: string): readonly Pinned[] {
  const path = `${FOLDER}${file}`;
  return existsSync(path) ? itemsOf(readFileSync(path, 'utf8')) : [];
}

function byName<T extends { readonly name: string }>(items: readonly T[], name: string): T {
  const found = items.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nothing has the name ${name}`);
  return found;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
