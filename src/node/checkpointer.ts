import { probes } from '../base/probe.ts';
import type { Index, MonoUs } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { ChangedRow } from '../locks/machine-types.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { EntryId, SnapshotPoint } from '../raft/events.ts';
import type { Checkpoint } from '../wire/checkpoint.ts';
import { encodeRowValue } from '../wire/rows.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import type { HostExit } from './host-types.ts';
import type { LockState } from './lock-state.ts';
import type { NodeStorage, RowChange } from './storage/types.ts';

export interface CheckpointerOptions {
  readonly state: LockState;
  readonly storage: Pick<NodeStorage, 'checkpoint'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: CheckpointSettings;
  /** What is durable when it begins. */
  readonly durableIndex: Index;
  readonly anchorIndex: Index;
  /** What consensus knows of an applied entry. */
  readonly pointAt: (index: Index) => SnapshotPoint;
  /** Transfers need the entries above this one; null: none is under way. */
  readonly pinnedIndex: () => Index | null;
  /** The state need not stand still any more, as it did for a copy that took several turns. */
  readonly onCopied: () => void;
  /** Another checkpoint is durable; the log on disk begins after the anchor. */
  readonly onDurable: (anchor: EntryId) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/** To copy a row takes a part of the time that it takes to encode it. */
const COPIES_PER_ENCODING = 4;

/** A copy of what changed, on its way to the disk. */
interface Delta {
  readonly index: Index;
  readonly begunUs: MonoUs;
  readonly changes: ChangedRow[];
  readonly rows: RowChange[];
  stage: 'copying' | 'encoding' | 'writing';
}

/** Somebody who needs a durable checkpoint that contains an entry. */
interface Wish {
  readonly index: Index;
  readonly done: (isDurable: boolean) => void;
}

/**
 * Takes checkpoints (RAFT.md §9): a copy of the rows that changed, during which the state stands
 * still, then encoded while it goes on, both a slice a turn so that heartbeats do too; then one
 * atomic batch, which also lets go of the log that nobody needs. Costs what changed, not what
 * exists.
 *
 * One at a time: a delta counts from the one before. Were that one lost, and this one not, the rows
 * of the lost one would be missing for good (M-81).
 */
export class Checkpointer {
  private readonly options: CheckpointerOptions;
  private delta: Delta | null = null;
  private durable: Index;
  private anchor: Index;
  private timer: Timer | null = null;
  /** Transfers, one for each peer, and backups, bounded by the doors. */
  private wishes: Wish[] = [];
  private onIdle: (() => void) | null = null;
  private isHeld = false;
  private isOver = false;

  constructor(options: CheckpointerOptions) {
    this.options = options;
    this.durable = options.durableIndex;
    this.anchor = options.anchorIndex;
  }

  /** Index of the last entry that the durable checkpoint contains. */
  get durableIndex(): Index {
    return this.durable;
  }

  start(): void {
    const { clock, settings } = this.options;
    this.timer = clock.after(settings.intervalMs * US_PER_MS, () => {
      this.begin();
      this.start();
    });
  }

  /** What is being encoded is dropped; a batch under way lands as a whole, or not at all. */
  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
    if (this.delta?.stage !== 'writing') this.delta = null;
    this.settleWishes();
  }

  /** To be called when entries were applied. */
  look(): void {
    const { state, settings } = this.options;
    const isWanted = this.wishes.some(({ index }) => index <= state.appliedIndex);
    if (isWanted || state.machine.changedCount() >= settings.dirtyRowsMax) this.begin();
  }

  /**
   * Whether the next entry must wait: for `onCopied`, or because changes come faster than the disk
   * takes them for `onDurable`. To be asked before each entry.
   */
  mustPause(): boolean {
    const { state, settings } = this.options;
    if (this.isCopying) return true;
    if (state.machine.changedCount() < settings.pauseRowsMax) return false;
    this.begin();
    const mustPause = state.machine.changedCount() >= settings.pauseRowsMax && this.delta !== null;
    probes.sometimes('applying-waits-for-checkpoint', mustPause);
    return mustPause || this.isCopying;
  }

  /**
   * Sees to it that a durable checkpoint contains this entry, as soon as it is applied; `done` when
   * that is so (possibly at once), or with false when the node stops.
   */
  takeNow(index: Index, done: (isDurable: boolean) => void): void {
    if (this.isOver || index <= this.durable) return done(index <= this.durable);
    this.wishes.push({ index, done });
    this.look();
  }

