// One core with its disk and its host, each completion under the test's control.

import { createCore } from '../../../src/raft/create.ts';
import type { Entry } from '../../../src/raft/entry.ts';
import type { RaftEffect, RaftEvent, RaftSettings, Role } from '../../../src/raft/events.ts';
import type { Ballot } from '../../../src/raft/hard-state.ts';
import { checkInvariants } from '../../../src/raft/invariants.ts';
import type { CoreSnapshot } from '../../../src/raft/invariants.ts';
import type { ObservedNode } from '../../../src/raft/cluster-invariants.ts';
import type { RaftMessage } from '../../../src/raft/messages.ts';
import { Raft } from '../../../src/raft/raft.ts';
import type { Core } from '../../../src/raft/state.ts';
import type { Disk } from './disk.ts';
import { randomOf } from './fixtures.ts';

/** Which completions come by themselves, within the step that asked for them. */
export interface Automatic {
  persist: boolean;
  slots: boolean;
  apply: boolean;
  load: boolean;
}

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
}

export type Proposed = Extract<RaftEffect, { type: 'proposed' }>;
type Load = Extract<RaftEffect, { type: 'load' }>;

/** A node that is running, or has crashed and keeps its disk. */
export class CoreNode implements ObservedNode {
  readonly nodeId: string;
  readonly disk: Disk;
  readonly automatic: Automatic = { persist: true, slots: true, apply: true, load: true };
  raft: Raft;
  isRunning = true;
  bootCount = 1;
  /** All messages that left in this life, in order. */
  readonly sent: { readonly to: string; readonly message: RaftMessage }[] = [];
  /** Every effect of this life, in order. */
  readonly effects: RaftEffect[] = [];
  applied: Entry[] = [];
  private toApply: number | null = null;
  private readonly loads: Load[] = [];
  private readonly options: CoreNodeOptions;
  private snapshot: CoreSnapshot | null = null;

  constructor(options: CoreNodeOptions, nowUs: number) {
    this.options = options;
    this.nodeId = options.nodeId;
    this.disk = options.disk;
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

  readonly durableTermAt = (index: number): number | null => this.disk.termAt(index);

  /** Terms of the log, from the origin on: `[1, 1, 2]`. */
  terms(): (number | null)[] {
    const { log } = this.core;
    const count = log.lastIndex - log.anchorIndex;
    return Array.from({ length: count }, (_, at) => log.termAt(log.anchorIndex + at + 1));
  }

  /** One event, then whatever completes by itself. The effects of the event alone. */
  step(event: RaftEvent, nowUs: number): readonly RaftEffect[] {
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
    const index = this.toApply;
    if (index === null) return false;
    this.toApply = null;
    this.step({ type: 'applied', index }, nowUs);
    return true;
  }

  completeLoad(nowUs: number): boolean {
    const load = this.loads.shift();
    if (load === undefined) return false;
    const { from, maxBytes } = load;
    this.step({ type: 'loaded', from, entries: this.disk.load(from, maxBytes) }, nowUs);
    return true;
  }

  /** Power loss: memory and unwritten batches are gone. */
  crash(): void {
    this.isRunning = false;
    this.disk.crash();
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
    return new Raft(createCore({ start, settings, random, nowUs }));
  }

  private stepOnce(event: RaftEvent, nowUs: number): readonly RaftEffect[] {
    const effects = this.raft.step(event, nowUs);
    for (const effect of effects) this.carryOut(effect);
    this.snapshot = checkInvariants(this.core, this.snapshot);
    this.options.afterStep?.(this);
    return effects;
  }

  private carryOut(effect: RaftEffect): void {
    this.effects.push(effect);
    if (effect.type === 'persist') this.disk.batches.push(effect);
    else if (effect.type === 'writeSlots') this.disk.records.push(effect);
    else if (effect.type === 'load') this.loads.push(effect);
    else if (effect.type === 'apply') this.take(effect.entries);
    else if (effect.type === 'send') this.sendOut(effect.to, effect.message);
  }

  private take(entries: readonly Entry[]): void {
    if (this.toApply !== null) throw new Error('one apply is out at a time');
    this.applied.push(...entries);
    this.toApply = entries[entries.length - 1]?.index ?? null;
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
        (automatic.load && this.completeLoad(nowUs));
      if (!isDone) return;
    }
    throw new Error('a node does not come to rest');
  }
}
