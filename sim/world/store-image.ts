// What a simulated disk holds, and what of it a power loss leaves. Batches land in order. Those
// that were synced stay; of the others a prefix stays, however long luck wants it. With holes
// allowed, an unsynced batch may be lost even before a later synced one: LevelDB does not sync the
// file that it leaves when it begins a new one (RAFT.md §15.1.5).

import type { KeyValueOp, KeyValuePair } from '../../src/ports/storage.ts';
import { StoredRows } from './stored-rows.ts';

interface Landed {
  readonly ops: readonly KeyValueOp[];
  readonly isSynced: boolean;
}

/** How many of `count` unsynced batches survive a power loss, 0 to count. */
export type SurvivorDraw = (count: number) => number;

/** What a store held at one moment; damage to the medium shows in it nevertheless. */
export interface StoreView {
  /** As StoreImage.range. */
  range(from: string, to: string, maxBytes: number): readonly KeyValuePair[];
  /** Idempotent. */
  close(): void;
}

/** The ordered content of one store. */
export class StoreImage {
  private settled = new StoredRows();
  private current = new StoredRows();
  // Batches that are not settled: from the first unsynced one on.
  private landed: Landed[] = [];
  /** Keys of damaged rows. */
  private readonly damaged = new Set<string>();
  /** What open views hold: `current` among it until something else is written. */
  private readonly views = new Set<{ readonly rows: StoredRows }>();

  /** From damage done to a row until that row is written or deleted anew, durably. */
  get isDamaged(): boolean {
    return this.damaged.size > 0;
  }

  /** Another store with the same content, all of it on the medium. */
  copy(): StoreImage {
    const copy = new StoreImage();
    copy.current = this.current.copy();
    copy.settled = this.current.copy();
    return copy;
  }

  /** Everything is gone, as on a new medium; that is no damage. */
  clear(): void {
    this.settled = new StoredRows();
    this.current = new StoredRows();
    this.landed = [];
    this.damaged.clear();
  }

  /** Applies a batch as a whole. */
  land(ops: readonly KeyValueOp[], isSynced: boolean): void {
    if ([...this.views].some(({ rows }) => rows === this.current)) {
      this.current = this.current.copy();
    }
    this.current.apply(ops);
    if (isSynced && this.landed.length === 0) this.settled.apply(ops);
    else this.landed.push({ ops, isSynced });
    if (isSynced && this.isDamaged) for (const { key } of ops) this.damaged.delete(key);
  }

  /** Everything up to here reaches the medium, as it does sooner or later without a sync. */
  settle(): void {
    for (const { ops } of this.landed) this.settled.apply(ops);
    this.landed = [];
  }

  /** Falls back to what the medium holds. */
  losePower(draw: SurvivorDraw, hasHoles: boolean): void {
    const lastSynced = this.landed.findLastIndex((batch) => batch.isSynced);
    const unsyncedFrom = hasHoles ? 0 : lastSynced + 1;
    const unsynced = this.landed.filter((batch, at) => !batch.isSynced && at >= unsyncedFrom);
    const lost = new Set(unsynced.slice(draw(unsynced.length)));
    this.landed = this.landed.filter((batch) => !lost.has(batch));
    this.settle();
    this.current = this.settled.copy();
  }

  /** What it holds now, whatever is written later. */
  view(): StoreView {
    const view = { rows: this.current };
    this.views.add(view);
    return {
      range: (from, to, maxBytes) => view.rows.range(from, to, maxBytes),
      close: () => void this.views.delete(view),
    };
  }

  /** Pairs with from <= key < to, ending after about maxBytes, at least one. */
  range(from: string, to: string, maxBytes: number): readonly KeyValuePair[] {
    return this.current.range(from, to, maxBytes);
  }

  /** All keys in order. */
  keys(): readonly string[] {
    return this.current.keys();
  }

  /** The stored value, or null. */
  value(key: string): Uint8Array | null {
    return this.current.value(key);
  }

  /** Damage: changes what is stored, behind the back of whoever stored it. */
  overwrite(key: string, value: Uint8Array | null): void {
    this.settle();
    this.damaged.add(key);
    const stored = this.current.value(key);
    const viewed = new Set([...this.views].map(({ rows }) => rows));
    // A view reads the same blocks of the medium, unless it holds another row than this one.
    for (const rows of viewed) if (rows.value(key) === stored) rows.set(key, value);
    this.settled.set(key, value);
    this.current.set(key, value);
  }
}
