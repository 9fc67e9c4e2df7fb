import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlotPool } from '../../src/locks/slot-pool.ts';

test('slots are always the lowest free ones, as in a plain list, and runs are as long as they can', () => {
  const step = fc.record({ isTaken: fc.boolean(), count: fc.nat({ max: 5 }), who: fc.nat() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 24 }), fc.array(step), (total, steps) => {
      const pool = new SlotPool(total);
      const owners: (readonly number[])[] = [];
      for (const { isTaken, count, who } of steps) {
        const taken = new Set(owners.flat());
        const free = Array.from({ length: total }, (_, slot) => slot).filter((n) => !taken.has(n));
        if (isTaken) {
          const slots = pool.take(count);
          expect(slots).toEqual(free.slice(0, count));
          owners.push(slots);
        } else {
          pool.giveBack(owners.splice(who % Math.max(1, owners.length), 1)[0] ?? []);
        }
        expectComplement(pool, owners.flat());
      }
    }),
    { numRuns: 200 },
  );
});

test('a million slots cost what their holders do', () => {
  const pool = new SlotPool(1_000_000);
  const owners = Array.from({ length: 1_000_000 }, () => pool.take(1));
  expect(pool.free).toBe(0);
  expect(pool.take(1)).toEqual([]);
  const kept = owners[500_000] ?? [];
  for (const slots of owners) if (slots !== kept) pool.giveBack(slots);
  expect(pool.freeRuns()).toEqual([
    [0, 500_000],
    [500_001, 1_000_000],
  ]);
  pool.giveBack(kept);
  expect(pool.freeRuns()).toEqual([[0, 1_000_000]]);
});

function expectComplement(pool: SlotPool, taken: readonly number[]): void {
  const runs = pool.freeRuns();
  const free = runs.flatMap(([from, to]) => Array.from({ length: to - from }, (_, n) => from + n));
  expect(new Set([...free, ...taken]).size).toBe(pool.total);
  expect(free.length + taken.length).toBe(pool.total);
  expect(pool.free).toBe(free.length);
  for (const [at, [from]] of runs.entries()) expect(from).not.toBe(runs[at - 1]?.[1]);
}
