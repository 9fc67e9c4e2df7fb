import type { Token } from '../../src/base/units.ts';
import type { Claim } from './claims.ts';

/** Largest tokens of one lock so far. */
interface Newest {
  exclusive: Token;
  shared: Token;
  /** By slot. */
  readonly slots: Map<number, Token>;
}

/** INV-16: of two grants that cannot be held at once the later has the larger token. */
export class TokenOrder {
  private readonly locks = new Map<string, Newest>();

  /** Takes the next grant in; the token of one before it that is not smaller, or null. */
  take(claim: Claim, token: Token): Token | null {
    const newest = this.obtain(claim.name);
    const before = largestInConflict(claim, newest);
    if (claim.slots !== null) for (const slot of claim.slots) newest.slots.set(slot, token);
    else if (claim.mode === 'shared') newest.shared = Math.max(newest.shared, token);
    else newest.exclusive = Math.max(newest.exclusive, token);
    return before >= token ? before : null;
  }

  private obtain(name: string): Newest {
    const known = this.locks.get(name);
    if (known !== undefined) return known;
    const fresh = { exclusive: 0, shared: 0, slots: new Map<number, Token>() };
    this.locks.set(name, fresh);
    return fresh;
  }
}

function largestInConflict({ mode, slots }: Claim, newest: Newest): Token {
  if (slots !== null) {
    const own = slots.map((slot) => newest.slots.get(slot) ?? 0);
    return Math.max(newest.exclusive, newest.shared, ...own);
  }
  let largest = newest.exclusive;
  if (mode === 'exclusive') largest = Math.max(largest, newest.shared);
  for (const token of newest.slots.values()) largest = Math.max(largest, token);
  return largest;
}
