// What is on disk of the log, in memory: where chunks begin and which terms they have. Eight bytes
// for each chunk and a few for each term, so that cuts and loads find their place without a scan.

import { assert } from '../../base/assert.ts';
import type { Index, Term } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { TermRun } from '../../raft/events.ts';
import type { EntryId } from '../../raft/events.ts';

/** What a cut does to the chunks. */
export interface ChunkCut {
  /** First indices of the chunks that go as a whole, ascending. */
  readonly removed: readonly Index[];
  /** First index of the chunk that keeps its beginning, or null when the cut falls between two. */
  readonly trimmed: Index | null;
}

/** Chunks and terms of the log after `anchor`. Bounded by the log, which compaction bounds. */
export class LogIndex {
  /** The log begins after this entry. */
  readonly anchor: EntryId;
  private readonly firsts: Index[] = [];
  private readonly runs: TermRun[] = [];
  private last: EntryId;

  constructor(anchor: EntryId) {
    this.anchor = anchor;
    this.last = anchor;
  }

  /** The last entry, or the anchor of an empty log. */
  get lastEntry(): EntryId {
    return this.last;
  }

  /** A copy of the stretches of equal term. */
  termRuns(): readonly TermRun[] {
    return [...this.runs];
  }

  /** Notes one chunk; its entries follow the last one. `first` may lie at or below the anchor. */
  append(first: Index, entries: readonly Entry[]): void {
    this.firsts.push(first);
    for (const entry of entries) {
      assert(entry.index === this.last.index + 1, 'chunks of the log are contiguous (INV-10)');
      if (this.runs.at(-1)?.term !== entry.term) {
        this.runs.push({ term: entry.term, firstIndex: entry.index });
      }
      this.last = { index: entry.index, term: entry.term };
    }
  }

  /** Forgets everything from `from` on, and says which chunks that concerns. */
  cut(from: Index): ChunkCut {
    assert(from > this.anchor.index, 'the log is never cut at or below its anchor');
    assert(from <= this.last.index, 'a cut removes at least one entry');
    const kept = countUpTo(this.firsts, from - 1);
    const removed = this.firsts.splice(kept);
    const next = removed[0] ?? this.last.index + 1;
    const trimmed = next > from ? (this.firsts.at(-1) ?? null) : null;
    this.last = { index: from - 1, term: this.termAt(from - 1) ?? this.anchor.term };
    while ((this.runs.at(-1)?.firstIndex ?? 0) >= from) this.runs.pop();
    return { removed, trimmed };
  }

  /** Term of an entry or of the anchor; null when the log does not reach there. */
  termAt(index: Index): Term | null {
    if (index === this.anchor.index) return this.anchor.term;
    if (index < this.anchor.index || index > this.last.index) return null;
    for (let at = this.runs.length - 1; at >= 0; at--) {
      const run = this.runs[at];
      if (run !== undefined && run.firstIndex <= index) return run.term;
    }
    return null;
  }

  /** First index of the chunk that holds this entry; null when none does. */
  chunkOf(index: Index): Index | null {
    if (index <= this.anchor.index || index > this.last.index) return null;
    return this.firsts[countUpTo(this.firsts, index) - 1] ?? null;
  }
}

// How many of the ascending numbers are <= limit.
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
