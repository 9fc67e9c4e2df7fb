// Far leaps: much is left out at once. Short scripts run fast, so that a dozen of them cost less
// than one step from a long one, and bugs that are not rare show in some of them.

import type { Script } from '../script/types.ts';
import type { ShrinkSearch } from './shrink-search.ts';
import { plainSettings } from './shrink-settings.ts';

/** What bugs that always show can do without. */
export async function leap(search: ShrinkSearch): Promise<void> {
  const { shape } = search.best;
  const nothing = { faults: [], ops: [] };
  const plain = plainSettings(search.best);
  if (await search.accepts({ ...nothing, ...plain })) return;
  await search.accepts(plain);
  const nodes = shape.nodes === 5 ? 3 : 1;
  if (nodes < shape.nodes) await search.accepts({ shape: { ...shape, nodes } });
  await search.acceptsAny([nothing, { faults: [] }, { ops: [] }]);
}

/** How many faults and operations: fewer of them run faster. */
const FEW = [
  { faults: 1, ops: 2 },
  { faults: 1, ops: 3 },
  { faults: 2, ops: 3 },
  { faults: 2, ops: 4 },
  { faults: 2, ops: 6 },
  { faults: 3, ops: 6 },
  { faults: 4, ops: 6 },
] as const;

/** A few faults and operations of all, with other luck: drawn singly, then in a row. */
export async function tryFew(search: ShrinkSearch): Promise<void> {
  const { best: whole, random } = search;
  for (const [number, { faults, ops }] of FEW.entries()) {
    if (search.isSmall) return;
    const candidates = [some, row].map((take, way) => {
      const draw = (limit: number, label: string, place = 0): number =>
        random.below(limit, label, number, way, place);
      return {
        faults: take(whole.faults, faults, (limit, place) => draw(limit, 'few faults', place)),
        ops: take(whole.ops, ops, (limit, place) => draw(limit, 'few operations', place)),
        noise: random.draw('luck of few', number, way),
      };
    });
    if (await search.acceptsAny(candidates)) return;
  }
}

const FEW_FAULTS = 2;
const FEW_OPS = 3;
const SHARES = [3 / 4, 1 / 2, 7 / 8] as const;
const THIN_TRIES = 18;

/**
 * Leaves out a part, with other luck. For failures of a crowd: whoever goes changes what all others
 * meet, so that no single one can go, but other crowds fail too.
 */
export async function thinOut(search: ShrinkSearch): Promise<void> {
  const { best: whole, random, runs } = search;
  const { faults, ops } = whole;
  for (let number = 0; number < THIN_TRIES; number++) {
    const draw: Draw = (limit, place) => random.below(limit, 'thinned', runs, number, place);
    const share = SHARES[Math.floor(number / 3) % SHARES.length] ?? 1;
    const take = number % 2 === 0 ? some : row;
    const thinned = <T>(list: readonly T[]): readonly T[] =>
      take(list, Math.ceil((list.length - 1) * share), draw);
    const isOfFaults = ops.length <= FEW_OPS || (number % 3 === 2 && faults.length > FEW_FAULTS);
    const changes: Partial<Script> = isOfFaults
      ? { faults: thinned(faults) }
      : { ops: thinned(ops) };
    const noise = random.draw('luck of thinned', runs, number);
    if (await search.accepts({ ...changes, noise })) return;
  }
}

/** A number below the limit; others for other places. */
type Draw = (limit: number, place: number) => number;

/** So many of them, each as likely as any other, in their order. */
function some<T>(list: readonly T[], count: number, draw: Draw): readonly T[] {
  const left = list.map((_, at) => at);
  while (left.length > count) left.splice(draw(left.length, left.length), 1);
  return left.flatMap((at) => list.slice(at, at + 1));
}

/** So many that stand next to each other. */
function row<T>(list: readonly T[], count: number, draw: Draw): readonly T[] {
  const from = draw(Math.max(1, list.length - count + 1), 0);
  return list.slice(from, from + count);
}
