// The directory of one node as its host sees it. Keeps the order that safety needs: the term
// before entries of that term, the floor lowered before a cut below it, one batch after the
// other, and after the first failed write nothing any more (RAFT.md §15.4).

import { assert, present } from '../../base/assert.ts';
import type { Index, NodeId } from '../../base/units.ts';
import type { Entry } from '../../raft/entry.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Random } from '../../ports/random.ts';
import type { KeyValue, SlotFile } from '../../ports/storage.ts';
import type { Checkpoint } from '../../wire/checkpoint.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { clusterSeed } from '../../wire/record.ts';
import { Calls } from './calls.ts';
import type { Done } from './calls.ts';
import { isCheckpointReady, writeCheckpoint } from './checkpoint-writer.ts';
import * as exits from './exits.ts';
import type { FoundedStore } from './founded-store.ts';
import { foundDirectory, foundingCheckpoint, raftStart } from './founding.ts';
import type { FoundingStart } from './founding.ts';
import { Generations } from './generations.ts';
import { markFailed } from './hard-state.ts';
import type { HardState, HardStateChange } from './hard-state.ts';
import type { EntryId } from '../../raft/events.ts';
import { Incoming } from './incoming.ts';
import { floorBelowInstall, installCheckpoint } from './installing.ts';
import { LogIndex } from './log-index.ts';
import { loadEntries } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { openDirectory } from './opening.ts';
import type { Founded } from './opening.ts';
import { Scrubber } from './scrubber.ts';
import { readRows, Views } from './state-reader.ts';
import type {
  CheckpointDelta,
  CheckpointView,
  IncomingCheckpoint,
  LogBatch,
  NodeStorage,
  Recovered,
  RowPage,
} from './types.ts';

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

class DirectoryStorage implements NodeStorage {
  private readonly options: NodeStorageOptions;
  private readonly calls: Calls;
  private readonly views: Views;
  private hardState: HardState | null = null;
  private generations: Generations | null = null;
  private store: FoundedStore | null = null;
  private writer: LogWriter | null = null;
  private scrubber: Scrubber | null = null;
  private incoming: Incoming | null = null;
  private isCheckpointing = false;

  constructor(options: NodeStorageOptions) {
    this.options = options;
    const { keyValue, onFailure = () => {} } = options;
    this.calls = new Calls({ keyValue, onFailure, mark: (exit, done) => this.mark(exit, done) });
    this.views = new Views(keyValue, this.calls);
  }

  open(done: Done<Recovered>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    const { keyValue } = this.options;
    openDirectory(this.options, (result) => {
      if (!result.ok) return settle(result);
      const { hardState, founded, generations } = result.value;
      const current = founded?.meta.generation ?? null;
      this.generations = new Generations({ keyValue, calls: this.calls }, generations, current);
      settle({ ok: true, value: this.takeOver(hardState, founded) });
    });
  }

  found(founding: FoundingRecord, done: Done<Recovered>): void {
    assert(founding.restored === null, 'a restored cluster begins with the rows of its backup');
    const generation = present(this.generations, 'the storage was opened').fresh();
    const meta = { generation, checkpoint: foundingCheckpoint(founding) };
    this.becomeMember({ founding, meta, term: 0 }, done);
  }

  writeHardState(state: Pick<HardStateChange, 'term' | 'vote'>, done: Done<void>): void {
    const settle = this.calls.begin(done);
    if (settle !== null) this.changeHardState(state, settle);
  }

  persist(batch: LogBatch, done: Done<void>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    const writer = present(this.writer, 'a founded node has a log');
    const hardState = present(this.hardState, 'the storage was opened');
    const term = present(batch.entries.at(-1), 'a log batch has entries').term;
    assert(term <= hardState.durable.term, 'a term is durable before its entries (R-36)');
    const cut = writer.begin(batch);
    const run = (written: Done<void>): void => {
      const floor = floorBelowCut(batch, hardState.record.durableFloor);
      this.lowerFloor(floor, written, () => writer.write(batch, cut, written));
    };
    this.calls.inTurn({ isUrgent: cut !== null, run }, settle);
  }

  load(from: Index, maxBytes: number, done: Done<readonly Entry[]>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    const { index, seed } = this.founded();
    const { keyValue } = this.options;
    loadEntries({ keyValue, index, calls: this.calls }, { from, maxBytes, seed }, settle);
  }

  raiseFloor(floor: EntryId, done: Done<void>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    const { index } = this.founded();
    const { durableFloor } = present(this.hardState, 'the storage was opened').record;
    // An entry that is being cut, or was, is no floor.
    const isDurable = index.termAt(floor.index) === floor.term;
    if (!isDurable || floor.index <= durableFloor.index) {
      return this.calls.answerLater(() => settle(exits.STORED));
    }
    this.changeHardState({ durableFloor: { index: floor.index, term: floor.term } }, settle);
  }

  checkpoint(delta: CheckpointDelta, done: Done<{ readonly anchor: EntryId }>): void {
    const store = this.founded();
    assert(!this.isCheckpointing, 'a checkpoint begins when the one before is durable (M-81)');
    this.isCheckpointing = true;
    const isReady = (): boolean => isCheckpointReady(store, delta);
    const run = (written: Done<void>): void => writeCheckpoint(store, delta, written);
    this.calls.enqueue({ isReady, run }, (result) => {
      this.isCheckpointing = false;
      done(result.ok ? { ok: true, value: { anchor: store.index.anchor } } : result);
    });
  }

