// The log as this node remembers it: terms of everything, entries of the newest part. What is
// older comes through the effect `load`. Nothing here knows what is durable (pending-writes.ts).

import { assert, present } from '../base/assert.ts';
import type { Index, Term } from '../base/units.ts';
import type { Entry } from './entry.ts';
import type { EntryId, RaftStart } from './events.ts';
import { TermRuns } from './term-runs.ts';

/** What an entry costs in frames and memory besides its payload. */
export const ENTRY_OVERHEAD_BYTES = 32;

/** Size of an entry as all limits of RAFT.md §0 count it. */
export function entryBytes(entry: Entry): number {
  return entry.payload.length + ENTRY_OVERHEAD_BYTES;
}

interface Slice {
  readonly from: Index;
  readonly last: Index;
  readonly entries: readonly Entry[];
}

/** A bounded tail of entries over the runs of terms. Invariant: contiguous from anchor + 1. */
export class Log {
  private anchor: EntryId;
  private readonly runs: TermRuns;
  private tail: Entry[] = [];
  /** ends[k]: bytes of all entries up to tail[k], counted from where the tail once began. */
  private ends: number[] = [];
  private startBytes = 0;
  /** Index of tail[0]; lastIndex + 1 when the tail is empty. */
  private tailFirst: Index;
  private end: Index;
  private endTerm: Term;
  /** The slice handed out last: peers in step ask for the same one, and the disk as well. */
  private recent: Slice | null = null;

  constructor(start: Pick<RaftStart, 'anchor' | 'termRuns' | 'tail' | 'lastIndex'>) {
    this.anchor = start.anchor;
    this.runs = new TermRuns(start.termRuns);
    this.end = start.lastIndex;
    this.endTerm = this.termBefore(start.lastIndex + 1);
    this.tailFirst = start.lastIndex - start.tail.length + 1;
    for (const entry of start.tail) this.remember(entry);
    assert(
      start.tail.length === 0 || start.tail[0]?.index === this.tailFirst,
      'the recovered tail ends at the last index',
    );
  }

  /** The log begins after this entry; a durable checkpoint contains it and all before. */
  get anchorIndex(): Index {
    return this.anchor.index;
  }

  get anchorTerm(): Term {
    return this.anchor.term;
  }

  get lastIndex(): Index {
    return this.end;
  }

  get lastTerm(): Term {
    return this.endTerm;
  }

  /** First index whose entry is in memory; lastIndex + 1 when none is. */
  get firstInMemory(): Index {
    return this.tailFirst;
  }

  /** Bytes of the entries in memory. */
  get tailBytes(): number {
    return (this.ends[this.ends.length - 1] ?? this.startBytes) - this.startBytes;
  }

  /** Term at an index from the anchor to the last one; null elsewhere. */
  termAt(index: Index): Term | null {
    if (index === this.anchorIndex) return this.anchorTerm;
    if (index === this.end) return this.endTerm;
    if (index < this.anchorIndex || index > this.end) return null;
    return this.runs.termAt(index);
  }

  /** The largest index ≤ `index` with a term ≤ `term`, but not below the anchor. */
  lastIndexAtMost(index: Index, term: Term): Index {
    const found = this.runs.lastIndexAtMost(Math.min(index, this.end), term);
    return Math.max(found ?? this.anchorIndex, this.anchorIndex);
  }

  /** Puts the next entry behind the last one. */
  append(entry: Entry): void {
    assert(entry.index === this.end + 1, 'an appended entry is the next one (INV-10)');
    assert(entry.prevTerm === this.endTerm, 'an entry names the term before it');
    this.runs.append(entry.index, entry.term);
    this.end = entry.index;
    this.endTerm = entry.term;
    this.remember(entry);
  }

