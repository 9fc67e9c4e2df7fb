// What a majority has, says and heard. Pure arithmetic over one or two sets of voters; who is in
// them is decided elsewhere (configurations.ts). An empty set is satisfied by anything, so that
// a configuration that is not joint is a joint one with nothing outgoing.

/** How a poll or an election stands. */
export type Tally = 'won' | 'lost' | 'pending';

/** Votes counted among the voters of one set. */
export interface VoteCount {
  readonly granted: number;
  readonly denied: number;
  readonly size: number;
}

/** The smallest number of members that any two of which share at least one: floor(n/2) + 1. */
export function majoritySize(size: number): number {
  return Math.floor(size / 2) + 1;
}

/**
 * The largest value that a majority of the set has reached; Infinity for an empty set. Sorts
 * `values` in place: callers pass a scratch array.
 */
export function majorityValue(values: number[]): number {
  const size = values.length;
  if (size === 0) return Infinity;
  sortAscending(values);
  return values[size - majoritySize(size)] ?? Infinity;
}

/** How a vote stands in one set. */
export function majorityTally(count: VoteCount): Tally {
  if (count.size === 0) return 'won';
  const needed = majoritySize(count.size);
  if (count.granted >= needed) return 'won';
  return count.denied > count.size - needed ? 'lost' : 'pending';
}

/** Both halves must be won; losing one of them is enough to lose (thesis §4.3). */
export function jointTally(incoming: Tally, outgoing: Tally): Tally {
  if (incoming === 'lost' || outgoing === 'lost') return 'lost';
  return incoming === 'won' && outgoing === 'won' ? 'won' : 'pending';
}

// By insertion: a set has at most seven members, and this runs several times per step.
function sortAscending(values: number[]): void {
  for (let end = 1; end < values.length; end++) {
    const value = values[end] ?? 0;
    let at = end - 1;
    while (at >= 0 && (values[at] ?? 0) > value) {
      values[at + 1] = values[at] ?? 0;
      at--;
    }
    values[at + 1] = value;
  }
}