  rows(after: string, maxBytes: number, done: Done<RowPage>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    const { generation } = this.founded().current;
    readRows(this.options.keyValue, { generation, after, maxBytes }, settle);
  }

  view(done: Done<CheckpointView>): void {
    this.views.open(done);
  }

  receive(checkpoint: Checkpoint): IncomingCheckpoint {
    this.incoming?.discard();
    const generations = present(this.generations, 'the storage was opened');
    const { keyValue } = this.options;
    this.incoming = new Incoming({
      keyValue,
      calls: this.calls,
      meta: { generation: generations.fresh(), checkpoint },
      install: (incoming, keepsSuffix, done) => this.install(incoming, keepsSuffix, done),
      onDiscarded: ({ meta }) => generations.abandon(meta.generation),
    });
    return this.incoming;
  }

  adopt(
    incoming: IncomingCheckpoint,
    as: { readonly founding: FoundingRecord; readonly term: number },
    done: Done<Recovered>,
  ): void {
    const own = present(this.incoming, 'a checkpoint was received');
    assert(own === incoming, 'the checkpoint that was received last is adopted');
    own.close();
    this.becomeMember({ ...as, meta: own.meta }, done);
  }

  scrub(maxBytes: number, done: Done<void>): void {
    const scrubber = present(this.scrubber, 'a founded node has a log');
    const { record } = present(this.hardState, 'the storage was opened');
    scrubber.read(record, maxBytes, done);
  }

  freeBytes(done: Done<number | null>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    this.options.keyValue.freeBytes((result) => {
      settle({ ok: true, value: result.ok ? result.value : null });
    });
  }

  close(done: () => void): void {
    this.calls.close(() => this.options.keyValue.close(done));
    this.views.close();
  }

  private takeOver(hardState: HardState, founded: Founded | null): Recovered {
    this.hardState = hardState;
    const slots = hardState.record;
    if (founded === null) return { slots, founding: null, raft: null, checkpoint: null };
    const { founding, log, meta } = founded;
    this.store = this.createStore(founded, slots.storeId);
    this.writer = new LogWriter(this.store);
    this.scrubber = new Scrubber(this.store, this.calls);
    const { checkpoint } = meta;
    return { slots, founding, raft: raftStart(slots, checkpoint, log), checkpoint };
  }

  private createStore({ founding, log, meta }: Founded, storeId: string): FoundedStore {
    const { keyValue } = this.options;
    const seed = clusterSeed(founding.clusterId);
    return { keyValue, storeId, founding, seed, index: log.index, current: meta };
  }

  private founded(): FoundedStore {
    return present(this.store, 'a founded node has a log');
  }

  private becomeMember(start: FoundingStart, done: Done<Recovered>): void {
    const hardState = present(this.hardState, 'the storage was opened');
    const { keyValue } = this.options;
    const run = (written: Done<Recovered>): void => {
      assert(hardState.record.clusterId === null, 'only a blank node is founded');
      foundDirectory({ keyValue, hardState }, start, (result) => {
        if (!result.ok) return written(result);
        const { founding, meta } = start;
        const index = new LogIndex(meta.checkpoint.point.last);
        const founded = { founding, meta, log: { index, tail: [], configs: [] } };
        written({ ok: true, value: this.takeOver(hardState, founded) });
      });
    };
    this.calls.enqueue({ run }, done);
  }

  private install(incoming: Incoming, keepsSuffix: boolean, done: Done<void>): void {
    const store = this.founded();
    const hardState = present(this.hardState, 'the storage was opened');
    const install = { meta: incoming.meta, keepsSuffix };
    const run = (written: Done<void>): void => {
      const before = store.current.generation;
      const floor = floorBelowInstall(store, install, hardState.record.durableFloor);
      this.lowerFloor(floor, written, () => {
        installCheckpoint(store, install, (result) => {
          written(result);
          if (result.ok) this.generations?.abandon(before);
        });
      });
    };
    this.calls.enqueue({ run }, done);
  }

  private lowerFloor(floor: EntryId | null, done: Done<void>, proceed: () => void): void {
    if (floor === null) return proceed();
    this.changeHardState({ durableFloor: floor }, (lowered) => {
      if (lowered.ok) proceed();
      else done(lowered);
    });
  }

  private changeHardState(change: HardStateChange, done: Done<void>): void {
    present(this.hardState, 'the storage was opened').change(change, (result) => {
      done(result.ok ? exits.STORED : exits.refuse(exits.writeFailed(result.failure)));
    });
  }

  private mark(exit: Parameters<typeof markFailed>[1], done: () => void): void {
    if (this.hardState === null) return done();
    markFailed(this.hardState, exit, done);
  }
}

// The floor that a batch needs first: the entry before its cut, if the present one would be cut.
function floorBelowCut(batch: LogBatch, floor: EntryId): EntryId | null {
  const first = present(batch.entries[0], 'a log batch has entries');
  if (batch.truncateFrom === null || floor.index < batch.truncateFrom) return null;
  return { index: first.index - 1, term: first.prevTerm };
}
