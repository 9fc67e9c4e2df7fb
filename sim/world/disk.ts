// One node's disk: an ordered store and two slot files, which outlive the node's crashes. What was
// synced survives a power loss; what was not survives by luck (SIMULATOR.md §4.8). A crash finds
// some writes under way, and each of those has happened or has not.

import type {
  KeyValue,
  KeyValueOp,
  KeyValuePair,
  KeyValueSnapshot,
  SlotFile,
  StorageFailure,
  Stored,
} from '../../src/ports/storage.ts';
import type { DiskImage } from './disk-image.ts';
import { DiskLife } from './disk-life.ts';
import { LATENCIES } from './disk-options.ts';
import type { DiskOperation, PlannedFailure, SimDiskOptions, WriteEffect } from './disk-options.ts';
import type { Undo } from './direction.ts';
import { PlannedFailures } from './planned-failures.ts';
import { SlotImage } from './slot-image.ts';
import { StoreImage } from './store-image.ts';
import { WriteLanes } from './write-lanes.ts';

/** The ports of one life of the node. */
export interface DiskPorts {
  readonly keyValue: KeyValue;
  readonly slots: readonly [SlotFile, SlotFile];
}

type KeyValuePairs = readonly KeyValuePair[];

interface WriteRequest {
  readonly lane: string;
  readonly operation: DiskOperation;
  readonly land: () => void;
  readonly done: (result: Stored<void>) => void;
  readonly planned?: PlannedFailure | null;
}

const FREE_BYTES = 2 ** 40;
const DISK_FULL: PlannedFailure = {
  operation: 'batch',
  failure: { kind: 'full', message: 'no space left' },
  effect: 'lost',
};

/** The disk. What it holds may be looked at and damaged through `store` and `slots`. */
export class SimDisk {
  readonly store: StoreImage;
  readonly slots: readonly [SlotImage, SlotImage];
  /** Writes under way: withhold them, let them land, answer them. */
  readonly writes: WriteLanes;
  /** Something of what was synced was damaged. */
  isRotten = false;
  /** Space left. A batch takes what it puts, and fails when that is more. */
  freeBytes = FREE_BYTES;
  /** Added to every operation: a slow disk. */
  extraDelayUs = 0;
  private readonly options: SimDiskOptions;
  private readonly failures = new PlannedFailures();
  private lives: DiskLife[] = [];
  private owner: DiskLife | null = null;
  private isMade: boolean;
  private operationCount = 0;

  constructor(options: SimDiskOptions) {
    this.options = options;
    const { image } = options;
    this.store = image?.store.copy() ?? new StoreImage();
    this.slots = [
      image?.slots[0].copy() ?? new SlotImage(),
      image?.slots[1].copy() ?? new SlotImage(),
    ];
    this.isMade = image !== undefined;
    this.writes = new WriteLanes((write, done) => this.after(operationOf(write.name), done));
  }

  /** Ports for a life of the node. `deliver` hands completions over; by default at once. */
  attach(deliver: (callback: () => void) => void = (callback) => callback()): DiskPorts {
    const life = new DiskLife(deliver);
    this.lives.push(life);
    return {
      keyValue: this.createKeyValue(life),
      slots: [this.createSlot(life, 0), this.createSlot(life, 1)],
    };
  }

  /** Ends all lives. Completed writes stay, synced or not: the operating system still has them. */
  crash(underWay: WriteEffect = 'drawn'): void {
    this.endLives();
    this.writes.abandon((write) => this.isLanded(underWay, write.name));
  }

  /** A crash together with the machine: of what was not synced only a prefix is left. */
  losePower(underWay: WriteEffect = 'drawn'): void {
    this.endLives();
    const torn: SlotImage[] = [];
    this.writes.abandon((write) => {
      const slot = this.slots.find((_, place) => write.name.includes(` slot ${place} `));
      if (slot !== undefined && this.isTorn(underWay, write.name)) torn.push(slot);
      return this.isLanded(underWay, write.name);
    });
    const { luck, name, hasHoles } = this.options;
    const at = ++this.operationCount;
    const draw = (count: number): number => luck.below(count + 1, 'survivors', name, at);
    this.store.losePower(draw, hasHoles ?? false);
    this.slots.forEach((slot, place) =>
      slot.losePower(luck.below(2, 'slot survives', name, at, place) === 1),
    );
    for (const slot of torn) slot.tear();
  }

  /** True from detectable damage of what was synced until it is overwritten, if it ever is. */
  get isDamaged(): boolean {
    return this.store.isDamaged || this.slots.some((slot) => slot.isDamaged);
  }

  /** Damage: the store is gone as a whole, as when somebody deletes its directory. */
  removeStore(): void {
    for (const key of this.store.keys()) this.store.overwrite(key, null);
    this.isMade = false;
  }

  /** A new medium in the place of this one: whoever owns it begins with nothing. */
  wipe(): void {
    this.crash('lost');
    this.store.clear();
    for (const slot of this.slots) slot.clear();
    this.isMade = false;
  }

  /** What it holds now, for disks that are to begin with it. */
  image(): DiskImage {
    return { store: this.store.copy(), slots: [this.slots[0].copy(), this.slots[1].copy()] };
  }

  /** Plans an error, until it is undone. Plans end with the life they were made in. */
  fail(plan: PlannedFailure): Undo {
    return this.failures.add(plan);
  }

  private endLives(): void {
    for (const life of this.lives) life.end();
    this.lives = [];
    this.owner = null;
    this.failures.clear();
  }

