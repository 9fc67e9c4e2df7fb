// What a simulated disk is told: how fast it is, which writes fail and what they have then done.

import type { KeyValueOp, StorageFailure } from '../../src/ports/storage.ts';
import type { DiskImage } from './disk-image.ts';
import type { KeyedRandom } from './random.ts';

/** The kinds of operations, for failures and latencies. */
export type DiskOperation =
  'open' | 'batch' | 'range' | 'snapshot' | 'freeBytes' | 'slotRead' | 'slotWrite';

/**
 * What a write that was under way, or that failed, has done; by default luck decides. `torn`: a
 * slot, overwritten in place, holds neither old nor new after a power loss; a batch is lost.
 */
export type WriteEffect = 'landed' | 'lost' | 'torn' | 'drawn';

/** How long an operation takes, drawn between these, in microseconds. */
export interface Latency {
  readonly minUs: number;
  readonly maxUs: number;
}

export interface SimDiskOptions {
  /** Draws are keyed by it: the name of the node. */
  readonly name: string;
  readonly luck: KeyedRandom;
  /** Runs the call-back after so much virtual time; what it returns stops that. */
  readonly schedule: (delayUs: number, callback: () => void) => () => void;
  readonly latencies?: Partial<Record<DiskOperation, Latency>>;
  /** Not so: batches are answered before they are synced, as a bug or a bad disk has it (M-65). */
  readonly syncsBatches?: boolean | ((ops: readonly KeyValueOp[]) => boolean);
  readonly syncsSlots?: boolean;
  /** The process is about to hear that a write failed: it must end (RAFT.md §15.4). */
  readonly onFailed?: () => void;
  /** An unsynced batch may be lost before a later synced one (RAFT.md §15.1.5). Default false. */
  readonly hasHoles?: boolean;
  /** What it holds at first; nothing by default. */
  readonly image?: DiskImage;
}

/** An error to come: for the next operation of its kind, or the one `after` more. */
export interface PlannedFailure {
  readonly operation: DiskOperation;
  readonly failure: StorageFailure;
  readonly after?: number;
  /** For writes. */
  readonly effect?: WriteEffect;
}

/** How fast a healthy disk is. */
export const LATENCIES: Readonly<Record<DiskOperation, Latency>> = {
  open: { minUs: 1_000, maxUs: 3_000 },
  batch: { minUs: 150, maxUs: 450 },
  range: { minUs: 20, maxUs: 120 },
  snapshot: { minUs: 5, maxUs: 40 },
  freeBytes: { minUs: 10, maxUs: 50 },
  slotRead: { minUs: 20, maxUs: 100 },
  slotWrite: { minUs: 300, maxUs: 900 },
};
