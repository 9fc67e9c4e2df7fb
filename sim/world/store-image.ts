// What a simulated disk holds, and what of it a power loss leaves. Batches land in order. Those
// that were synced stay; of the others a prefix stays, however long luck wants it. With holes
// allowed, an unsynced batch may be lost even before a later synced one: LevelDB does not sync the
// file that it leaves when it begins a new one (RAFT.md §15.1.5).

import type { KeyValueOp, KeyValuePair } from '../../src/ports/storage.ts';

interface Landed {
  readonly ops: readonly KeyValueOp[];
  readonly isSynced: boolean;
}

/** How many of `count` unsynced batches survive a power loss, 0 to count. */
export type SurvivorDraw = (count: number) => number;

/** The ordered content of one store. */
export class StoreImage {
  private readonly settled = new Map<string, Uint8Array>();
  private current = new Map<string, Uint8Array>();
  // Batches that are not settled: from the first unsynced one on.
  private landed: Landed[] = [];
  /** Keys of damaged rows. */
  private readonly damaged = new Set<string>();
  /** All keys in order; null when they have to be put in order again. */
  private sorted: readonly string[] | null = null;

  /** From damage done to a row until that row is written or deleted anew, durably. */
  get isDamaged(): boolean {
    return this.damaged.size > 0;
  }

  /** Another store with the same content, all of it on the medium. */
  copy(): StoreImage {
    const copy = new StoreImage();
    for (const [key, value] of this.current) {
      copy.current.set(key, value);
      copy.settled.set(key, value);
    }
    return copy;
  }

  /** Applies a batch as a whole. */
  land(ops: readonly KeyValueOp[], isSynced: boolean): void {
    apply(this.current, ops);
    this.sorted = null;
    if (isSynced && this.landed.length === 0) apply(this.settled, ops);
    else this.landed.push({ ops, isSynced });
    if (isSynced && this.isDamaged) for (const { key } of ops) this.damaged.delete(key);
  }

  /** Everything up to here reaches the medium, as it does sooner or later without a sync. */
  settle(): void {
    for (const { ops } of this.landed) apply(this.settled, ops);
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
    this.current = new Map(this.settled);
    this.sorted = null;
  }

  /** Pairs with from <= key < to, ending after about maxBytes, at least one. */
  range(from: string, to: string, maxBytes: number): readonly KeyValuePair[] {
    const pairs: KeyValuePair[] = [];
    let bytes = 0;
    for (const key of this.keys()) {
      if (key < from || key >= to) continue;
      if (pairs.length > 0 && bytes >= maxBytes) break;
      const value = this.current.get(key) ?? new Uint8Array();
      pairs.push({ key, value: value.slice() });
      bytes += key.length + value.length;
    }
    return pairs;
  }

  /** All keys in order. */
  keys(): readonly string[] {
    this.sorted ??= [...this.current.keys()].sort(compareKeys);
    return this.sorted;
  }

  /** The stored value, or null. */
  value(key: string): Uint8Array | null {
    return this.current.get(key) ?? null;
  }

  /** Damage: changes what is stored, behind the back of whoever stored it. */
  overwrite(key: string, value: Uint8Array | null): void {
    this.settle();
    this.damaged.add(key);
    this.sorted = null;
    for (const content of [this.settled, this.current]) {
      if (value === null) content.delete(key);
      else content.set(key, value);
    }
  }
}

function apply(content: Map<string, Uint8Array>, ops: readonly KeyValueOp[]): void {
  for (const op of ops) {
    if (op.type === 'put') content.set(op.key, op.value);
    else content.delete(op.key);
  }
}

function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
