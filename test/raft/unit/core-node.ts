// One core with its disk and its host, each completion under the test's control.

import { createCore } from '../../../src/raft/create.ts';
import type { Entry } from '../../../src/raft/entry.ts';
import type {
  EntryId,
  RaftEffect,
  RaftEvent,
  RaftSettings,
  Role,
} from '../../../src/raft/events.ts';
import type { Ballot } from '../../../src/raft/hard-state.ts';
import { checkInvariants } from '../../../src/raft/invariants.ts';
import type { CoreSnapshot } from '../../../src/raft/invariants.ts';
import type { ObservedNode } from '../../../src/raft/cluster-invariants.ts';
import type { RaftMessage } from '../../../src/raft/messages.ts';
import { Raft } from '../../../src/raft/raft.ts';
import type { Core } from '../../../src/raft/state.ts';
import { afterEntry, Checkpoints } from './checkpoints.ts';
import type { Machine } from './checkpoints.ts';
import type { Disk } from './disk.ts';
import { encodeConfig, randomOf } from './fixtures.ts';

/** Which completions come by themselves, within the step that asked for them. */
export interface Automatic {
  persist: boolean;
  slots: boolean;
  apply: boolean;
  load: boolean;
  /** Pieces of checkpoints that leave, and those that are stored. */
  pieces: boolean;
  install: boolean;
}

/** Everything completes at once. */
export const ALL_AUTOMATIC: Readonly<Automatic> = {
  persist: true,
  slots: true,
  apply: true,
  load: true,
  pieces: true,
  install: true,
};

export interface CoreNodeOptions {
  readonly nodeId: string;
  readonly disk: Disk;
  readonly settings: RaftSettings;
  readonly seed: number;
  /** How many entries recovery hands over in memory. */
  readonly tailCount: number;
  /** Called with every message that leaves, and after every step. */
  readonly onSend?: (node: CoreNode, to: string, message: RaftMessage) => void;
  readonly afterStep?: (node: CoreNode) => void;
  /** Called with every state that the state machine comes to. */
  readonly onState?: (machine: Machine) => void;
}

export type Proposed = Extract<RaftEffect, { type: 'proposed' }>;
type Load = Extract<RaftEffect, { type: 'load' }>;

/** A node that is running, or has crashed and keeps its disk. */
export class CoreNode implements ObservedNode {
  readonly nodeId: string;
  readonly disk: Disk;
  readonly automatic: Automatic = { ...ALL_AUTOMATIC };
  readonly checkpoints: Checkpoints;
  raft: Raft;
  isRunning = true;
  bootCount = 1;
  /** All messages that left in this life, in order. */
  readonly sent: { readonly to: string; readonly message: RaftMessage }[] = [];
  /** Every effect of this life, in order. */
  readonly effects: RaftEffect[] = [];
  applied: Entry[] = [];
  machine: Machine = { index: 0, sum: 0 };
  private toApply: readonly Entry[] | null = null;
  private readonly loads: Load[] = [];
  private readonly options: CoreNodeOptions;
  private snapshot: CoreSnapshot | null = null;

  constructor(options: CoreNodeOptions, nowUs: number) {
    this.options = options;
    this.nodeId = options.nodeId;
    this.disk = options.disk;
    this.checkpoints = new Checkpoints(options.disk);
    this.raft = this.boot(nowUs);
  }

  get core(): Core {
    return this.raft.internals;
  }

  get role(): Role {
    return this.core.role;
  }

  get term(): number {
    return this.core.hard.term;
  }

  get durableTerm(): number {
    return this.disk.term;
  }

  get durableVote(): Ballot | null {
    return this.disk.vote;
  }

  get durableCheckpoint(): EntryId {
    return this.disk.checkpoint.point.last;
  }

  readonly durableTermAt = (index: number): number | null => this.disk.termAt(index);

  /** Terms of the log, from the origin on: `[1, 1, 2]`. */
  terms(): (number | null)[] {
    const { log } = this.core;
    const count = log.lastIndex - log.anchorIndex;
    return Array.from({ length: count }, (_, at) => log.termAt(log.anchorIndex + at + 1));
  }

  /** One event, then whatever completes by itself. The effects of the event alone. */
  step(event: RaftEvent, nowUs: number): readonly RaftEffect[] {
    if (event.type === 'tick') {
      this.checkpoints.repeatAfter(this.options.settings.electionUs, nowUs);
    }
    const effects = this.stepOnce(event, nowUs);
    this.completeAutomatic(nowUs);
    return effects;
  }

  completePersist(nowUs: number): boolean {
    const sequence = this.disk.writeBatch();
    if (sequence !== null) this.step({ type: 'persisted', sequence }, nowUs);
    return sequence !== null;
  }

  completeSlots(nowUs: number): boolean {
    const version = this.disk.writeRecord();
    if (version !== null) this.step({ type: 'slotsWritten', version }, nowUs);
    return version !== null;
  }

  completeApply(nowUs: number): boolean {
    const entries = this.toApply;
    if (entries === null) return false;
    this.toApply = null;
    this.comeTo(entries.reduce(afterEntry, this.machine));
    this.step({ type: 'applied', index: this.machine.index }, nowUs);
    return true;
  }

