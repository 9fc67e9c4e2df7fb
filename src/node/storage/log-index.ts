// What is on disk of the log, in memory: where chunks begin and which terms they have. Eight bytes
// for each chunk and a few for each term, so that cuts and loads find their place without a scan.

import { assert, present } from '../../base/assert.ts';
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

/** Chunks that compaction may delete. */
export interface CoveredChunks {
  /** Their first indices, ascending: the oldest chunks there are. */
  readonly firsts: readonly Index[];
  /** The last entry in them: where the log can begin. */
  readonly end: EntryId;
}

/** Chunks and terms of the log after `anchor`. Bounded by the log, which compaction bounds. */
export class LogIndex {
  private firsts: Index[] = [];
  private runs: TermRun[] = [];
  private begin: EntryId;
  private last: EntryId;
  private cuts = 0;

  constructor(anchor: EntryId) {
    this.begin = anchor;
    this.last = anchor;
  }

  /** The log begins after this entry. */
  get anchor(): EntryId {
    return this.begin;
  }

  /** How often entries were taken away from the end. */
  get cutCount(): number {
    return this.cuts;
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
    this.cuts += 1;
    // Of a chunk that begins at or below the anchor nothing may be left to keep.
    const keptTo = from - 1 === this.anchor.index ? 0 : from - 1;
    const kept = countUpTo(this.firsts, keptTo);
    const removed = this.firsts.splice(kept);
    const next = removed[0] ?? this.last.index + 1;
    const trimmed = next > from ? (this.firsts.at(-1) ?? null) : null;
    this.last = { index: from - 1, term: this.termAt(from - 1) ?? this.anchor.term };
    while ((this.runs.at(-1)?.firstIndex ?? 0) >= from) this.runs.pop();
    return { removed, trimmed };
  }

  /** The oldest chunks that lie wholly at or below `to`, at most `countMax`; null: none does. */
  covered(to: Index, countMax: number): CoveredChunks | null {
    let count = 0;
    while (count < countMax && count < this.firsts.length && this.chunkEnd(count) <= to) count += 1;
    if (count === 0) return null;
    const index = Math.max(this.anchor.index, this.chunkEnd(count - 1));
    return {
      firsts: this.firsts.slice(0, count),
      end: { index, term: present(this.termAt(index), 'the term of a chunk on disk') },
    };
  }

  /** Forgets the `count` oldest chunks: the log begins after `anchor`, which they may not reach. */
  compact(count: number, anchor: EntryId): void {
    assert(anchor.index >= this.anchor.index, 'the anchor never goes back');
    assert(this.termAt(anchor.index) === anchor.term, 'the log holds its anchor');
    this.firsts.splice(0, count);
    const at = this.runs.findLastIndex((run) => run.firstIndex <= anchor.index + 1);
    const run = this.runs[at];
    if (run !== undefined) {
      const begun = { term: run.term, firstIndex: Math.max(run.firstIndex, anchor.index + 1) };
      this.runs.splice(0, at + 1, begun);
    }
    if (anchor.index === this.last.index) this.runs = [];
    this.begin = anchor;
  }

  /** Forgets everything: the log is empty and begins after `anchor`. */
  reset(anchor: EntryId): void {
    this.cuts += 1;
    this.firsts = [];
    this.runs = [];
    this.begin = anchor;
    this.last = anchor;
  }

  /** First indices of all chunks, ascending. */
  chunks(): readonly Index[] {
    return [...this.firsts];
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

  private chunkEnd(at: number): Index {
    return (this.firsts[at + 1] ?? this.last.index + 1) - 1;
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
