// Reads what is on disk in a circle, a page at a time, and verifies it: rot is found while other
// nodes are well, not when this one must start (RAFT.md §15.5). A page is read when no batch is
// under way, so that the index says what must be there. Between two pages the log may be compacted:
// what is missing at or below the anchor is no loss. If it was cut, the next page stands alone.

import { probes } from '../../base/probe.ts';
import type { Index } from '../../base/units.ts';
import type { KeyValuePair } from '../../ports/storage.ts';
import type { Entry } from '../../raft/entry.ts';
import type { EntryId } from '../../raft/events.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';
import type { Calls, Done } from './calls.ts';
import { logDamaged, readFailed, refuse, stateDamaged, STORED } from './exits.ts';
import type { FoundedStore } from './founded-store.ts';
import { CHUNK_RANGE, chunkFirst, ROW_RANGE } from './layout.ts';
import { decodeChunk, gapBetween } from './log-scan.ts';
import { generationOf, readStateRow, STATE_RANGE } from './state-rows.ts';
import type { StorageExit } from './types.ts';
import { rowsOf, verifyRows, verifyStoreId } from './verify.ts';

/** Ranges in the order of the circle. */
const CIRCLE = [CHUNK_RANGE, ROW_RANGE, STATE_RANGE] as const;
/** What is verified in one turn: a batch that comes meanwhile waits for a few milliseconds. */
const PAGE_BYTES = 128 * 1024;
/** The single rows are read as a whole, since they tell of each other. */
const ROWS_BYTES_MAX = 16 * 1024 * 1024;

/** The log as the index has it when a page is read. */
interface LogEnds {
  readonly anchor: EntryId;
  readonly end: EntryId;
  readonly cutCount: number;
}

/** Goes round and round. */
export class Scrubber {
  private readonly store: FoundedStore;
  private readonly calls: Calls;
  private place = 0;
  private from: string = CHUNK_RANGE.from;
  /** The last entry that was read, and how often the log had been cut then; null: unknown. */
  private trail: { readonly last: EntryId; readonly cutCount: number } | null = null;

  constructor(store: FoundedStore, calls: Calls) {
    this.store = store;
    this.calls = calls;
    this.turnTo(0);
  }

  /**
   * Verifies about maxBytes, in turns among the batches; less when the end of a range comes.
   * `record`: the hard state. One call at a time.
   */
  read(record: SlotRecord, maxBytes: number, done: Done<void>): void {
    const pageBytes = Math.min(maxBytes, PAGE_BYTES);
    const run = (read: Done<number>): void => this.readPage(record, pageBytes, read);
    this.calls.enqueue({ run }, (result) => {
      if (!result.ok) return done(result);
      const isEnough = result.value === 0 || result.value >= maxBytes;
      if (isEnough) return done(STORED);
      this.read(record, maxBytes - result.value, done);
    });
  }

  // The answer is how much was read; nothing at the end of a range. No batch is under way.
  private readPage(record: SlotRecord, maxBytes: number, done: Done<number>): void {
    const { keyValue, index } = this.store;
    const range = CIRCLE[this.place] ?? CHUNK_RANGE;
    const ends = { anchor: index.anchor, end: index.lastEntry, cutCount: index.cutCount };
    const bytes = range === ROW_RANGE ? ROWS_BYTES_MAX : maxBytes;
    keyValue.range(this.from, range.to, bytes, (read) => {
      if (!read.ok) return done(refuse(readFailed(read.failure)));
      const exit = this.check(read.value, record, ends);
      if (exit !== null) {
        probes.reach('scrub-finds-damage');
        return done(refuse(exit));
      }
      const last = read.value.at(-1);
      if (last === undefined || range === ROW_RANGE) this.turnTo((this.place + 1) % CIRCLE.length);
      else this.from = `${last.key}\0`;
      const readBytes = read.value.reduce((sum, pair) => sum + pair.value.length, 0);
      done({ ok: true, value: range === ROW_RANGE ? 0 : readBytes });
    });
  }

  private turnTo(place: number): void {
    this.place = place;
    this.from = CIRCLE[place]?.from ?? CHUNK_RANGE.from;
    this.trail = { last: { index: 0, term: 0 }, cutCount: this.store.index.cutCount };
  }

  private check(
    pairs: readonly KeyValuePair[],
    record: SlotRecord,
    ends: LogEnds,
  ): StorageExit | null {
    switch (CIRCLE[this.place]) {
      case ROW_RANGE: {
        const rows = rowsOf(pairs);
        const found = verifyRows(rows, record);
        return found.ok ? verifyStoreId(rows, record) : found.exit;
      }
      case STATE_RANGE:
        return checkState(pairs);
      default: {
        const problem = this.checkChunks(pairs, ends);
        return problem === null ? null : logDamaged(problem);
      }
    }
  }

  private checkChunks(pairs: readonly KeyValuePair[], ends: LogEnds): string | null {
    let last = this.trail?.cutCount === ends.cutCount ? this.trail.last : null;
    for (const { key, value } of pairs) {
      const entries = decodeChunk(value, this.store.seed);
      if (typeof entries === 'string') return `in the chunk ${key}: ${entries}.`;
      const [first] = entries;
      if (first === undefined || first.index !== chunkFirst(key)) {
        return `the chunk ${key} begins with entry ${first?.index ?? 'none'}.`;
      }
      const problem = last === null ? null : gapBefore(last, first, ends.anchor);
      if (problem !== null) return `before the chunk ${key}: ${problem}`;
      last = entries.at(-1) ?? null;
    }
    this.trail = last === null ? null : { last, cutCount: ends.cutCount };
    const isEnd = pairs.length === 0 && last !== null;
    return isEnd ? lossBetween(last?.index ?? 0, ends.end.index + 1, ends.anchor) : null;
  }
}

function gapBefore(last: EntryId, next: Entry, anchor: EntryId): string | null {
  const isJoined = next.index === last.index + 1;
  return isJoined ? gapBetween(last, next) : lossBetween(last.index, next.index, anchor);
}

// Entries between these two are missing: they were compacted, or lost.
function lossBetween(last: Index, next: Index, anchor: EntryId): string | null {
  const first = Math.max(last, anchor.index) + 1;
  return first >= next ? null : `the entries from ${first} to ${next - 1} are gone.`;
}

function checkState(pairs: readonly KeyValuePair[]): StorageExit | null {
  for (const pair of pairs) {
    if (generationOf(pair.key) === null) {
      return stateDamaged(`the key ${JSON.stringify(pair.key)} is no place for a row.`);
    }
    try {
      readStateRow(pair);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return stateDamaged(`${error.message}.`);
    }
  }
  return null;
}
