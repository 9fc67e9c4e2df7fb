// A node's storage on a simulated disk under a small virtual clock, and what tests say to it.

import { KeyedRandom } from '../../sim/world/random.ts';
import { SimDisk } from '../../sim/world/disk.ts';
import type { SimDiskOptions } from '../../sim/world/disk-options.ts';
import { present } from '../../src/base/assert.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { EntryId, RaftStart } from '../../src/raft/events.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { createNodeStorage } from '../../src/node/storage/storage.ts';
import type {
  CheckpointDelta,
  CheckpointView,
  LogBatch,
  NodeStorage,
  Recovered,
  RowChange,
  RowPage,
  StorageExit,
  StorageResult,
} from '../../src/node/storage/types.ts';
import type { Checkpoint, StoredRow } from '../../src/wire/checkpoint.ts';
import type { FoundingRecord } from '../../src/wire/founding-record.ts';

export const FOUNDING: FoundingRecord = {
  clusterId: '00112233445566778899aabbccddeeff',
  clusterName: 'test',
  members: [
    { nodeId: 'n1', storeId: 'store-1', address: '127.0.0.1:1' },
    { nodeId: 'n2', storeId: 'store-2', address: '127.0.0.1:2' },
  ],
  limits: DEFAULT_LIMITS,
  origin: 0,
  restored: null,
};

/** Rows of a state as text. */
export type Rows = Record<string, string>;

const STEPS_MAX = 100_000;

/** One disk, and the node's lives on it. */
export class Rig {
  readonly disk: SimDisk;
  private nowUs = 0;
  private pending: { readonly atUs: number; readonly callback: () => void }[] = [];

  constructor(seed = 1, options: Partial<SimDiskOptions> = {}) {
    this.disk = new SimDisk({
      name: 'n1',
      luck: new KeyedRandom(seed),
      schedule: (delayUs, callback) => this.schedule(delayUs, callback),
      ...options,
    });
  }

  schedule(delayUs: number, callback: () => void): () => void {
    const item = { atUs: this.nowUs + delayUs, callback };
    this.pending.push(item);
    return () => {
      this.pending = this.pending.filter((other) => other !== item);
    };
  }

  /** Runs everything that is due, until nothing is. */
  settle(): void {
    for (let step = 0; step < STEPS_MAX; step++) {
      const next = this.pending.reduce<{ atUs: number; callback: () => void } | null>(
        (soonest, item) => (soonest === null || item.atUs < soonest.atUs ? item : soonest),
        null,
      );
      if (next === null) return;
      this.pending = this.pending.filter((item) => item !== next);
      this.nowUs = next.atUs;
      next.callback();
    }
    throw new Error('the disk never comes to rest');
  }

  /** The answer, once nothing happens any more; null if there is none. */
  ask<T>(start: (done: (answer: T) => void) => void): T | null {
    let answer: T | null = null;
    let isInside = true;
    start((given) => {
      if (isInside) throw new Error('a call-back ran inside its call');
      answer = given;
    });
    isInside = false;
    this.settle();
    return answer;
  }

  /** A new life of the node, not opened yet. */
  boot(nodeId = 'n1'): NodeStorage {
    return createNodeStorage({
      ...this.disk.attach(),
      nodeId,
      random: new KeyedRandom(7).port(nodeId, 1),
      logger: silentLogger,
      tailBytesMax: 1_000_000,
    });
  }

  /** Ends the present life and starts the next; the verdict of the start. */
  restart(nodeId = 'n1'): StorageResult<Recovered> {
    this.disk.crash();
    return this.open(this.boot(nodeId));
  }

  open(storage: NodeStorage): StorageResult<Recovered> {
    return present(
      this.ask<StorageResult<Recovered>>((done) => storage.open(done)),
      'an answer',
    );
  }

  /** An open and founded node with this term. */
  founded(term = 1): NodeStorage {
    const storage = this.boot();
    valueOf(this.open(storage));
    valueOf(this.found(storage));
    this.vote(storage, term);
    return storage;
  }

  found(storage: NodeStorage, record: FoundingRecord = FOUNDING): StorageResult<Recovered> {
    const answer = this.ask<StorageResult<Recovered>>((done) => storage.found(record, done));
    return present(answer, 'an answer');
  }

