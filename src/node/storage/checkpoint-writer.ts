// A checkpoint is one batch: the rows that changed, what they are now (the meta row), and the
// chunks of the log that nobody needs any more. In one, because a log that is compacted before the
// rows are durable has lost what both should hold (M-41), and rows without their meta row would
// belong to no index (RAFT.md §9).

import { assert } from '../../base/assert.ts';
import { probes } from '../../base/probe.ts';
import type { KeyValueOp } from '../../ports/storage.ts';
import type { EntryId } from '../../raft/events.ts';
import { refuse, STORED, writeFailed } from './exits.ts';
import { forceOps } from './founded-store.ts';
import type { FoundedStore } from './founded-store.ts';
import { chunkKey } from './layout.ts';
import type { CoveredChunks } from './log-index.ts';
import { stateOp } from './state-rows.ts';
import type { CheckpointDelta, StorageResult } from './types.ts';

/** Chunks that one checkpoint deletes at most; the next one goes on. */
const CHUNKS_PER_BATCH = 8_192;

/**
 * True when the log on disk holds the last entry that the checkpoint contains. What is committed is
 * applied before it is durable here, so the disk may end before it, or have another in its place
 * that a batch to come will cut.
 */
export function isCheckpointReady(
  { index }: FoundedStore,
  { checkpoint }: CheckpointDelta,
): boolean {
  const { last } = checkpoint.point;
  return index.termAt(last.index) === last.term;
}

/** Writes a checkpoint that is ready. Throws InvariantError for one that does not fit the log. */
export function writeCheckpoint(
  store: FoundedStore,
  delta: CheckpointDelta,
  done: (result: StorageResult<void>) => void,
): void {
  const { index, current, keyValue } = store;
  const { last } = delta.checkpoint.point;
  assert(last.index >= current.checkpoint.point.last.index, 'checkpoints never go back');
  assert(index.termAt(last.index) === last.term, 'a checkpoint is of an entry of the log');
  const covered = coveredBy(store, delta);
  const meta = { generation: current.generation, checkpoint: delta.checkpoint };
  const anchor = covered?.end ?? index.anchor;
  // The end of the log as it is now: while the rows are taken, a cut may begin.
  const log = { covered, anchor, last: index.lastEntry };
  keyValue.batch(checkpointOps(store, delta, log), (result) => {
    if (!result.ok) return done(refuse(writeFailed(result.failure)));
    store.current = meta;
    if (covered !== null) index.compact(covered.firsts.length, anchor);
    done(STORED);
  });
}

function coveredBy(store: FoundedStore, delta: CheckpointDelta): CoveredChunks | null {
  const { compactTo, checkpoint } = delta;
  if (compactTo === null) return null;
  assert(compactTo <= checkpoint.point.last.index, 'only what a checkpoint contains is compacted');
  const covered = store.index.covered(compactTo, CHUNKS_PER_BATCH);
  if (covered !== null) probes.reach('log-compacted');
  return covered;
}

function* checkpointOps(
  { current: { generation }, storeId }: FoundedStore,
  { checkpoint, rows }: CheckpointDelta,
  log: {
    readonly covered: CoveredChunks | null;
    readonly anchor: EntryId;
    readonly last: EntryId;
  },
): Iterable<KeyValueOp> {
  for (const first of log.covered?.firsts ?? []) yield { type: 'delete', key: chunkKey(first) };
  for (const row of rows) if (row.value === null) yield stateOp(generation, row);
  for (const row of rows) if (row.value !== null) yield stateOp(generation, row);
  yield* forceOps({ generation, checkpoint }, { ...log, storeId });
}