  private createKeyValue(life: DiskLife): KeyValue {
    return {
      open: (create, done) => this.read(life, 'open', () => this.open(life, create), done),
      batch: (ops, done) => this.batch(life, ops, done),
      range: (from, to, maxBytes, done) => {
        const look = (): KeyValuePairs => this.store.range(from, to, maxBytes);
        this.read(life, 'range', () => this.guarded(life, look), done);
      },
      snapshot: (done) => {
        this.read(life, 'snapshot', () => this.guarded(life, () => this.openView(life)), done);
      },
      freeBytes: (done) => {
        this.read(life, 'freeBytes', () => ({ ok: true, value: this.freeBytes }), done);
      },
      close: (done) => {
        this.after('open', () => {
          if (this.owner === life) this.owner = null;
          life.closeViews();
          life.answer(done);
        });
      },
    };
  }

  private openView(life: DiskLife): KeyValueSnapshot {
    const view = this.store.view();
    life.views.add(view);
    return {
      range: (from, to, maxBytes, done) => {
        const look = (): Stored<KeyValuePairs> => {
          if (!life.views.has(view)) return failed('io', 'the snapshot is closed');
          return { ok: true, value: view.range(from, to, maxBytes) };
        };
        this.read(life, 'range', look, done);
      },
      close: () => {
        view.close();
        life.views.delete(view);
      },
    };
  }

  private createSlot(life: DiskLife, place: 0 | 1): SlotFile {
    const image = this.slots[place];
    return {
      read: (done) => this.read(life, 'slotRead', () => ({ ok: true, value: image.read() }), done),
      write: (content, done) => {
        const copy = content.slice();
        const land = (): void => image.land(copy, this.options.syncsSlots ?? true);
        this.write(life, { lane: `slot ${place}`, operation: 'slotWrite', land, done });
      },
    };
  }

  private open(life: DiskLife, create: boolean): Stored<{ readonly created: boolean }> {
    if (this.owner !== null && this.owner !== life) return failed('locked', 'another has it open');
    if (!this.isMade && !create) return failed('corrupt', 'there is no store here');
    this.owner = life;
    const created = !this.isMade;
    this.isMade = true;
    return { ok: true, value: { created } };
  }

  private batch(
    life: DiskLife,
    ops: Iterable<KeyValueOp>,
    done: (result: Stored<void>) => void,
  ): void {
    const copies = Array.from(ops, (op) =>
      op.type === 'put' ? { ...op, value: op.value.slice() } : op,
    );
    const bytes = copies.reduce((sum, op) => sum + (op.type === 'put' ? op.value.length : 0), 0);
    if (this.owner !== life) {
      return this.read(life, 'batch', () => failed('io', 'the store is not open'), done);
    }
    const { syncsBatches = true } = this.options;
    const isSynced = typeof syncsBatches === 'boolean' ? syncsBatches : syncsBatches(copies);
    const land = (): void => {
      this.freeBytes -= bytes;
      this.store.land(copies, isSynced);
    };
    const planned = bytes > this.freeBytes ? DISK_FULL : null;
    // Calls that nobody waits for run on threads of a pool, in any order (RAFT.md §2).
    const lane = this.writes.idleLane('store');
    this.write(life, { lane, operation: 'batch', land, done, planned });
  }

  private write(life: DiskLife, { lane, operation, land, done, planned }: WriteRequest): void {
    const plan = planned ?? this.failures.take(operation);
    const name = `${operation} ${lane} ${++this.operationCount}`;
    const result: Stored<void> =
      plan === null ? { ok: true, value: undefined } : { ok: false, failure: plan.failure };
    const isLanded = plan === null || this.isLanded(plan.effect ?? 'drawn', name);
    this.writes.submit(lane, {
      name,
      land: () => {
        if (isLanded) land();
      },
      answer: () =>
        life.answer(() => {
          if (!result.ok) this.options.onFailed?.();
          done(result);
        }),
    });
  }

  // What is read is what is there at the time of the call, as from LevelDB's implicit snapshot.
  private read<T>(
    life: DiskLife,
    operation: DiskOperation,
    look: () => Stored<T>,
    done: (result: Stored<T>) => void,
  ): void {
    const plan = this.failures.take(operation);
    const result: Stored<T> = plan === null ? look() : { ok: false, failure: plan.failure };
    const answer = (): void => life.answer(() => done(result));
    this.after(operation, () => this.writes.onceFlowing(answer));
  }

  private guarded<T>(life: DiskLife, look: () => T): Stored<T> {
    if (this.owner !== life) return failed('io', 'the store is not open');
    return { ok: true, value: look() };
  }

  private after(operation: DiskOperation, callback: () => void): () => void {
    const { minUs, maxUs } = this.options.latencies?.[operation] ?? LATENCIES[operation];
    const { luck, name } = this.options;
    const drawnUs = luck.below(maxUs - minUs + 1, 'disk', name, ++this.operationCount);
    return this.options.schedule(minUs + drawnUs + this.extraDelayUs, callback);
  }

  private isLanded(effect: WriteEffect, writeName: string): boolean {
    if (effect !== 'drawn') return effect === 'landed';
    return this.options.luck.below(2, 'lands', this.options.name, writeName) === 1;
  }

  private isTorn(effect: WriteEffect, writeName: string): boolean {
    if (effect !== 'drawn') return effect === 'torn';
    return this.options.luck.below(3, 'tears', this.options.name, writeName) === 0;
  }
}

function operationOf(writeName: string): DiskOperation {
  return writeName.startsWith('batch') ? 'batch' : 'slotWrite';
}

function failed(kind: StorageFailure['kind'], message: string): Stored<never> {
  return { ok: false, failure: { kind, message } };
}
