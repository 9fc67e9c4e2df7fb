import type { Index, NodeId, StoreId, Term } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { RaftStart } from '../../raft/events.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';

/**
 * Why a node cannot go on with its directory; `exitCode` is the process's (DESIGN.md §8):
 * 80 of another cluster or node, 81 in use, 82 hard state damaged, 83 log damaged, 84 log shorter
 * than the durable floor, 85 a write or sync failed, 86 format too new.
 */
export interface StorageExit {
  readonly exitCode: 80 | 81 | 82 | 83 | 84 | 85 | 86;
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
  /** Free bytes of the medium; null when it does not tell, which is no failure of the store. */
  freeBytes(done: (result: StorageResult<number | null>) => void): void;
  /** Waits for the calls under way, then lets go of the directory; later calls fail. */
  close(done: () => void): void;
}
