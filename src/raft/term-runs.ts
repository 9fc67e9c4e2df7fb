// The terms of the whole log in a few numbers: entries of one term lie side by side, so their
// first index says it all. Terms of entries that left memory are found here without the disk.

import type { Index, Term } from '../base/units.ts';
import { assert } from '../base/assert.ts';
import type { TermRun } from './events.ts';

/**
 * Runs in index order, covering (anchor, last index]. Their number is that of elections since the
 * anchor, which compaction bounds. Invariant: first indices and terms strictly increase.
 */
export class TermRuns {
  private readonly firsts: Index[] = [];
  private readonly terms: Term[] = [];

  constructor(runs: readonly TermRun[]) {
    for (const run of runs) this.append(run.firstIndex, run.term);
  }

  /** Notes that the entry at `index`, the next one of the log, has this term. */
  append(index: Index, term: Term): void {
    const end = this.terms.length - 1;
    const lastTerm = this.terms[end] ?? 0;
    if (term === lastTerm && end >= 0) return;
    assert(end < 0 || term > lastTerm, 'terms never decrease along the log (INV-10)');
    this.firsts.push(index);
    this.terms.push(term);
  }

  /** Forgets everything from `index` on. */
  truncateFrom(index: Index): void {
    while (this.firsts.length > 0 && (this.firsts[this.firsts.length - 1] ?? 0) >= index) {
      this.firsts.pop();
      this.terms.pop();
    }
  }

  /** Forgets everything up to `index`; the entry after it is in the log. */
  dropTo(index: Index): void {
    const kept = Math.max(0, this.runAt(index + 1));
    this.firsts.splice(0, kept);
    this.terms.splice(0, kept);
    if (this.firsts.length > 0) this.firsts[0] = Math.max(this.firsts[0] ?? 0, index + 1);
  }

  /** Term at an index that the log holds; null when no run begins at or before it. */
  termAt(index: Index): Term | null {
    const at = this.runAt(index);
    return at < 0 ? null : (this.terms[at] ?? null);
  }

  /** The largest index ≤ `index` whose term is ≤ `term`; null when there is none (RAFT.md §7.5). */
  lastIndexAtMost(index: Index, term: Term): Index | null {
    let at = this.runAt(index);
    let end = index;
    while (at >= 0 && (this.terms[at] ?? 0) > term) {
      end = (this.firsts[at] ?? 0) - 1;
      at--;
    }
    return at < 0 ? null : end;
  }

  /** Copy for invariant checks and status. */
  list(): TermRun[] {
    return this.firsts.map((firstIndex, at) => ({ firstIndex, term: this.terms[at] ?? 0 }));
  }

  // Most questions are about the newest run or two, so the search walks from there, then halves.
  private runAt(index: Index): number {
    let high = this.firsts.length - 1;
    for (let step = 0; step < 4 && high >= 0; step++, high--) {
      if ((this.firsts[high] ?? 0) <= index) return high;
    }
    let low = -1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.firsts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return high;
  }
}
