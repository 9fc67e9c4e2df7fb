import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NameMap } from '../../src/base/name-map.ts';
import { compareUtf8, utf8Length } from '../../src/base/name.ts';
import { OrderedNames } from '../../src/base/ordered-names.ts';
import { OrderedSet } from '../../src/base/ordered-set.ts';

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
      const set = new OrderedNames();
      const filled = new Set(list.filter((text) => text !== ''));
      for (const text of filled) set.add(text);
      const expected = [...filled]
        .sort(compareUtf8)
        .filter((text) => text.startsWith(prefix) && compareUtf8(text, after) > 0);
      expect(set.page(prefix, after, count)).toEqual(expected.slice(0, count));
    }),
  );
});

test('names are in order whether they stayed, went or came since the last look', () => {
  const set = new OrderedNames();
  const model = new Set<string>();
  const total = 10_007;
  const check = (): void => {
    const sorted = [...model].sort(compareUtf8);
    expect(set.size).toBe(sorted.length);
    expect(set.page('1', '', 50)).toEqual(
      sorted.filter((name) => name.startsWith('1')).slice(0, 50),
    );
    expect([...set.values()]).toEqual(sorted);
  };
  for (let turn = 0; turn < total; turn++) {
    const name = String((turn * 7_919) % total);
    set.add(name);
    model.add(name);
    const other = String((turn * 4_001) % total);
    expect(set.delete(other)).toBe(model.delete(other));
    if (turn % 3_001 === 0) check();
  }
  check();
});

test('a name map agrees with a map', () => {
  const action = fc.tuple(fc.boolean(), fc.string({ maxLength: 2 }), fc.nat());
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const map = new NameMap<number>();
      const model = new Map<string, number>();
      for (const [isSet, name, value] of actions) {
        if (isSet) {
          map.set(name, value);
          model.set(name, value);
        } else {
          expect(map.delete(name)).toBe(model.delete(name));
        }
        expect(map.size).toBe(model.size);
        expect(map.get(name)).toBe(model.get(name));
      }
    }),
  );
});