  completeLoad(nowUs: number): boolean {
    const load = this.loads.shift();
    if (load === undefined) return false;
    const { from, maxBytes } = load;
    this.step({ type: 'loaded', from, entries: this.disk.load(from, maxBytes) }, nowUs);
    return true;
  }

  /** Lets one piece leave, of whatever transfer. */
  completePiece(nowUs: number): boolean {
    const event = this.checkpoints.nextPiece();
    if (event !== null) this.step(event, nowUs);
    return event !== null;
  }

  /** Stores the oldest piece that came in. */
  completePart(nowUs: number): boolean {
    if (this.checkpoints.toStore.length === 0) return false;
    const event = this.checkpoints.storePart();
    if (event !== null) this.step(event, nowUs);
    return true;
  }

  completeInstall(nowUs: number): boolean {
    const installed = this.checkpoints.install();
    if (installed === null) return false;
    this.comeTo(installed.machine);
    this.step(installed.event, nowUs);
    return true;
  }

  /**
   * Makes a checkpoint of the state as it is, and compacts the log but for so many entries before
   * it. False when nothing is new, or when the log is not durable up to it.
   */
  checkpoint(trailing: number, nowUs: number): boolean {
    const anchor = this.writeCheckpoint(trailing);
    if (anchor !== null) this.step({ type: 'compacted', anchor }, nowUs);
    return anchor !== null;
  }

  /** The same, before the core hears of it: a crash may come here. */
  writeCheckpoint(trailing: number): EntryId | null {
    const { index, sum } = this.machine;
    const isBusy = this.disk.batches.length > 0 || this.checkpoints.toInstall !== null;
    const isDurable = index <= this.core.writes.durableIndex && !isBusy;
    if (!isDurable || index <= this.durableCheckpoint.index) return null;
    const { index: configIndex, config } = this.raft.configAt(index);
    const last = { index, term: this.raft.termAt(index) ?? 0 };
    return this.disk.writeCheckpoint(
      { point: { last, config, configIndex }, sum },
      Math.min(index - trailing, this.checkpoints.oldestPinned()),
    );
  }

  /** Power loss: memory and unwritten batches are gone. */
  crash(): void {
    this.isRunning = false;
    this.disk.crash();
    this.checkpoints.crash();
    this.toApply = null;
    this.loads.length = 0;
  }

  restart(nowUs: number): void {
    this.bootCount++;
    this.isRunning = true;
    this.applied = [];
    this.snapshot = null;
    this.sent.length = 0;
    this.effects.length = 0;
    this.raft = this.boot(nowUs);
  }

  private boot(nowUs: number): Raft {
    const { nodeId, settings, seed, tailCount, disk } = this.options;
    const random = randomOf(seed + 7_919 * this.bootCount);
    const start = disk.recover(nodeId, tailCount);
    this.comeTo({ index: start.applied, sum: disk.checkpoint.sum });
    return new Raft(createCore({ start, settings, random, encodeConfig, nowUs }));
  }

  private stepOnce(event: RaftEvent, nowUs: number): readonly RaftEffect[] {
    const effects = this.raft.step(event, nowUs);
    for (const effect of effects) this.carryOut(effect, nowUs);
    this.snapshot = checkInvariants(this.core, this.snapshot);
    this.options.afterStep?.(this);
    return effects;
  }

  private carryOut(effect: RaftEffect, nowUs: number): void {
    this.effects.push(effect);
    this.checkOrder(effect);
    this.checkpoints.carryOut(effect, nowUs);
    if (effect.type === 'persist') this.disk.batches.push(effect);
    else if (effect.type === 'writeSlots') this.disk.records.push(effect);
    else if (effect.type === 'load') this.loads.push(effect);
    else if (effect.type === 'apply') this.take(effect.entries);
    else if (effect.type === 'send') this.sendOut(effect.to, effect.message);
  }

  private take(entries: readonly Entry[]): void {
    if (this.toApply !== null) throw new Error('one apply is out at a time');
    this.applied.push(...entries);
    this.toApply = entries;
  }

  // An install has disk and state machine for itself.
  private checkOrder(effect: RaftEffect): void {
    const isInstalling = this.checkpoints.toInstall !== null;
    const isBusy = this.toApply !== null || this.disk.batches.length > 0;
    const isWork = effect.type === 'apply' || effect.type === 'persist';
    if (isInstalling && isWork) throw new Error(`${effect.type} beside an install`);
    if (effect.type === 'installSnapshot' && isBusy) throw new Error('an install overtakes');
  }

  private comeTo(machine: Machine): void {
    this.machine = machine;
    this.options.onState?.(machine);
  }

  private sendOut(to: string, message: RaftMessage): void {
    this.sent.push({ to, message });
    this.options.onSend?.(this, to, message);
  }

  private completeAutomatic(nowUs: number): void {
    const { automatic } = this;
    for (let rounds = 0; rounds < 10_000; rounds++) {
      const isDone =
        (automatic.slots && this.completeSlots(nowUs)) ||
        (automatic.persist && this.completePersist(nowUs)) ||
        (automatic.apply && this.completeApply(nowUs)) ||
        (automatic.load && this.completeLoad(nowUs)) ||
        (automatic.pieces && (this.completePart(nowUs) || this.completePiece(nowUs))) ||
        (automatic.install && this.completeInstall(nowUs));
      if (!isDone) return;
    }
    throw new Error('a node does not come to rest');
  }
}
