// What a node's disk holds for certain, kept apart from what the node believes of it: from what it
// handed out to be written, and what came back as written (RAFT.md §7.2).

import type { Index, NodeId, StoreId, Term } from '../../src/base/units.ts';
import type { EntryId, RaftEffect, RaftStart } from '../../src/raft/events.ts';
import type { LogTerms } from './log-terms.ts';
import { recoveredTerms } from './log-terms.ts';

/** A batch of the log on its way to the disk. */
export type Batch = Extract<RaftEffect, { type: 'persist' }>;
/** A record of term and vote on its way to the disk. */
export type SlotRecord = Extract<RaftEffect, { type: 'writeSlots' }>;

/** One life's disk. Invariant: all of it would be there after a power loss now. */
export class DiskTruth {
  readonly storeId: StoreId;
  readonly log: LogTerms;
  private durableTerm: Term;
  private durableVote: NodeId | null;
  private version = 0;
  /** The log begins there: a durable checkpoint contains what is before. */
  private checkpoint: EntryId;
  /** A checkpoint is on its way that takes the place of the log: the disk has one of the two. */
  private isReplacing = false;
  /** In flight: one, unless the node is broken. */
  private readonly batches = new Map<number, Batch>();
  private readonly records = new Map<number, SlotRecord>();

  constructor(start: RaftStart) {
    this.storeId = start.storeId;
    this.log = recoveredTerms(start);
    this.checkpoint = start.anchor;
    this.durableTerm = start.term;
    this.durableVote = start.vote?.nodeId ?? null;
  }

  get term(): Term {
    return this.durableTerm;
  }

  /** To whom the vote of `term` went. */
  get vote(): NodeId | null {
    return this.durableVote;
  }

  /** Where the log on disk begins. */
  get anchor(): EntryId {
    return this.checkpoint;
  }

  /** True while more may be on disk than is certain. */
  get isInstalling(): boolean {
    return this.isReplacing;
  }

  compacted(anchor: EntryId): void {
    this.checkpoint = anchor;
  }

  /** From here on the disk may have lost what of the log does not agree with the checkpoint. */
  handInstall(firstDoubtful: Index): void {
    this.isReplacing = true;
    this.log.cutFrom(firstDoubtful);
  }

  /** A checkpoint is in force; the log before it stays where it agrees with it. */
  installed(last: EntryId): void {
    this.checkpoint = last;
    if (this.isReplacing) this.log.restartAt(last);
    this.isReplacing = false;
  }

  /** From here on the disk may have cut already what the batch replaces. */
  handBatch(batch: Batch): void {
    if (batch.truncateFrom !== null) this.log.cutFrom(batch.truncateFrom);
    this.batches.set(batch.sequence, batch);
  }

  handRecord(record: SlotRecord): void {
    this.records.set(record.version, record);
  }

  persisted(sequence: number): void {
    const batch = this.batches.get(sequence);
    if (batch === undefined) return;
    this.batches.delete(sequence);
    this.log.cutFrom(batch.entries[0]?.index ?? Infinity);
    for (const { index, term } of batch.entries) {
      if (index === this.log.lastIndex + 1) this.log.append(term);
    }
  }

  slotsWritten(version: number): void {
    const record = this.records.get(version);
    if (record === undefined) return;
    this.records.delete(version);
    if (version <= this.version) return;
    this.version = version;
    this.durableTerm = record.term;
    this.durableVote = record.vote?.nodeId ?? null;
  }
}
