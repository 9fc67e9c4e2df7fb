// Reads entries back that the core no longer holds in memory.

import type { Index } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { KeyValue, KeyValuePair } from '../../ports/storage.ts';
import type { Calls, Done } from './calls.ts';
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

/** Where it is read from. */
export interface LogSource {
  readonly keyValue: KeyValue;
  readonly index: LogIndex;
  readonly calls: Calls;
}

/**
 * Contiguous entries from `from` on. Empty when the log does not reach there, also when it was cut
 * or compacted while we read; entries that are being cut are not given out.
 *
 * A batch that deletes chunks is seen by readers before its answer lets the index know. So what is
 * missing is looked for once more when no batch is under way: only then it is a loss.
 */
export function loadEntries(
  source: LogSource,
  request: LoadRequest,
  done: Done<readonly Entry[]>,
): void {
  look(source, request, (found) => {
    if (!found.ok) return done(found);
    if (found.value !== null) return done({ ok: true, value: found.value });
    const run = (answer: Done<readonly Entry[]>): void =>
      look(source, request, (again) => {
        if (!again.ok) return answer(again);
        if (again.value !== null) return answer({ ok: true, value: again.value });
        answer(refuse(logDamaged(`entry ${request.from} is gone.`)));
      });
    source.calls.inTurn({ run }, done);
  });
}

// Null: the index has the entry, and the store does not.
function look(
  { keyValue, index }: LogSource,
  request: LoadRequest,
  done: (result: StorageResult<readonly Entry[] | null>) => void,
): void {
  const term = index.termAt(request.from);
  // Beyond the end there is nothing to read, but the answer still comes later, from the store.
  const key = chunkKey(index.chunkOf(request.from) ?? request.from);
  keyValue.range(key, CHUNK_RANGE.to, request.maxBytes, (read) => {
    if (!read.ok) return done(refuse(readFailed(read.failure)));
    const entries = collect(read.value, index, request);
    if (typeof entries === 'string') return done(refuse(logDamaged(entries)));
    const isStillThere = term !== null && index.termAt(request.from) === term;
    const isMissing = entries.length === 0 && isStillThere;
    done({ ok: true, value: isMissing ? null : entries });
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
