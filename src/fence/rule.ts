// The rule of fencing (RAFT.md §13), for one resource, or for one slot of a semaphore:
//
// - an exclusive token passes unless a larger token was seen, exclusive or shared, or the same one
//   as shared: one grant is never both;
// - a shared token passes unless a larger exclusive one was seen, or the same one as exclusive;
//   those who share have different tokens, and none of them shuts another out.
//
// Equal is accepted within a mode, since a holder writes many times with one token. A token is the
// generation of the lock, not the version of what it protects.
// Every guard carries out this rule in the language of its store; the tables of its tests run both.

import type { LockMode } from '../locks/commands.ts';

/** The slot of what is no semaphore, in stored keys. */
export const NO_SLOT = -1;

/** What a guard remembers of a resource, or of one slot of it. */
export interface FenceState {
  /** Largest exclusive token that was accepted; 0 before the first. */
  readonly maxExclusive: number;
  /** Largest shared token that was accepted; 0 before the first. */
  readonly maxShared: number;
}

/** What is known of a resource of which nothing was accepted yet: 0 is never a token. */
export const UNSEEN: FenceState = { maxExclusive: 0, maxShared: 0 };

/**
 * What is to be remembered once the token is accepted, or null when it is stale: it must be
 * refused, and what is remembered stays. The token must have been checked, see checkClaim.
 */
export function admit(state: FenceState, mode: LockMode, token: number): FenceState | null {
  const { maxExclusive, maxShared } = state;
  if (mode === 'exclusive') {
    return token >= maxExclusive && token > maxShared ? { maxExclusive: token, maxShared } : null;
  }
  return token > maxExclusive ? { maxExclusive, maxShared: Math.max(maxShared, token) } : null;
}

/** The token because of which one of this mode is stale: those who share do not stop each other. */
export function seenAgainst(state: FenceState, mode: LockMode): number {
  const { maxExclusive, maxShared } = state;
  return mode === 'exclusive' ? Math.max(maxExclusive, maxShared) : maxExclusive;
}
