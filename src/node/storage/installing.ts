// Puts a checkpoint in force that came from elsewhere. Its rows lie under a generation of their
// own; one synced batch names that generation, moves the anchor and deletes what of the log is
// covered or, when the log disagrees, all of it, also what lies above the checkpoint (RAFT.md §9).

import { assert } from '../../base/assert.ts';
import { probes } from '../../base/probe.ts';
import type { KeyValueOp } from '../../ports/storage.ts';
import type { Index } from '../../base/units.ts';
import type { EntryId } from '../../raft/events.ts';
import { refuse, STORED, writeFailed } from './exits.ts';
import { forceOps } from './founded-store.ts';
import type { FoundedStore } from './founded-store.ts';
import { chunkKey } from './layout.ts';
import type { MetaRow } from './layout.ts';
import type { StorageResult } from './types.ts';

/** A checkpoint whose rows are all durable, and what becomes of the log. */
export interface Install {
  readonly meta: MetaRow;
  readonly keepsSuffix: boolean;
}

/**
 * The durable floor to set first, if the present one would lie in a log that is gone: the
 * checkpoint before. It is in the log as it is, and below the anchor of the log to come, so that a
 * crash on either side of the install finds its floor met.
 */
export function floorBelowInstall(
  { current }: FoundedStore,
  { meta, keepsSuffix }: Install,
  floor: EntryId,
): EntryId | null {
  if (keepsSuffix || floor.index < meta.checkpoint.point.last.index) return null;
  probes.reach('floor-lowered-for-install');
  return current.checkpoint.point.last;
}

/**
 * Writes it; `store` is then as the disk. Bounded by the chunks of the log, which go in one batch.
 */
export function installCheckpoint(
  store: FoundedStore,
  install: Install,
  done: (result: StorageResult<void>) => void,
): void {
  const { index, keyValue, storeId, current } = store;
  const { meta, keepsSuffix } = install;
  const { last } = meta.checkpoint.point;
  assert(last.index > current.checkpoint.point.last.index, 'a checkpoint replaces an older one');
  assert(!keepsSuffix || index.termAt(last.index) === last.term, 'a log that stays agrees');
  const covered = index.covered(last.index, Infinity)?.firsts ?? [];
  const deleted = keepsSuffix ? covered : index.chunks();
  const end = keepsSuffix ? index.lastEntry : last;
  keyValue.batch(installOps(deleted, meta, { anchor: last, last: end, storeId }), (result) => {
    if (!result.ok) return done(refuse(writeFailed(result.failure)));
    store.current = meta;
    if (keepsSuffix) index.compact(deleted.length, last);
    else index.reset(last);
    done(STORED);
  });
}

function* installOps(
  deleted: readonly Index[],
  meta: MetaRow,
  log: Parameters<typeof forceOps>[1],
): Iterable<KeyValueOp> {
  for (const first of deleted) yield { type: 'delete', key: chunkKey(first) };
  yield* forceOps(meta, log);
}
