// Reads the whole log at start-up and believes nothing: every checksum, the chain of terms, and
// that chunk follows chunk (RAFT.md §15.3). A crash shows as absence, since batches are atomic; a
// value that is present but wrong is damage, and is never cut away (§15.5).

import type { Index, Term } from '../../base/units.ts';
import type { ClusterConfig } from '../../raft/config.ts';
import type { Entry } from '../../raft/entry.ts';
import type { KeyValue, KeyValuePair } from '../../ports/storage.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import { RECORD_HEADER_BYTES, decodeRecords } from '../../wire/record.ts';
import { logDamaged, readFailed, refuse } from './exits.ts';
import { CHUNK_RANGE, chunkFirst } from './layout.ts';
import type { EntryId } from '../../raft/events.ts';
import { LogIndex } from './log-index.ts';
import type { StorageResult } from './types.ts';

/** What of the log is kept in memory after the scan. */
export interface ScannedLog {
  readonly index: LogIndex;
  /** The newest entries, up to `tailBytesMax` bytes of records. */
  readonly tail: readonly Entry[];
  readonly configs: readonly { readonly index: Index; readonly config: ClusterConfig }[];
}

/** What the scan is told. */
export interface ScanOptions {
  /** From wire/record.ts clusterSeed. */
  readonly seed: number;
  readonly anchor: EntryId;
  readonly tailBytesMax: number;
}

/** About how much is read between two turns of the event loop. */
const PAGE_BYTES = 1024 * 1024;

/** Reads and verifies all chunks; refuses with 83. */
export function scanLog(
  keyValue: KeyValue,
  options: ScanOptions,
  done: (result: StorageResult<ScannedLog>) => void,
): void {
  const scan = new LogScan(options);
  const readPage = (from: string): void => {
    keyValue.range(from, CHUNK_RANGE.to, PAGE_BYTES, (page) => {
      if (!page.ok) return done(refuse(readFailed(page.failure)));
      const problem = scan.takePage(page.value);
      if (problem !== null) return done(refuse(logDamaged(problem)));
      const last = page.value.at(-1);
      if (last === undefined) return done({ ok: true, value: scan.result() });
      readPage(`${last.key}\0`);
    });
  };
  readPage(CHUNK_RANGE.from);
}

class LogScan {
  private readonly options: ScanOptions;
  private readonly configs: { readonly index: Index; readonly config: ClusterConfig }[] = [];
  private readonly index: LogIndex;
  private tail: Entry[] = [];
  private tailBytes = 0;
  // Entries of `tail` before this place are dropped; the array is cut when that is worth it.
  private tailStart = 0;

  constructor(options: ScanOptions) {
    this.options = options;
    this.index = new LogIndex(options.anchor);
  }

  result(): ScannedLog {
    return { index: this.index, tail: this.tail.slice(this.tailStart), configs: this.configs };
  }

  /** Takes chunks in key order. The answer is what is wrong, or null. */
  takePage(pairs: readonly KeyValuePair[]): string | null {
    for (const pair of pairs) {
      const problem = this.takeChunk(pair);
      if (problem !== null) return problem;
    }
    return null;
  }

  private takeChunk(pair: KeyValuePair): string | null {
    const first = chunkFirst(pair.key);
    if (first === null) return `the key ${JSON.stringify(pair.key)} is no place for entries.`;
    const entries = decodeChunk(pair.value, this.options.seed);
    if (typeof entries === 'string') return `in the chunk ${pair.key}: ${entries}.`;
    if (entries[0]?.index !== first) {
      return `the chunk ${pair.key} begins with entry ${entries[0]?.index ?? 'none'}.`;
    }
    return this.follow(first, entries);
  }

  private follow(first: Index, entries: readonly Entry[]): string | null {
    const { anchor } = this.options;
    // Compaction may leave chunks up to the one that holds the anchor; their old part is ignored.
    const atAnchor = entries[anchor.index - first];
    if (first <= anchor.index && atAnchor !== undefined && atAnchor.term !== anchor.term) {
      return `entry ${anchor.index} has term ${atAnchor.term}, its anchor ${anchor.term}.`;
    }
    const fresh = entries.slice(Math.max(0, anchor.index + 1 - first));
    const next = fresh[0];
    const problem = next === undefined ? null : gapBetween(this.index.lastEntry, next);
    if (problem !== null) return problem;
    this.index.append(first, fresh);
    for (const entry of fresh) this.keep(entry);
    return null;
  }

  private keep(entry: Entry): void {
    if (entry.config !== null) this.configs.push({ index: entry.index, config: entry.config });
    this.tail.push(entry);
    this.tailBytes += recordBytes(entry);
    while (this.tailBytes > this.options.tailBytesMax && this.tailStart < this.tail.length) {
      const oldest = this.tail[this.tailStart];
      this.tailBytes -= oldest === undefined ? 0 : recordBytes(oldest);
      this.tailStart += 1;
    }
    if (this.tailStart > 1_024 && this.tailStart * 2 > this.tail.length) {
      this.tail = this.tail.slice(this.tailStart);
      this.tailStart = 0;
    }
  }
}

/** The entries of a stored chunk, or in words why it cannot be believed. */
export function decodeChunk(value: Uint8Array, seed: number): readonly Entry[] | string {
  try {
    const entries = decodeRecords(value, seed);
    return entries.length === 0 ? 'it is empty' : entries;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/** Why `next` cannot follow `last`, or null. */
export function gapBetween(last: { index: Index; term: Term }, next: Entry): string | null {
  if (next.index !== last.index + 1) {
    return `after entry ${last.index} comes entry ${next.index}, not ${last.index + 1}.`;
  }
  if (next.prevTerm !== last.term || next.term < last.term) {
    return (
      `entry ${next.index} (term ${next.term}) says that term ${next.prevTerm} is before it, ` +
      `but entry ${last.index} has term ${last.term}.`
    );
  }
  return null;
}

/** Bytes that an entry takes on disk. */
export function recordBytes(entry: Entry): number {
  return RECORD_HEADER_BYTES + entry.payload.length;
}
