import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberMap } from '../../src/base/number-map.ts';

// Few enough that they meet, some beyond 32 bits.
const key = fc.oneof(
  fc.nat(40),
  fc.nat(40).map((low) => 2 ** 52 + low),
  fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1),
);
const step = fc.record({ key, isDeletion: fc.boolean(), value: fc.nat() });

function sorted(model: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...model].sort(([one], [other]) => one - other);
}

test('is a map, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), fc.array(key), (steps, asked) => {
      const map = new NumberMap<number>();
      const model = new Map<number, number>();
      for (const { key: number, isDeletion, value } of steps) {
        if (isDeletion) expect(map.delete(number)).toBe(model.delete(number));
        else {
          map.set(number, value);
          model.set(number, value);
        }
        expect([map.size, map.get(number)]).toEqual([model.size, model.get(number)]);
      }
      for (const number of asked) expect(map.get(number)).toBe(model.get(number));
      expect(map.entries()).toEqual(sorted(model));
      expect(map.values()).toEqual(sorted(model).map(([, value]) => value));
      map.clear();
      expect([map.size, map.entries()]).toEqual([0, []]);
    }),
    { numRuns: 100 },
  );
});

test('a window of numbers that moves on finds its own, and nothing of what has gone', () => {
  const map = new NumberMap<number>();
  let deleted = 0;
  for (let number = 0; number < 100_000; number++) {
    map.set(number, -number);
    if (map.delete(number - 1_000)) deleted++;
  }
  expect([map.size, deleted]).toEqual([1_000, 99_000]);
  expect(map.get(98_999)).toBeUndefined();
  expect(map.get(99_000)).toBe(-99_000);
});
