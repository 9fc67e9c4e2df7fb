// What something follows from: the chains of causes that lead to it, event by event.

import type { Trace } from '../world/trace.ts';

/** The seqs of these events and of all that led to them. */
export function coneOf(trace: Trace, roots: readonly number[]): ReadonlySet<number> {
  const cone = new Set<number>();
  for (const root of roots) {
    for (let seq = root; seq > 0 && !cone.has(seq);) {
      cone.add(seq);
      seq = trace.at(seq - 1)?.cause ?? 0;
    }
  }
  return cone;
}

/** The last event up to a time; 0 if there is none. */
export function lastSeqAt(trace: Trace, atUs: number): number {
  let low = 0;
  let high = trace.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((trace.at(middle)?.timeUs ?? Infinity) <= atUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
