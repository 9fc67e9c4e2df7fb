// The rows of a simulated store: by key, and in the order of their keys.

import type { KeyValueOp, KeyValuePair } from '../../src/ports/storage.ts';

/** Rows by key. Values are never changed in place. */
export class StoredRows {
  private readonly rows: Map<string, Uint8Array>;
  /** All keys in order; null when they have to be put in order again. */
  private sorted: readonly string[] | null = null;

  constructor(rows: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.rows = new Map(rows);
  }

  copy(): StoredRows {
    const copy = new StoredRows(this.rows);
    copy.sorted = this.sorted;
    return copy;
  }

  value(key: string): Uint8Array | null {
    return this.rows.get(key) ?? null;
  }

  /** Puts the row, or with null removes it. */
  set(key: string, value: Uint8Array | null): void {
    const isOther = value === null ? this.rows.delete(key) : !this.rows.has(key);
    if (isOther) this.sorted = null;
    if (value !== null) this.rows.set(key, value);
  }

  apply(ops: readonly KeyValueOp[]): void {
    for (const op of ops) this.set(op.key, op.type === 'put' ? op.value : null);
  }

  /** All keys in order. */
  keys(): readonly string[] {
    this.sorted ??= [...this.rows.keys()].sort(compareKeys);
    return this.sorted;
  }

  /** Pairs with from <= key < to, ending after about maxBytes, at least one. */
  range(from: string, to: string, maxBytes: number): readonly KeyValuePair[] {
    const keys = this.keys();
    const pairs: KeyValuePair[] = [];
    let bytes = 0;
    for (let at = firstFrom(keys, from); at < keys.length; at++) {
      const key = keys[at] ?? to;
      if (key >= to || (pairs.length > 0 && bytes >= maxBytes)) break;
      const value = this.rows.get(key) ?? new Uint8Array();
      pairs.push({ key, value: value.slice() });
      bytes += key.length + value.length;
    }
    return pairs;
  }
}

/** The place of the first key that is not below `from`. */
function firstFrom(keys: readonly string[], from: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
