// What a medium does to data that it had accepted. All of it is detectable: checksums, the order of
// the rows or the row of the end say that something is wrong (RAFT.md §15.3), and a node that finds
// it must refuse to serve. `pick` is any whole number from 0; it chooses row, byte and bit:
// the rows are counted from the newest one back.

import { CHUNK_RANGE } from '../../src/node/storage/layout.ts';
import type { SlotImage } from './slot-image.ts';
import type { StoreImage } from './store-image.ts';

/** Flips a bit in a batch of log entries. False when there is none. */
export function rotLog(store: StoreImage, pick: number): boolean {
  const key = logRow(store, pick);
  const content = key === null ? null : store.value(key);
  if (key === null || content === null) return false;
  store.overwrite(key, flipped(content, pick));
  return true;
}

/** A batch of log entries is gone. False when there is none. */
export function loseLog(store: StoreImage, pick: number): boolean {
  const key = logRow(store, pick);
  if (key === null) return false;
  store.overwrite(key, null);
  return true;
}

/** A batch of log entries was written over another one. False when there are no two. */
export function misdirectLog(store: StoreImage, pick: number): boolean {
  const key = logRow(store, pick);
  const other = logRow(store, pick + 1);
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

function logRow(store: StoreImage, pick: number): string | null {
  const keys = store.keys().filter((key) => key >= CHUNK_RANGE.from && key < CHUNK_RANGE.to);
  return keys.at(-1 - (pick % keys.length)) ?? null;
}

function flipped(content: Uint8Array, pick: number): Uint8Array {
  const damaged = content.slice();
  const place = pick % content.length;
  damaged[place] = (content[place] ?? 0) ^ (1 << (pick % 8));
  return damaged;
}
