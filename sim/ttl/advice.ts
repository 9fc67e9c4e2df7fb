// Which TTL to choose, from how long locks are held and how long a healthy holder may stand still.

import { HoldfastError, describeValue } from '../../src/base/error.ts';

/** What was measured, and what is tolerated. */
export interface AdviceInput {
  /** 99 of 100 holds are not longer; milliseconds, above 0. */
  readonly p99HoldMs: number;
  /** A pause of this length must not cost a lease; milliseconds, from 0. */
  readonly pauseBudgetMs: number;
}

/** A TTL with what it was made of, in milliseconds. */
export interface Advice extends AdviceInput {
  /** 3 × p99 + budget, before limits. */
  readonly leastMs: number;
  /** 5 × p99 + budget, before rounding and limits. */
  readonly wantedMs: number;
  /** What to set: a whole second from 1 s to 600 s. */
  readonly ttlMs: number;
  /** Whether a limit made it another one than wanted. */
  readonly limit: 'none' | 'shortest' | 'longest';
}

/** Shortest TTL of a session. */
const TTL_MS_MIN = 1_000;
/** Longest TTL of a session, unless the cluster was told otherwise. */
const TTL_MS_MAX = 600_000;
/** Holds of the length of p99 that a TTL should be good for, at least and at best. */
export const HOLDS_MIN = 3;
/** See HOLDS_MIN. */
export const HOLDS_WANTED = 5;
const ROUND_MS = 1_000;

/** Throws INVALID for numbers out of range. */
export function adviseTtl({ p99HoldMs, pauseBudgetMs }: AdviceInput): Advice {
  if (!(p99HoldMs > 0 && p99HoldMs < Infinity)) {
    throw invalid('a p99 of hold times above 0', p99HoldMs);
  }
  if (!(pauseBudgetMs >= 0 && pauseBudgetMs < Infinity)) {
    throw invalid('a pause budget from 0', pauseBudgetMs);
  }
  const leastMs = HOLDS_MIN * p99HoldMs + pauseBudgetMs;
  const wantedMs = HOLDS_WANTED * p99HoldMs + pauseBudgetMs;
  const roundedMs = Math.ceil(wantedMs / ROUND_MS) * ROUND_MS;
  const ttlMs = Math.min(TTL_MS_MAX, Math.max(TTL_MS_MIN, roundedMs));
  const limit = wantedMs < TTL_MS_MIN ? 'shortest' : roundedMs > TTL_MS_MAX ? 'longest' : 'none';
  return { p99HoldMs, pauseBudgetMs, leastMs, wantedMs, ttlMs, limit };
}

/** The smallest of these that 99 of 100 do not exceed. Throws INVALID when there is none. */
export function p99(timesMs: readonly number[]): number {
  const ascending = timesMs.toSorted((left, right) => left - right);
  const value = ascending[Math.ceil(ascending.length * 0.99) - 1];
  if (value === undefined) throw invalid('at least one hold time', timesMs);
  return value;
}

function invalid(expected: string, got: unknown): HoldfastError {
  return new HoldfastError('INVALID', `expected ${expected}; got ${describeValue(got)}`);
}
