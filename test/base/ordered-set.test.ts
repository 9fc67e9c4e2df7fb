import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NameMap } from '../../src/base/name-map.ts';
import { compareUtf8, utf8Length } from '../../src/base/name.ts';
import { OrderedNames } from '../../src/base/ordered-names.ts';
import { OrderedSet } from '../../src/base/ordered-set.ts';
import { SeqTable } from '../../src/base/seq-table.ts';
import type { Numbered } from '../../src/base/seq-table.ts';

/** What both the map of names and their order need. */
interface Thing {
  readonly name: string;
  next: Thing | null;
  unplacedAt: number;
}

const thing = (name: string): Thing => ({ name, next: null, unplacedAt: 0 });

const byValue = (left: number, right: number): number => left - right;

test('an ordered set agrees with a sorted array, whatever is added and removed', () => {
  const action = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 200 }),
      fc.integer({ min: -1, max: 41 }),
      (actions, probe) => {
        const set = new OrderedSet<number>(byValue);
        const model = new Set<number>();
        for (const [isAdd, value] of actions) {
          expect(isAdd ? set.add(value) : set.delete(value)).toBe(isAdd !== model.has(value));
          if (isAdd) model.add(value);
          else model.delete(value);
        }
        const sorted = [...model].sort(byValue);
        expect([...set.values()]).toEqual(sorted);
        expect(set.size).toBe(sorted.length);
        expect(set.first()).toBe(sorted[0] ?? null);
        expect(set.head(probe + 1)).toEqual(sorted.slice(0, probe + 1));
        expect(set.has(probe)).toBe(model.has(probe));
        expect(set.rank(probe)).toBe(sorted.filter((value) => value < probe).length);
        expect([...set.valuesFrom(probe)]).toEqual(sorted.filter((value) => value >= probe));
        expect(set.firstFrom(probe)).toBe(sorted.find((value) => value >= probe) ?? null);
        expect(set.lastBelow(probe)).toBe(sorted.findLast((value) => value < probe) ?? null);
      },
    ),
  );
});

test('an ordered set of many chunks keeps order, rank and size', () => {
  const set = new OrderedSet<number>(byValue);
  const total = 20_011;
  for (let turn = 0; turn < total; turn++) set.add((turn * 7_919) % total);
  expect([...set.values()]).toEqual(Array.from({ length: total }, (_, value) => value));
  for (let value = 0; value < total; value += 997) expect(set.rank(value)).toBe(value);
  for (let value = 1; value < total; value++) expect(set.lastBelow(value)).toBe(value - 1);
  for (let turn = 0; turn < total; turn++) {
    const value = (turn * 4_001) % total;
    if (value % 10 !== 0) expect(set.delete(value)).toBe(true);
  }
  expect([...set.values()]).toEqual(Array.from({ length: 2_002 }, (_, tenth) => tenth * 10));
  expect(set.size).toBe(2_002);
  expect(set.rank(10_000)).toBe(1_000);
  expect(set.head(1_500)).toEqual(Array.from({ length: 1_500 }, (_, tenth) => tenth * 10));
});

test('a page of names is what sorting and filtering would give', () => {
  const name = fc
    .string({ unit: 'grapheme', maxLength: 3 })
    .filter((text) => utf8Length(text) >= 0);
  const names = fc.array(fc.oneof(name, fc.constantFrom('a', 'a/', 'a/b', '\uffee', '\u{1f600}')));
  const limit = fc.integer({ min: 0, max: 5 });
  fc.assert(
    fc.property(names, name, name, limit, (list, prefix, after, count) => {
      const set = new OrderedNames<Thing>();
      const filled = new Set(list.filter((text) => text !== ''));
      for (const text of filled) set.add(thing(text));
      const expected = [...filled]
        .sort(compareUtf8)
        .filter((text) => text.startsWith(prefix) && compareUtf8(text, after) > 0);
      expect(set.page(prefix, after, count)).toEqual(expected.slice(0, count));
    }),
  );
});

test('names are in order whether they stayed, went or came since the last look', () => {
  const set = new OrderedNames<Thing>();
  const model = new Map<string, Thing>();
  const total = 10_007;
  const check = (): void => {
    const sorted = [...model.keys()].sort(compareUtf8);
    const page = sorted.filter((name) => name.startsWith('1')).slice(0, 50);
    expect(set.page('1', '', 50)).toEqual(page);
    expect([...set.values()]).toEqual(sorted);
  };
  for (let turn = 0; turn < total; turn++) {
    const added = thing(String((turn * 7_919) % total));
    set.add(added);
    model.set(added.name, added);
    const other = model.get(String((turn * 4_001) % total));
    if (other !== undefined) {
      set.delete(other);
      model.delete(other.name);
    }
    if (turn % 3_001 === 0) check();
  }
  check();
});

test('a name map agrees with a map, also when it has grown', () => {
  const map = new NameMap<Thing>();
  const model = new Map<string, Thing>();
  const total = 20_011;
  for (let turn = 0; turn < total; turn++) {
    const added = thing(`name/${(turn * 7_919) % total}`);
    expect(map.get(added.name)).toBeUndefined();
    map.add(added);
    model.set(added.name, added);
    const other = model.get(`name/${(turn * 4_001) % total}`);
    if (other === undefined || turn % 3 > 0) continue;
    expect(map.delete(other)).toBe(true);
    expect(map.delete(other)).toBe(false);
    model.delete(other.name);
  }
  expect(map.size).toBe(model.size);
  for (let turn = 0; turn < total; turn++) {
    expect(map.get(`name/${turn}`)).toBe(model.get(`name/${turn}`));
  }
});

test('a table of numbers agrees with a map, be they close together or far apart', () => {
  const near = fc.integer({ min: 0, max: 40 });
  const far = fc.constantFrom(64, 1_000, 4_096, 2 ** 32 + 1, 2 ** 52, 2 ** 52 + 8, 2 ** 53 - 1);
  const action = fc.tuple(fc.boolean(), fc.oneof({ weight: 4, arbitrary: near }, far));
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
      const table = new SeqTable<Numbered>();
      const model = new Map<number, Numbered>();
      for (const [isAdd, seq] of actions) {
        if (isAdd && !model.has(seq)) {
          const value = { seq };
          table.add(value);
          model.set(seq, value);
        } else if (!isAdd) expect(table.delete(seq)).toBe(model.delete(seq));
        expect(table.size).toBe(model.size);
        expect(table.get(seq)).toBe(model.get(seq));
        expect(table.has(seq)).toBe(model.has(seq));
      }
      const bySeq = (left: Numbered, right: Numbered): number => left.seq - right.seq;
      expect([...table.values()].sort(bySeq)).toEqual([...model.values()].sort(bySeq));
    }),
  );
});
