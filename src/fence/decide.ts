// A whole claim against what is remembered: all of its rows pass, or none does.

import { rowsOf } from './claim.ts';
import type { CheckedClaim } from './claim.ts';
import { staleToken } from './errors.ts';
import { admit, seenAgainst } from './rule.ts';
import type { FenceState } from './rule.ts';

/** A row to be remembered: its slot, and what is known of it from now on. */
export type FenceRow = readonly [slot: number, state: FenceState];

/**
 * The rows that are to be stored together with the holder's write. Throws STALE_TOKEN, naming the
 * first slot that refuses. `stateOf` tells what is remembered of a slot.
 */
export function decide(
  claim: CheckedClaim,
  stateOf: (slot: number) => FenceState,
): readonly FenceRow[] {
  const { resource, token, mode } = claim;
  return rowsOf(claim).map((slot) => {
    const state = stateOf(slot);
    const next = admit(state, mode, token);
    if (next !== null) return [slot, next];
    throw staleToken({ resource, slot, token, mode, seen: seenAgainst(state, mode) });
  });
}