  /** The answer of a call without a value; null if there is none. */
  done(start: (done: (result: StorageResult<void>) => void) => void): StorageResult<void> | null {
    return this.ask<StorageResult<void>>(start);
  }

  vote(storage: NodeStorage, term: number): void {
    const vote = { nodeId: 'n2', storeId: 'store-2' };
    valueOf(this.done((done) => storage.writeHardState({ term, vote }, done)));
  }

  persist(storage: NodeStorage, batch: LogBatch): void {
    valueOf(this.done((done) => storage.persist(batch, done)));
  }

  /** A durable checkpoint; where the log begins after it. */
  checkpoint(storage: NodeStorage, delta: CheckpointDelta): EntryId {
    const answer = this.ask<StorageResult<{ readonly anchor: EntryId }>>((done) =>
      storage.checkpoint(delta, done),
    );
    return valueOf(answer).anchor;
  }

  view(storage: NodeStorage): StorageResult<CheckpointView> {
    const answer = this.ask<StorageResult<CheckpointView>>((done) => storage.view(done));
    return present(answer, 'an answer');
  }

  /** All rows of the state in force, or of a view, as text; read in pages of this size. */
  rows(source: Pick<NodeStorage, 'rows'>, pageBytes = 100): StorageResult<Rows> {
    const found: Rows = {};
    for (let after = ''; ;) {
      const page = present(
        this.ask<StorageResult<RowPage>>((done) => source.rows(after, pageBytes, done)),
        'an answer',
      );
      if (!page.ok) return page;
      for (const { key, value } of page.value.rows) found[key] = new TextDecoder().decode(value);
      if (page.value.isLast) return { ok: true, value: found };
      after = present(page.value.rows.at(-1), 'a page that is not the last has rows').key;
    }
  }

  /** What the next life finds. Throws if it refuses. */
  recover(): RaftStart {
    return present(valueOf(this.restart()).raft, 'a founded node');
  }
}

/** Entries from `first` on with these terms; `before` is the term of the one before. */
export function entriesOf(first: number, terms: readonly number[], before = 0): readonly Entry[] {
  return terms.map((term, at) => ({
    index: first + at,
    term,
    prevTerm: terms[at - 1] ?? before,
    type: 'command',
    payload: Uint8Array.from([first + at, term, 1, 2, 3]),
    config: null,
    record: null,
  }));
}

/** A batch that appends. */
export function append(first: number, terms: readonly number[], before = 0): LogBatch {
  return { truncateFrom: null, entries: entriesOf(first, terms, before) };
}

/** A batch that cuts at its first entry. */
export function replace(first: number, terms: readonly number[], before = 0): LogBatch {
  return { truncateFrom: first, entries: entriesOf(first, terms, before) };
}

/** What a checkpoint at this entry contains, with the configuration of the founding. */
export function checkpointAt(index: number, term: number, rowSum = `${index}`): Checkpoint {
  const config = {
    voters: FOUNDING.members,
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  return { point: { last: { index, term }, config, configIndex: 0 }, rowSum };
}

/** Changes that set these rows; null deletes one. */
export function changesOf(rows: Record<string, string | null>): readonly RowChange[] {
  return Object.entries(rows).map(([key, text]) => ({
    key,
    value: text === null ? null : new TextEncoder().encode(text),
  }));
}

/** These rows, as a transfer brings them. */
export function rowsOf(rows: Rows): readonly StoredRow[] {
  return Object.entries(rows).map(([key, text]) => ({
    key,
    value: new TextEncoder().encode(text),
  }));
}

/** The terms of the recovered log, entry by entry. */
export function termsOf(raft: RaftStart): readonly number[] {
  return raft.tail.map((entry) => entry.term);
}

/** The value of a result that must be one. */
export function valueOf<T>(result: StorageResult<T> | null): T {
  const given = present(result, 'an answer of the storage');
  if (!given.ok) throw new Error(`exit ${given.exit.exitCode}: ${given.exit.message}`);
  return given.value;
}

/** Why the call failed, which it must. */
export function exitOf(result: StorageResult<unknown> | null): StorageExit {
  const given = present(result, 'an answer of the storage');
  if (given.ok) throw new Error('the storage accepted what it should refuse');
  return given.exit;
}
