// The refusals of guards, in one place: what was expected and what came.

import { HoldfastError, describeValue } from '../base/error.ts';
import type { LockMode } from '../locks/commands.ts';
import { NO_SLOT } from './rule.ts';

/** What a refused holder is told. */
export interface StaleFacts {
  /** What is protected. */
  readonly resource: string;
  /** The slot of which a larger token was seen; NO_SLOT or none for a lock. */
  readonly slot?: number;
  /** The token that was refused. */
  readonly token: number;
  /** How it was presented. */
  readonly mode: LockMode;
  /** The token because of which it is refused, see seenAgainst. */
  readonly seen: number;
}

/**
 * The error STALE_TOKEN; its `details` are `{ resource, token, seen, mode, slot? }`. Whoever gets
 * it is no longer the holder: to try again with the same token is of no use.
 */
export function staleToken(facts: StaleFacts): HoldfastError {
  const { resource, slot = NO_SLOT, token, mode, seen } = facts;
  const where = slot === NO_SLOT ? '' : ` (slot ${slot})`;
  const text =
    `${JSON.stringify(resource)}${where} has seen token ${seen}, so the ${mode} token ${token} ` +
    `is stale: its grant is over, and nothing was written`;
  const common = { resource, token, seen, mode };
  const details = slot === NO_SLOT ? common : { ...common, slot };
  return new HoldfastError('STALE_TOKEN', text, { details });
}

/** The error INVALID of a field that is not what it must be. */
export function invalid(field: string, expected: string, value: unknown): HoldfastError {
  const text = `${field} must be ${expected} (got ${describeValue(value)})`;
  return new HoldfastError('INVALID', text, { details: { option: field } });
}
