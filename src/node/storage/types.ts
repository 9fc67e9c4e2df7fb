import type { Index, NodeId, StoreId, Term } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { EntryId, RaftStart } from '../../raft/events.ts';
import type { Checkpoint, StoredRow } from '../../wire/checkpoint.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';

/**
 * Why a node cannot go on with its directory; `exitCode` is the process's (DESIGN.md §8):
 * 80 of another cluster or node, 81 in use, 82 hard state damaged, 83 log or state damaged, 84 log
 * shorter than the durable floor, 85 a write or sync failed, 86 format too new, 88 the state is not
 * that of the other nodes.
 */
export interface StorageExit {
  readonly exitCode: 80 | 81 | 82 | 83 | 84 | 85 | 86 | 88;
  /** What is wrong and what to do about it, in full sentences. */
  readonly message: string;
  /** A full disk stops the node, but does not condemn its directory (RAFT.md §15.4). */
  readonly isDiskFull: boolean;
}

/** The answer to a call: its value, or why the node must end. */
export type StorageResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly exit: StorageExit };

/** What a verified directory contained; bootCount is already this boot's, and durable. */
export interface Recovered {
  readonly slots: SlotRecord;
  /** Null while the node is blank; then `raft` is null too. */
  readonly founding: FoundingRecord | null;
  readonly raft: RaftStart | null;
  /** The durable checkpoint, whose rows the state machine starts from; null while blank. */
  readonly checkpoint: Checkpoint | null;
}

/** A row of the state machine, or the deletion of one. */
export interface RowChange {
  /** The machine's own key; may contain any text. */
  readonly key: string;
  /** From wire/rows.ts; null: the row is gone. */
  readonly value: Uint8Array | null;
}

/** Everything that changed since the checkpoint before. One atomic, synced batch (RAFT.md §9). */
export interface CheckpointDelta {
  readonly checkpoint: Checkpoint;
  readonly rows: readonly RowChange[];
  /** Chunks of the log wholly up to here go in the same batch; null: none. */
  readonly compactTo: Index | null;
}

/** One page of rows in key order. */
export interface RowPage {
  readonly rows: readonly StoredRow[];
  /** Nothing follows, and nothing is here: the end shows only behind the last row. */
  readonly isLast: boolean;
}

/** A checkpoint that stays as it is while it is read (for a transfer, or a backup). */
export interface CheckpointView {
  readonly checkpoint: Checkpoint;
  readonly founding: FoundingRecord;
  /** Rows with key > `after` ('' for the first), about maxBytes, at least one if any is left. */
  rows(after: string, maxBytes: number, done: (result: StorageResult<RowPage>) => void): void;
  /** Idempotent. */
  close(): void;
}

/** A checkpoint that comes from elsewhere, while it is received (RAFT.md §9, installing). */
export interface IncomingCheckpoint {
  readonly checkpoint: Checkpoint;
  /** Rows in key order, durable under a generation of their own before `done`. */
  add(rows: readonly StoredRow[], done: (result: StorageResult<void>) => void): void;
  /**
   * Puts it in force: one synced batch makes its generation the current one and deletes the log,
   * or only what of it lies at or below the checkpoint when `keepsSuffix`. The caller has verified
   * sum and count, and sees to it that no log batch is out.
   */
  install(keepsSuffix: boolean, done: (result: StorageResult<void>) => void): void;
  /** Forgets it; the rows are deleted later. Idempotent, and without effect once installed. */
  discard(): void;
}

/** What is written with one `persist`: cut first (if asked), then append; atomic and synced. */
export interface LogBatch {
  readonly truncateFrom: Index | null;
  readonly entries: readonly Entry[];
}

/**
 * The directory of one node: log, founding record and hard state. Calls of one kind are answered
 * in order; no call-back runs inside its call. After a failed write every later call fails.
 */
export interface NodeStorage {
  /** Verifies everything (RAFT.md §15.3), counts the boot; creates an empty directory's stores. */
  open(done: (result: StorageResult<Recovered>) => void): void;
  /** Founds a blank directory: log store first, then the slots as the commit point (§15.7). */
  found(record: FoundingRecord, done: (result: StorageResult<Recovered>) => void): void;
  /** Durable in both slots before `done`. Calls queue up; a newer one may absorb waiting ones. */
  writeHardState(
    state: { readonly term: Term; readonly vote: { nodeId: NodeId; storeId: StoreId } | null },
    done: (result: StorageResult<void>) => void,
  ): void;
  /** One batch at a time: the caller waits for `done`. */
  persist(batch: LogBatch, done: (result: StorageResult<void>) => void): void;
  /** Entries from `from` on, contiguous, about maxBytes, at least one if `from` is on disk. */
  load(
    from: Index,
    maxBytes: number,
    done: (result: StorageResult<readonly Entry[]>) => void,
  ): void;
  /** Raises the durable floor to an entry known to be synced; never lowers it. */
  raiseFloor(
    floor: { readonly index: Index; readonly term: Term },
    done: (result: StorageResult<void>) => void,
  ): void;
  /** One at a time; waits until the log is durable up to the checkpoint. */
  checkpoint(
    delta: CheckpointDelta,
    done: (result: StorageResult<{ readonly anchor: EntryId }>) => void,
  ): void;
  /** Rows of the checkpoint in force, for the start: as CheckpointView.rows. */
  rows(after: string, maxBytes: number, done: (result: StorageResult<RowPage>) => void): void;
  /** The checkpoint in force at this moment, held still. */
  view(done: (result: StorageResult<CheckpointView>) => void): void;
  /** Begins to receive a checkpoint; one at a time, a new one discards the one before. */
  receive(checkpoint: Checkpoint): IncomingCheckpoint;
  /**
   * A blank node joins by a checkpoint: puts it in force with the founding record, in the log store
   * first, then in both slots with this term (RAFT.md §15.6).
   */
  adopt(
    incoming: IncomingCheckpoint,
    as: { readonly founding: FoundingRecord; readonly term: Term },
    done: (result: StorageResult<Recovered>) => void,
  ): void;
  /** Reads and verifies some more of what is on disk, in a circle; an exit when it is damaged. */
  scrub(maxBytes: number, done: (result: StorageResult<void>) => void): void;
  /** Free bytes of the medium; null when it does not tell, which is no failure of the store. */
  freeBytes(done: (result: StorageResult<number | null>) => void): void;
  /** Waits for the calls under way, then lets go of the directory; later calls fail. */
  close(done: () => void): void;
}
