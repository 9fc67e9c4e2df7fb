// The disk of one node, from outside: what was handed over, what is durable, what a crash leaves.

import type { Entry } from '../../../src/raft/entry.ts';
import type { EntryId, RaftEffect, RaftStart } from '../../../src/raft/events.ts';
import type { Ballot } from '../../../src/raft/hard-state.ts';
import type { ClusterConfig } from '../../../src/raft/config.ts';
import { entryBytes } from '../../../src/raft/log.ts';
import type { StoredCheckpoint } from './checkpoints.ts';
import { member, runsOf } from './fixtures.ts';

type Persist = Extract<RaftEffect, { type: 'persist' }>;
type WriteSlots = Extract<RaftEffect, { type: 'writeSlots' }>;

/** What a node starts with. */
export interface DiskContent {
  readonly config: ClusterConfig;
  readonly origin: number;
  readonly entries?: readonly Entry[];
  readonly term?: number;
  readonly vote?: Ballot | null;
}

/** Two queues, as in the product: log batches and slot records; each is written in order. */
export class Disk {
  /** The log on disk begins after this entry. */
  anchor: EntryId;
  checkpoint: StoredCheckpoint;
  term: number;
  vote: Ballot | null;
  entries: Entry[];
  readonly batches: Persist[] = [];
  readonly records: WriteSlots[] = [];

  constructor(content: DiskContent) {
    const { config, origin } = content;
    this.anchor = { index: origin, term: 0 };
    this.checkpoint = { point: { last: this.anchor, config, configIndex: origin }, sum: 0 };
    this.entries = [...(content.entries ?? [])];
    this.term = content.term ?? this.entries[this.entries.length - 1]?.term ?? 0;
    this.vote = content.vote ?? null;
  }

  get lastIndex(): number {
    return this.anchor.index + this.entries.length;
  }

  /** Term of the durable entry at an index; null when there is none. */
  termAt(index: number): number | null {
    return this.entries[index - this.anchor.index - 1]?.term ?? null;
  }

  /** Writes the oldest batch; its sequence number, or null when none waits. */
  writeBatch(): number | null {
    const batch = this.batches.shift();
    if (batch === undefined) return null;
    if (batch.truncateFrom !== null) {
      this.entries.length = batch.truncateFrom - this.anchor.index - 1;
    }
    if (batch.entries[0]?.index !== this.lastIndex + 1) throw new Error('a gap on the disk');
    if (batch.lastTerm > this.term) throw new Error('entries reach the disk before their term');
    this.entries.push(...batch.entries);
    return batch.sequence;
  }

  /** Writes the oldest slot record; its version, or null when none waits. */
  writeRecord(): number | null {
    const record = this.records.shift();
    if (record === undefined) return null;
    this.term = record.term;
    this.vote = record.vote;
    return record.version;
  }

  /** Loses what was not written. */
  crash(): void {
    this.batches.length = 0;
    this.records.length = 0;
  }

  /** A checkpoint of our own, with the log compacted behind it, in one batch. The new anchor. */
  writeCheckpoint(checkpoint: StoredCheckpoint, compactTo: number): EntryId {
    const { last } = checkpoint.point;
    if (last.index > this.lastIndex) throw new Error('a checkpoint beyond the durable log');
    this.checkpoint = checkpoint;
    const index = Math.max(this.anchor.index, compactTo);
    const term = index === this.anchor.index ? this.anchor.term : this.termAt(index);
    this.entries = this.entries.slice(index - this.anchor.index);
    this.anchor = { index, term: term ?? 0 };
    return this.anchor;
  }

  /** A checkpoint from elsewhere comes into force, in one batch. */
  install(checkpoint: StoredCheckpoint, keepsSuffix: boolean): void {
    const { last } = checkpoint.point;
    if (keepsSuffix && this.termAt(last.index) !== last.term) {
      throw new Error('INV-3: a log is kept that does not hold the end of the checkpoint');
    }
    if (last.term > this.term) throw new Error('a checkpoint reaches the disk before its term');
    this.entries = keepsSuffix ? this.entries.slice(last.index - this.anchor.index) : [];
    this.anchor = last;
    this.checkpoint = checkpoint;
  }

  load(from: number, maxBytes: number): Entry[] {
    const loaded: Entry[] = [];
    let bytes = 0;
    if (from <= this.anchor.index) return loaded;
    for (const entry of this.entries.slice(from - this.anchor.index - 1)) {
      bytes += entryBytes(entry);
      if (loaded.length > 0 && bytes > maxBytes) break;
      loaded.push(entry);
    }
    return loaded;
  }

  /** What recovery would read; only the newest `tailCount` entries come with it. */
  recover(nodeId: string, tailCount: number): RaftStart {
    const { last, config: base, configIndex } = this.checkpoint.point;
    const changes = this.entries.flatMap(({ index, config }) =>
      config === null || index <= last.index ? [] : [{ index, config }],
    );
    return {
      nodeId,
      storeId: member(nodeId).storeId,
      term: this.term,
      vote: this.vote,
      anchor: this.anchor,
      termRuns: runsOf(this.entries),
      tail: tailCount === 0 ? [] : this.entries.slice(-tailCount),
      lastIndex: this.lastIndex,
      applied: last.index,
      configs: [{ index: configIndex, config: base }, ...changes],
    };
  }
}
