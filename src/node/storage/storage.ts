// The directory of one node as its host sees it. Keeps the order that safety needs: the term
// before entries of that term, the floor lowered before a cut below it, and after the first
// failed write nothing any more (RAFT.md §15.4): it is not tried again, and the directory is
// marked before the call is answered. A bad disk may take long for that; `onFailure` comes before.

import { assert, present } from '../../base/assert.ts';
import type { Index, NodeId } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Random } from '../../ports/random.ts';
import type { KeyValue, SlotFile } from '../../ports/storage.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { clusterSeed } from '../../wire/record.ts';
import * as exits from './exits.ts';
import { foundingChange, foundingOps, originOf, raftStart } from './founding.ts';
import { markFailed } from './hard-state.ts';
import type { HardState, HardStateChange } from './hard-state.ts';
import type { EntryId } from '../../raft/events.ts';
import { LogIndex } from './log-index.ts';
import { loadEntries } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { openDirectory } from './opening.ts';
import type { Founded, Opened } from './opening.ts';
import type { LogBatch, NodeStorage, Recovered, StorageExit, StorageResult } from './types.ts';

/** The two media of a node's directory, and whose it is. */
export interface NodeStorageOptions {
  readonly keyValue: KeyValue;
  readonly slots: readonly [SlotFile, SlotFile];
  readonly nodeId: NodeId;
  /** A directory of a cluster with another name is refused; not compared when left out. */
  readonly clusterName?: string;
  readonly random: Random;
  readonly logger: Logger;
  /** Bytes of newest entries that recovery hands to the core. */
  readonly tailBytesMax: number;
  /** The first failure, at once: its call is answered only when the directory was marked. */
  readonly onFailure?: () => void;
}

/** The storage of a node over its two media. */
export function createNodeStorage(options: NodeStorageOptions): NodeStorage {
  return new DirectoryStorage(options);
}

type Done<T> = (result: StorageResult<T>) => void;

/** The log of a founded directory. */
interface Log {
  readonly index: LogIndex;
  readonly writer: LogWriter;
  readonly seed: number;
}

class DirectoryStorage implements NodeStorage {
  private readonly options: NodeStorageOptions;
  private hardState: HardState | null = null;
  private log: Log | null = null;
  /** Why every further call fails; null while all is well. */
  private failure: StorageExit | null = null;
  private isClosed = false;
  private runningCount = 0;
  private onIdle: (() => void) | null = null;

  constructor(options: NodeStorageOptions) {
    this.options = options;
  }

  open(done: Done<Recovered>): void {
    const settle = this.begin(done);
    if (settle === null) return;
    openDirectory(this.options, (result) => {
      settle(result.ok ? { ok: true, value: this.takeOver(result.value) } : result);
    });
  }

  found(record: FoundingRecord, done: Done<Recovered>): void {
    const settle = this.begin(done);
    if (settle === null) return;
    const hardState = present(this.hardState, 'the storage was opened');
    assert(hardState.record.clusterId === null, 'only a blank node is founded');
    const ops = foundingOps(record, hardState.record.storeId);
    this.options.keyValue.batch(ops, (result) => {
      if (!result.ok) return settle(exits.refuse(exits.writeFailed(result.failure)));
      hardState.change(foundingChange(record), (written) => {
        if (!written.ok) return settle(exits.refuse(exits.writeFailed(written.failure)));
        const log = { index: new LogIndex(originOf(record)), tail: [], configs: [] };
        const founded = { founding: record, log };
        settle({ ok: true, value: this.takeOver({ hardState, founded }) });
      });
    });
  }

  writeHardState(state: Pick<HardStateChange, 'term' | 'vote'>, done: Done<void>): void {
    const settle = this.begin(done);
    if (settle !== null) this.changeHardState(state, settle);
  }

  persist(batch: LogBatch, done: Done<void>): void {
    const settle = this.begin(done);
    if (settle === null) return;
    const { writer } = present(this.log, 'a founded node has a log');
    const hardState = present(this.hardState, 'the storage was opened');
    const term = present(batch.entries.at(-1), 'a log batch has entries').term;
    assert(term <= hardState.durable.term, 'a term is durable before its entries (R-36)');
    const cut = writer.begin(batch);
    const floor = floorBelowCut(batch, hardState.record.durableFloor);
    if (floor === null) return writer.write(batch, cut, settle);
    this.changeHardState({ durableFloor: floor }, (lowered) => {
      if (!lowered.ok) return settle(lowered);
      writer.write(batch, cut, settle);
    });
  }