  /** Forgets everything from `from` on. */
  truncateFrom(from: Index): void {
    assert(from > this.anchorIndex, 'nothing at or below the anchor is ever cut');
    this.runs.truncateFrom(from);
    const kept = Math.max(0, from - this.tailFirst);
    this.tail.length = Math.min(this.tail.length, kept);
    this.ends.length = this.tail.length;
    this.end = from - 1;
    this.endTerm = this.termBefore(from);
    if (this.tail.length === 0) this.tailFirst = from;
    this.recent = null;
  }

  /** The log begins after this entry of its own from now on. */
  compactTo(anchor: EntryId): void {
    assert(this.termAt(anchor.index) === anchor.term, 'an anchor is an entry of the log');
    if (anchor.index === this.end) {
      this.restartAt(anchor);
      return;
    }
    this.anchor = anchor;
    this.runs.dropTo(anchor.index);
    this.forget(anchor.index - this.tailFirst + 1);
  }

  /** Forgets everything: a checkpoint up to this entry takes the place of the log. */
  restartAt(anchor: EntryId): void {
    this.anchor = anchor;
    this.runs.truncateFrom(0);
    this.tail = [];
    this.ends = [];
    this.tailFirst = anchor.index + 1;
    this.end = anchor.index;
    this.endTerm = anchor.term;
    this.recent = null;
  }

  /**
   * Entries from `from` up to `last`, cut so that their bytes stay within `bytesMax`, but at least
   * one. Null if the first is not in memory. The array is shared: nobody changes it.
   */
  slice(from: Index, last: Index, bytesMax: number): readonly Entry[] | null {
    if (from < this.tailFirst || from > last) return null;
    const end = this.lastWithin(from, Math.min(last, this.end), bytesMax);
    const recent = this.recent;
    if (recent !== null && recent.from === from && recent.last === end) return recent.entries;
    const entries = this.tail.slice(from - this.tailFirst, end - this.tailFirst + 1);
    this.recent = { from, last: end, entries };
    return entries;
  }

  /** Bytes of the entries from `from` to `last`, all in memory. */
  bytesOf(from: Index, last: Index): number {
    return this.endOf(last) - this.endOf(from - 1);
  }

  /**
   * Drops entries ≤ `upTo` from memory when the tail is above `bytesMax`; down to three quarters,
   * so that the copy is made rarely.
   */
  trim(upTo: Index, bytesMax: number): void {
    if (this.tailBytes <= bytesMax) return;
    const surplus = this.startBytes + this.tailBytes - Math.floor(bytesMax * 0.75);
    this.forget(Math.min(upTo - this.tailFirst + 1, this.countUpTo(surplus)));
  }

  /** The entry if it is in memory. For invariant checks and tests. */
  peek(index: Index): Entry | null {
    return this.tail[index - this.tailFirst] ?? null;
  }

  // Drops that many of the oldest entries from memory; none if the number is not positive.
  private forget(count: number): void {
    if (count <= 0) return;
    this.startBytes = this.ends[count - 1] ?? this.startBytes;
    this.tail = this.tail.slice(count);
    this.ends = this.ends.slice(count);
    this.tailFirst += count;
    this.recent = null;
  }

  private termBefore(index: Index): Term {
    if (index - 1 === this.anchorIndex) return this.anchorTerm;
    return present(this.runs.termAt(index - 1), `the term of entry ${index - 1}`);
  }

  private remember(entry: Entry): void {
    this.ends.push((this.ends[this.ends.length - 1] ?? this.startBytes) + entryBytes(entry));
    this.tail.push(entry);
  }

  private endOf(index: Index): number {
    return index < this.tailFirst ? this.startBytes : (this.ends[index - this.tailFirst] ?? 0);
  }

  // Largest index ≤ last such that the bytes from `from` to it fit; never below `from`.
  private lastWithin(from: Index, last: Index, bytesMax: number): Index {
    const limit = this.endOf(from - 1) + bytesMax;
    if (this.endOf(last) <= limit) return last;
    return Math.max(from, this.tailFirst + this.countUpTo(limit) - 1);
  }

  // How many entries of the tail end at or before that byte.
  private countUpTo(bytes: number): number {
    let low = 0;
    let high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] ?? 0) <= bytes) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
