// The last part of shrinking: what is left happens at round times, for short, to the first in line.

import type { Fault, Op, Script } from '../script/types.ts';
import type { ShrinkSearch } from './shrink-search.ts';

const ROUND_MS = [1_000, 100, 10] as const;

/** Lowers every number of every fault and operation, all of them at once where that will do. */
export async function lowerNumbers(search: ShrinkSearch): Promise<void> {
  await lowerList(search, 'faults', FAULT_STEPS);
  await lowerList(search, 'ops', OP_STEPS);
}

type Step<T> = (item: T) => readonly T[];

const FAULT_STEPS: readonly Step<Fault>[] = [
  (fault) => [{ ...fault, target: 0 }],
  (fault) => [{ ...fault, arg: 0 }],
  (fault) => [0, Math.floor(fault.forMs / 2)].map((forMs) => ({ ...fault, forMs })),
  (fault) => ROUND_MS.map((unit) => ({ ...fault, forMs: rounded(fault.forMs, unit) })),
  (fault) => ROUND_MS.map((unit) => ({ ...fault, atMs: rounded(fault.atMs, unit) })),
];

const OP_STEPS: readonly Step<Op>[] = [
  (op) => [{ ...op, client: 0 }],
  (op) => [{ ...op, key: 0 }],
  (op) => [{ ...op, arg: 0 }],
  (op) => [0, Math.floor(op.holdMs / 2)].map((holdMs) => ({ ...op, holdMs })),
  (op) => ROUND_MS.map((unit) => ({ ...op, holdMs: rounded(op.holdMs, unit) })),
  (op) => ROUND_MS.map((unit) => ({ ...op, atMs: rounded(op.atMs, unit) })),
];

async function lowerList<Key extends 'faults' | 'ops'>(
  search: ShrinkSearch,
  key: Key,
  steps: readonly Step<Script[Key][number]>[],
): Promise<void> {
  for (const step of steps) {
    const all = search.best[key];
    if (await search.accepts({ [key]: all.map((item) => step(item)[0] ?? item) })) continue;
    for (let at = 0; at < all.length; at++) {
      const item = search.best[key][at];
      if (item === undefined) return;
      const others = (value: Script[Key][number]): Partial<Script> => ({
        [key]: search.best[key].map((before, place) => (place === at ? value : before)),
      });
      await search.acceptsAny(step(item).map(others));
    }
  }
}

function rounded(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}