  load(from: Index, maxBytes: number, done: Done<readonly Entry[]>): void {
    const settle = this.begin(done);
    if (settle === null) return;
    const { index, seed } = present(this.log, 'a founded node has a log');
    loadEntries(this.options.keyValue, index, { from, maxBytes, seed }, settle);
  }

  raiseFloor(floor: EntryId, done: Done<void>): void {
    const settle = this.begin(done);
    if (settle === null) return;
    const { index } = present(this.log, 'a founded node has a log');
    const { durableFloor } = present(this.hardState, 'the storage was opened').record;
    // An entry that is being cut, or was, is no floor.
    const isDurable = index.termAt(floor.index) === floor.term;
    if (!isDurable || floor.index <= durableFloor.index) {
      return this.answerLater(() => settle(exits.STORED));
    }
    this.changeHardState({ durableFloor: { index: floor.index, term: floor.term } }, settle);
  }

  freeBytes(done: Done<number | null>): void {
    const settle = this.begin(done);
    if (settle === null) return;
    this.options.keyValue.freeBytes((result) => {
      settle({ ok: true, value: result.ok ? result.value : null });
    });
  }

  close(done: () => void): void {
    this.isClosed = true;
    this.onIdle = () => this.options.keyValue.close(done);
    this.closeWhenIdle();
  }

  private takeOver({ hardState, founded }: Opened): Recovered {
    this.hardState = hardState;
    const slots = hardState.record;
    if (founded === null) return { slots, founding: null, raft: null };
    this.log = this.createLog(founded, slots.storeId);
    const raft = raftStart(slots, founded.founding, founded.log);
    return { slots, founding: founded.founding, raft };
  }

  private createLog({ founding, log }: Founded, storeId: string): Log {
    const { index } = log;
    const seed = clusterSeed(founding.clusterId);
    const { keyValue } = this.options;
    const applied = index.anchor.index;
    return { index, seed, writer: new LogWriter({ keyValue, index, seed, storeId, applied }) };
  }

  private changeHardState(change: HardStateChange, done: Done<void>): void {
    present(this.hardState, 'the storage was opened').change(change, (result) => {
      done(result.ok ? exits.STORED : exits.refuse(exits.writeFailed(result.failure)));
    });
  }

  // Every call begins here; null says that it was refused. What it returns is called exactly once.
  private begin<T>(done: Done<T>): Done<T> | null {
    this.runningCount += 1;
    const end: Done<T> = (result) => {
      this.runningCount -= 1;
      done(result);
      this.closeWhenIdle();
    };
    // A call that comes too late must not reach the store: its error would pass for a broken disk.
    const exit = this.failure ?? (this.isClosed ? exits.storageClosed() : null);
    if (exit !== null) {
      this.answerLater(() => end(exits.refuse(exit)));
      return null;
    }
    return (result) => {
      if (result.ok) return end(result);
      this.fail(result.exit, () => end(result));
    };
  }

  // The first failure is the one that counts; the mark is tried once, before the call is answered.
  private fail(exit: StorageExit, done: () => void): void {
    if (this.failure !== null) return done();
    this.failure = exit;
    this.options.onFailure?.();
    if (this.hardState === null) return done();
    markFailed(this.hardState, exit, done);
  }

  private closeWhenIdle(): void {
    if (this.onIdle === null || this.runningCount > 0) return;
    const closeStore = this.onIdle;
    this.onIdle = null;
    closeStore();
  }

  // This floor has no timers: a cheap question to the store answers after the call has returned.
  private answerLater(answer: () => void): void {
    this.options.keyValue.freeBytes(() => answer());
  }
}

// The floor that a batch needs first: the entry before its cut, if the present one would be cut.
function floorBelowCut(batch: LogBatch, floor: EntryId): EntryId | null {
  const first = present(batch.entries[0], 'a log batch has entries');
  if (batch.truncateFrom === null || floor.index < batch.truncateFrom) return null;
  return { index: first.index - 1, term: first.prevTerm };
}
