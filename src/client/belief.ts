/**
 * The part of a lease in which its holder may believe, in microseconds: κ·D with κ = 0.99 / 1.01,
 * rounded down, for clocks whose rates are off by 1 % at most (RAFT.md §14.3). Infinity without
 * TTL.
 */
export function beliefUs(ttlMs: number | null): number {
  return ttlMs === null ? Infinity : Math.floor((ttlMs * 1000 * 99) / 101);
}