  /**
   * Begins no more, and calls back when none is under way (possibly at once): the machine is about
   * to be replaced, and a delta of the old one must not reach the rows of the new one.
   */
  hold(then: () => void): void {
    this.isHeld = true;
    if (this.delta?.stage === 'writing') {
      this.onIdle = then;
      return;
    }
    this.delta = null;
    then();
  }

  /** Another machine is in force, and all of it is durable. */
  restart(index: Index): void {
    this.isHeld = false;
    this.durable = index;
    this.anchor = index;
    this.settleWishes();
  }

  private get isCopying(): boolean {
    return this.delta?.stage === 'copying';
  }

  private begin(): void {
    const { state, clock } = this.options;
    if (this.isOver || this.isHeld || this.delta !== null) return;
    const index = state.appliedIndex;
    if (index <= this.durable) return;
    const begunUs = clock.monoUs();
    const delta: Delta = { index, begunUs, changes: [], rows: [], stage: 'copying' };
    this.delta = delta;
    if (!this.copy(delta)) this.later(delta, () => this.goOnCopying(delta));
  }

  private goOnCopying(delta: Delta): void {
    if (this.copy(delta)) this.options.onCopied();
    else this.later(delta, () => this.goOnCopying(delta));
  }

  /** Copies a slice; true when it was the last one. */
  private copy(delta: Delta): boolean {
    const { state, settings, pointAt } = this.options;
    const { machine } = state;
    const slice = machine.takeChanges(settings.sliceRows * COPIES_PER_ENCODING);
    for (const change of slice) delta.changes.push(change);
    if (machine.changedCount() > 0) return false;
    const checkpoint = { point: pointAt(delta.index), rowSum: machine.stateHash() };
    delta.stage = 'encoding';
    this.later(delta, () => this.encode(delta, checkpoint));
    return true;
  }

  private encode(delta: Delta, checkpoint: Checkpoint): void {
    const { changes, rows } = delta;
    const slice = changes.slice(rows.length, rows.length + this.options.settings.sliceRows);
    for (const { key, value } of slice) {
      rows.push({ key, value: value === null ? null : encodeRowValue(value) });
    }
    if (rows.length < changes.length) this.later(delta, () => this.encode(delta, checkpoint));
    else this.write(delta, checkpoint);
  }

  /** In another turn, unless the delta is dropped until then. */
  private later(delta: Delta, work: () => void): void {
    this.options.clock.soon(() => {
      if (this.delta === delta) work();
    });
  }

  private write(delta: Delta, checkpoint: Checkpoint): void {
    const { index, rows } = delta;
    delta.stage = 'writing';
    const compactTo = this.compactTo(index);
    this.options.storage.checkpoint({ checkpoint, rows, compactTo }, (result) => {
      this.delta = null;
      if (this.isOver) return;
      if (!result.ok) return this.options.onFailed(result.exit);
      this.durable = index;
      this.anchor = result.value.anchor.index;
      this.tell(delta);
      this.options.onDurable(result.value.anchor);
      this.settleWishes();
      const { onIdle } = this;
      this.onIdle = null;
      if (onIdle === null) this.look();
      else onIdle();
    });
  }

  private tell({ index, rows, begunUs }: Delta): void {
    const { clock, logger } = this.options;
    const tookMs = Math.round((clock.monoUs() - begunUs) / US_PER_MS);
    logger.debug('Checkpoint', { index, rows: rows.length, tookMs, anchor: this.anchor });
  }

  /** How much of the log may go with a checkpoint at `index`; null: nothing more than went. */
  private compactTo(index: Index): Index | null {
    const { settings, pinnedIndex } = this.options;
    const pinned = pinnedIndex() ?? Infinity;
    const isPinned = index - pinned <= settings.pinnedEntriesMax;
    probes.sometimes('transfer-pins-log', isPinned && pinned < index - settings.trailingEntries);
    probes.sometimes('transfer-pins-too-much', !isPinned);
    const to = Math.min(index - settings.trailingEntries, isPinned ? pinned : Infinity);
    return to > this.anchor ? to : null;
  }

  private settleWishes(): void {
    const isSettled = ({ index }: Wish): boolean => this.isOver || index <= this.durable;
    const settled = this.wishes.filter(isSettled);
    this.wishes = this.wishes.filter((wish) => !isSettled(wish));
    for (const { index, done } of settled) done(index <= this.durable);
  }
}
