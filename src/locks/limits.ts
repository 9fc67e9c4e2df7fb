// The replicated limits: their order as a positional value, and what each of them may be.

import { describeValue } from '../base/error.ts';
import type { ReplicatedLimits } from './commands.ts';
import type { RowReader } from './row-reader.ts';

const DAY_MS = 86_400_000;

/**
 * Name, least and greatest value of each limit, both inclusive. The greatest bound what an entry
 * may cost and how large a row may become.
 */
const RANGES = [
  ['ttlMsMin', 100, DAY_MS],
  ['ttlMsMax', 1_000, DAY_MS],
  ['lockDelayMsMax', 0, 60_000],
  ['windowMax', 1, 65_536],
  ['namesPerRequestMax', 1, 64],
  ['holdingsPerSessionMax', 1, 10_000],
  ['nameBytesMax', 1, 512],
  ['metaBytesMax', 0, 4_096],
  ['permitsTotalMax', 1, 1_000_000],
  ['permitsPerRequestMax', 1, 1_024],
] as const satisfies readonly (readonly [keyof ReplicatedLimits, number, number])[];

/** Why limits cannot be in force, or null. The text names the limit, its range and what came. */
export function limitsProblem(limits: ReplicatedLimits): string | null {
  for (const [name, min, max] of RANGES) {
    const value = limits[name];
    if (Number.isSafeInteger(value) && value >= min && value <= max) continue;
    return `${name} must be a whole number from ${min} to ${max} (got ${describeValue(value)})`;
  }
  const { ttlMsMin, ttlMsMax } = limits;
  if (ttlMsMin <= ttlMsMax) return null;
  return `ttlMsMin must be at most ttlMsMax, which is ${ttlMsMax} (got ${ttlMsMin})`;
}

/** Their values, in an order that stays. */
export function limitsRow(limits: ReplicatedLimits): readonly number[] {
  return RANGES.map(([name]) => limits[name]);
}

/** Whether each of them is the same. */
export function areSame(left: ReplicatedLimits, right: ReplicatedLimits): boolean {
  return RANGES.every(([name]) => left[name] === right[name]);
}

/** Of each the higher one. */
export function highestOf(left: ReplicatedLimits, right: ReplicatedLimits): ReplicatedLimits {
  return limitsOf((name) => Math.max(left[name], right[name]));
}

/** The limits from such values, within their ranges or not. Throws RowError. */
export function readLimits(row: RowReader): ReplicatedLimits {
  return row.done(limitsOf((name) => row.whole(name, 0)));
}

// In the order of RANGES: the properties of a literal are evaluated from top to bottom.
function limitsOf(valueOf: (name: keyof ReplicatedLimits) => number): ReplicatedLimits {
  return {
    ttlMsMin: valueOf('ttlMsMin'),
    ttlMsMax: valueOf('ttlMsMax'),
    lockDelayMsMax: valueOf('lockDelayMsMax'),
    windowMax: valueOf('windowMax'),
    namesPerRequestMax: valueOf('namesPerRequestMax'),
    holdingsPerSessionMax: valueOf('holdingsPerSessionMax'),
    nameBytesMax: valueOf('nameBytesMax'),
    metaBytesMax: valueOf('metaBytesMax'),
    permitsTotalMax: valueOf('permitsTotalMax'),
    permitsPerRequestMax: valueOf('permitsPerRequestMax'),
  };
}
