// A guard of what lives in the memory of one process: a cache, a device, a connection. It forgets
// with the process, so it protects nothing that outlives it.

import { HoldfastError } from '../base/error.ts';
import { checkClaim, checkResource, checkSlot } from './claim.ts';
import type { FenceClaim } from './claim.ts';
import { decide } from './decide.ts';
import { invalid } from './errors.ts';
import { isPromise, laterWork } from './promised.ts';
import { UNSEEN } from './rule.ts';
import type { FenceState } from './rule.ts';

const ROWS_MAX = 1_000_000;

/** What a guard in memory may be told. */
export interface MemoryFenceOptions {
  /**
   * How many resources (and slots) it remembers, from 1 to 10,000,000, default 1,000,000. It never
   * forgets one, for that would let a stale holder in: one more is refused with OVERLOADED.
   */
  readonly rowsMax?: number;
}

/** See memoryFence. */
export interface MemoryFence {
  /**
   * Checks the claim and runs `write`, which must do its work before it returns: nothing comes in
   * between. Returns what it returns. Throws STALE_TOKEN, INVALID or OVERLOADED without running
   * it. The token counts as seen although `write` throws: part of its work may be done.
   */
  write<T>(resource: string, claim: FenceClaim, write: () => T): T;
  /** Checks and remembers, as a `write` that does nothing. Throws the same. */
  present(resource: string, claim: FenceClaim): void;
  /** What is remembered of a resource, or of a slot of it. Throws INVALID for no name or slot. */
  seen(resource: string, slot?: number): FenceState;
}

/** A guard in the memory of this process. Throws INVALID for a wrong option. */
export function memoryFence(options: MemoryFenceOptions = {}): MemoryFence {
  const { rowsMax = ROWS_MAX } = options;
  if (!Number.isSafeInteger(rowsMax) || rowsMax < 1 || rowsMax > 10_000_000) {
    throw invalid('rowsMax', 'a whole number from 1 to 10000000', rowsMax);
  }
  const states = new Map<string, FenceState>();
  const stateOf = (resource: string, slot: number): FenceState =>
    states.get(`${slot} ${resource}`) ?? UNSEEN;

  const present = (resource: string, given: FenceClaim): void => {
    const claim = checkClaim(resource, given);
    const rows = decide(claim, (slot) => stateOf(resource, slot));
    const added = rows.filter(([slot]) => !states.has(`${slot} ${resource}`)).length;
    if (states.size + added > rowsMax) throw full(resource, rowsMax);
    for (const [slot, state] of rows) states.set(`${slot} ${resource}`, state);
  };
  return {
    present,
    write(resource, claim, write) {
      if (typeof write !== 'function') throw invalid('write', 'a function', write);
      present(resource, claim);
      const result = write();
      if (isPromise(result)) throw laterWork('write');
      return result;
    },
    seen: (resource, slot) => stateOf(checkResource(resource), checkSlot(slot)),
  };
}

function full(resource: string, rowsMax: number): HoldfastError {
  const text =
    `${JSON.stringify(resource)} cannot be remembered: there are ${rowsMax} resources and slots ` +
    `already (rowsMax), and to forget one would let its stale holders in`;
  return new HoldfastError('OVERLOADED', text, { details: { rowsMax } });
}
