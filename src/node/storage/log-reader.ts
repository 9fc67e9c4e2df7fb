// Reads entries back that the core no longer holds in memory.

import type { Index } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { KeyValue, KeyValuePair } from '../../ports/storage.ts';
import { logDamaged, readFailed, refuse } from './exits.ts';
import { CHUNK_RANGE, chunkKey } from './layout.ts';
import type { LogIndex } from './log-index.ts';
import { decodeChunk, gapBetween, recordBytes } from './log-scan.ts';
import type { StorageResult } from './types.ts';

/** What is asked for; `seed` is the cluster's, from wire/record.ts. */
export interface LoadRequest {
  readonly from: Index;
  readonly maxBytes: number;
  readonly seed: number;
}

/**
 * Contiguous entries from `from` on. Empty when the log does not reach there, also when it was cut
 * while we read; entries that are being cut are not given out.
 */
export function loadEntries(
  keyValue: KeyValue,
  index: LogIndex,
  request: LoadRequest,
  done: (result: StorageResult<readonly Entry[]>) => void,
): void {
  const term = index.termAt(request.from);
  // Beyond the end there is nothing to read, but the answer still comes later, from the store.
  const key = chunkKey(index.chunkOf(request.from) ?? request.from);
  keyValue.range(key, CHUNK_RANGE.to, request.maxBytes, (read) => {
    if (!read.ok) return done(refuse(readFailed(read.failure)));
    const entries = collect(read.value, index, request);
    if (typeof entries === 'string') return done(refuse(logDamaged(entries)));
    const isStillThere = term !== null && index.termAt(request.from) === term;
    if (entries.length === 0 && isStillThere) {
      return done(refuse(logDamaged(`entry ${request.from} is gone from the chunk ${key}.`)));
    }
    done({ ok: true, value: entries });
  });
}

function collect(
  pairs: readonly KeyValuePair[],
  index: LogIndex,
  { from, maxBytes, seed }: LoadRequest,
): readonly Entry[] | string {
  const collected: Entry[] = [];
  let bytes = 0;
  for (const pair of pairs) {
    const chunk = decodeChunk(pair.value, seed);
    if (typeof chunk === 'string') return `in the chunk ${pair.key}: ${chunk}.`;
    for (const entry of chunk) {
      if (entry.index < from) continue;
      if (!isKnown(entry, index) || bytes >= maxBytes) return collected;
      const last = collected.at(-1);
      if (last === undefined && entry.index !== from) return [];
      const problem = last === undefined ? null : gapBetween(last, entry);
      if (problem !== null) return problem;
      collected.push(entry);
      bytes += recordBytes(entry);
    }
  }
  return collected;
}

// What was read is from the time of the call; the index has moved on if the log was cut meanwhile.
function isKnown(entry: Entry, index: LogIndex): boolean {
  return index.termAt(entry.index) === entry.term;
}
