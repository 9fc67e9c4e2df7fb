// What the `arg` of a fault chooses, from the mildest on; it wraps around.

import { present } from '../../src/base/assert.ts';
import type { WorldFault, WorldFaultKind } from './world-fault.ts';

/** What is added to the way of each frame, in milliseconds. */
export const LAG_MS = [5, 20, 100, 300, 1_000, 3_000] as const;
/** Rate errors of clocks, in parts per million: as far as leases allow for. */
export const CLOCK_PPM = [1_000, -1_000, 10_000, -10_000] as const;
/** So many bits of an `arg` place others on the side of a target. */
const SPLIT_BITS = 8;

const WITHOUT_VARIANTS: ReadonlySet<WorldFaultKind> = new Set<WorldFaultKind>([
  'pause',
  'suspend',
  'isolateIn',
  'isolateOut',
]);

/** The step that the fault chooses. */
export function step<T>(steps: readonly T[], { arg }: WorldFault): T {
  return present(steps[arg % steps.length], 'a step');
}

/** The second variant of two. */
export function isOdd({ arg }: WorldFault): boolean {
  return arg % 2 === 1;
}

/** Places, of so many others, that are on the side of the target of a `split`. */
export function placesNear({ arg }: WorldFault, others: number): readonly number[] {
  const places = Array.from({ length: others }, (_, place) => place);
  return places.filter((place) => ((arg >> (place % SPLIT_BITS)) & 1) === 1);
}

/** How long after a holder was seen the fault strikes, in milliseconds. */
export function lingerMs({ kind, target, arg }: WorldFault): number {
  return target === 'holder' && WITHOUT_VARIANTS.has(kind) ? arg : 0;
}
