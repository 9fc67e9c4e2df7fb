// Writes the log: a batch is one value under its first index, and one atomic, synced write with
// the tail row. A cut inside a chunk rewrites that chunk, trimmed, in the same write: read in two
// steps, a crash between them would lose committed entries, and a stale longer chunk would
// come back at the next start (R-43, M-20, M-80).

import { assert, present } from '../../base/assert.ts';
import type { Index } from '../../base/units.ts';
import type { KeyValueOp } from '../../ports/storage.ts';
import { joinRecords } from '../../wire/record.ts';
import { logDamaged, readFailed, refuse, STORED, writeFailed } from './exits.ts';
import type { FoundedStore } from './founded-store.ts';
import { chunkKey, encodeTail, ROW } from './layout.ts';
import type { ChunkCut } from './log-index.ts';
import { decodeChunk } from './log-scan.ts';
import type { LogBatch, StorageResult } from './types.ts';

type Done = (result: StorageResult<void>) => void;

/** One batch at a time: `begin`, then `write`, then its answer, then the next. */
export class LogWriter {
  private readonly store: FoundedStore;
  private isBusy = false;

  constructor(store: FoundedStore) {
    this.store = store;
  }

  /**
   * Takes what will be cut out of the index at once, so that nobody takes it for durable any more
   * (a floor above it would refuse the next start). Throws InvariantError for a batch that does
   * not fit the log.
   */
  begin(batch: LogBatch): ChunkCut | null {
    assert(!this.isBusy, 'one log batch is written at a time');
    const first = present(batch.entries[0], 'a log batch has entries');
    const { index } = this.store;
    assert(
      first.index === (batch.truncateFrom ?? index.lastEntry.index + 1),
      'a batch begins where the log ends or is cut',
    );
    assert(first.prevTerm === index.termAt(first.index - 1), 'a batch follows the term before it');
    this.isBusy = true;
    return batch.truncateFrom === null ? null : index.cut(batch.truncateFrom);
  }

  /** Writes a batch that has begun. */
  write(batch: LogBatch, cut: ChunkCut | null, done: Done): void {
    if (cut === null) return this.submit([], batch, done);
    const deletes = cut.removed.map(deleteChunk);
    if (cut.trimmed === null) return this.submit(deletes, batch, done);
    this.trim(cut.trimmed, batch, (trimmed) => {
      if (!trimmed.ok) return done(trimmed);
      this.submit([...deletes, trimmed.value], batch, done);
    });
  }

  // The chunk that holds the cut, without the entries from there on.
  private trim(
    first: Index,
    batch: LogBatch,
    done: (result: StorageResult<KeyValueOp>) => void,
  ): void {
    const { keyValue, seed } = this.store;
    const key = chunkKey(first);
    keyValue.range(key, `${key}\0`, 1, (read) => {
      if (!read.ok) return done(refuse(readFailed(read.failure)));
      const value = read.value[0]?.value;
      if (value === undefined) return done(refuse(logDamaged(`the chunk ${key} is gone.`)));
      const entries = decodeChunk(value, seed);
      if (typeof entries === 'string') {
        return done(refuse(logDamaged(`in the chunk ${key}: ${entries}.`)));
      }
      const keptCount = (batch.truncateFrom ?? first) - first;
      const kept = joinRecords(entries.slice(0, keptCount), seed);
      done({ ok: true, value: { type: 'put', key, value: kept } });
    });
  }

  private submit(cutting: readonly KeyValueOp[], batch: LogBatch, done: Done): void {
    const { keyValue, index, seed, storeId, current } = this.store;
    const applied = current.checkpoint.point.last.index;
    const first = present(batch.entries[0], 'a log batch has entries');
    const last = present(batch.entries.at(-1), 'a log batch has entries');
    const tail = { lastIndex: last.index, lastTerm: last.term, applied, storeId };
    const ops: readonly KeyValueOp[] = [
      ...cutting,
      { type: 'put', key: chunkKey(first.index), value: joinRecords(batch.entries, seed) },
      { type: 'put', key: ROW.tail, value: encodeTail(tail) },
    ];
    keyValue.batch(ops, (result) => {
      this.isBusy = false;
      if (!result.ok) return done(refuse(writeFailed(result.failure)));
      index.append(first.index, batch.entries);
      done(STORED);
    });
  }
}

function deleteChunk(first: Index): KeyValueOp {
  return { type: 'delete', key: chunkKey(first) };
}
