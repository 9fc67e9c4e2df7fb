// The disk of one node, from outside: what was handed over, what is durable, what a crash leaves.

import type { Entry } from '../../../src/raft/entry.ts';
import type { RaftEffect, RaftStart } from '../../../src/raft/events.ts';
import type { Ballot } from '../../../src/raft/hard-state.ts';
import type { ClusterConfig } from '../../../src/raft/config.ts';
import { entryBytes } from '../../../src/raft/log.ts';
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
  readonly origin: number;
  term: number;
  vote: Ballot | null;
  entries: Entry[];
  readonly batches: Persist[] = [];
  readonly records: WriteSlots[] = [];
  private readonly config: ClusterConfig;

  constructor(content: DiskContent) {
    this.origin = content.origin;
    this.config = content.config;
    this.entries = [...(content.entries ?? [])];
    this.term = content.term ?? this.entries[this.entries.length - 1]?.term ?? 0;
    this.vote = content.vote ?? null;
  }

  get lastIndex(): number {
    return this.origin + this.entries.length;
  }

  /** Term of the durable entry at an index; null when there is none. */
  termAt(index: number): number | null {
    return this.entries[index - this.origin - 1]?.term ?? null;
  }

  /** Writes the oldest batch; its sequence number, or null when none waits. */
  writeBatch(): number | null {
    const batch = this.batches.shift();
    if (batch === undefined) return null;
    if (batch.truncateFrom !== null) this.entries.length = batch.truncateFrom - this.origin - 1;
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

  load(from: number, maxBytes: number): Entry[] {
    const loaded: Entry[] = [];
    let bytes = 0;
    for (const entry of this.entries.slice(from - this.origin - 1)) {
      bytes += entryBytes(entry);
      if (loaded.length > 0 && bytes > maxBytes) break;
      loaded.push(entry);
    }
    return loaded;
  }

  /** What recovery would read; only the newest `tailCount` entries come with it. */
  recover(nodeId: string, tailCount: number): RaftStart {
    const changes = this.entries.flatMap(({ index, config }) =>
      config === null ? [] : [{ index, config }],
    );
    return {
      nodeId,
      storeId: member(nodeId).storeId,
      term: this.term,
      vote: this.vote,
      anchor: { index: this.origin, term: 0 },
      termRuns: runsOf(this.entries),
      tail: tailCount === 0 ? [] : this.entries.slice(-tailCount),
      lastIndex: this.lastIndex,
      applied: this.origin,
      configs: [{ index: this.origin, config: this.config }, ...changes],
    };
  }
}
