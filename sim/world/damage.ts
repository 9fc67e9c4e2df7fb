// What a medium does to data that it had accepted. All of it is detectable: checksums, the order of
// the rows or the row of the end say that something is wrong (RAFT.md §15.3), and a node that finds
// it must refuse to serve. `pick` is any whole number from 0; it chooses row, byte and bit:
// the rows are counted from the last one back, which of the log is the newest.

import { CHUNK_RANGE } from '../../src/node/storage/layout.ts';
import type { SlotImage } from './slot-image.ts';
import type { StoreImage } from './store-image.ts';

/** Which rows of a store: from <= key < to. */
export interface RowsOf {
  readonly from: string;
  readonly to: string;
}

/** Batches of log entries. */
export const LOG_ROWS: RowsOf = CHUNK_RANGE;
/** Rows of the state machine, of all generations. */
export const STATE_ROWS: RowsOf = { from: 'r/', to: 'r0' };

/** Flips a bit in one of the rows. False when there is none. */
export function rotRow(store: StoreImage, rows: RowsOf, pick: number): boolean {
  const key = rowAt(store, rows, pick);
  const content = key === null ? null : store.value(key);
  if (key === null || content === null) return false;
  store.overwrite(key, flipped(content, pick));
  return true;
}

/** One of the rows is gone. False when there is none. */
export function loseRow(store: StoreImage, rows: RowsOf, pick: number): boolean {
  const key = rowAt(store, rows, pick);
  if (key === null) return false;
  store.overwrite(key, null);
  return true;
}

/** One of the rows was written over another one. False when there are no two. */
export function misdirectRow(store: StoreImage, rows: RowsOf, pick: number): boolean {
  const key = rowAt(store, rows, pick);
  const other = rowAt(store, rows, pick + 1);
  if (key === null || other === null || key === other) return false;
  store.overwrite(key, store.value(other));
  return true;
}

/** Flips a bit in a slot file. False when there is none. */
export function rotSlot(slot: SlotImage, pick: number): boolean {
  const content = slot.read();
  if (content === null) return false;
  slot.overwrite(flipped(content, pick));
  return true;
}

function rowAt(store: StoreImage, { from, to }: RowsOf, pick: number): string | null {
  const keys = store.keys().filter((key) => key >= from && key < to);
  return keys.at(-1 - (pick % keys.length)) ?? null;
}

function flipped(content: Uint8Array, pick: number): Uint8Array {
  const damaged = content.slice();
  const place = pick % content.length;
  damaged[place] = (content[place] ?? 0) ^ (1 << (pick % 8));
  return damaged;
}
