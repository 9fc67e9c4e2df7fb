// Harm done to the files of a directory, at places that the independent reader found.

import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import type { LevelFile, LevelPair, LevelReading } from '../../scripts/lib/level-reader.mjs';
import { CHUNK_RANGE } from '../../src/node/storage/layout.ts';
import { STATE_RANGE } from '../../src/node/storage/state-rows.ts';
import { logDirectory, slotPaths } from '../../src/server/data-directory.ts';
import type { SlotRecord } from '../../src/wire/slot-record.ts';
import { readSlot, writeSlot } from './directories.ts';

type StoreOp =
  | { readonly type: 'del'; readonly key: string }
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array };

const ENCODING = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

/** A directory about to be harmed. */
export interface Place {
  readonly directory: string;
  /** Its log store, before the harm. */
  readonly reading: LevelReading;
}

/** Flips one bit of the byte there; from the end when negative. Twice is as good as never. */
export function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const place = at < 0 ? bytes.length + at : at;
  const byte = bytes[place];
  if (byte === undefined) throw new Error(`${path} has ${bytes.length} bytes, and no byte ${at}`);
  bytes[place] = byte ^ 0x04;
  writeFileSync(path, bytes);
}

/** Flips a bit in the middle of a stored value. */
export function flipValue({ directory }: Place, pair: LevelPair): void {
  flip(join(logDirectory(directory), pair.file), pair.place(pair.value.length >> 1));
}

/** The row under this key. */
export function row({ reading }: Place, key: string): LevelPair {
  const pair = reading.live.get(key);
  if (pair === undefined) throw new Error(`there is no row ${key}`);
  return pair;
}

/** The batch of entries at this share, 0 to 1, of the log in files of this kind. */
export function chunk({ reading }: Place, share: number, kind: LevelFile['kind']): LevelPair {
  const files = new Set(reading.files.flatMap((file) => (file.kind === kind ? file.name : [])));
  const chunks = [...reading.live.values()].filter(
    ({ key, file }) => key.startsWith(CHUNK_RANGE.from) && files.has(file),
  );
  const pair = chunks[Math.round((chunks.length - 1) * share)];
  if (pair === undefined) throw new Error(`there are no entries in any ${kind}`);
  return pair;
}

/** The path of the newest file of this kind. */
export function newestFile({ directory, reading }: Place, kind: LevelFile['kind']): string {
  const file = reading.files.findLast((each) => each.kind === kind);
  if (file === undefined) throw new Error(`there is no ${kind}`);
  return join(logDirectory(directory), file.name);
}

/** Keeps this share of the newest write-ahead file, 0 to 1. */
export function cut(place: Place, share: number): void {
  const path = newestFile(place, 'log');
  truncateSync(path, Math.floor(statSync(path).size * share));
}

/** Ends the file in the middle of a stored value. */
export function cutWithin({ directory }: Place, pair: LevelPair): void {
  truncateSync(join(logDirectory(directory), pair.file), pair.place(pair.value.length >> 1));
}

/** Where the newest table's index begins. */
export function indexAt({ reading }: Place): number {
  const table = reading.files.findLast(({ kind }) => kind === 'table');
  if (!table?.index) throw new Error('there is no table with an index');
  return table.index.at;
}

/** A row of the state: that of the first session's first grant, or what comes first. */
export function stateRow({ reading }: Place): LevelPair {
  const rows = [...reading.live.values()].filter(({ key }) => key.startsWith(STATE_RANGE.from));
  const pair = rows.find(({ key }) => key.includes('/g/')) ?? rows[0];
  if (pair === undefined) throw new Error('there are no rows of the state');
  return pair;
}

/** Writes into the store with LevelDB's own hand: what comes out has right checksums. */
export async function changeStore({ directory }: Place, ops: readonly StoreOp[]): Promise<void> {
  const store = new Level<string, Uint8Array>(logDirectory(directory), ENCODING);
  await store.open({ compression: false });
  await store.batch([...ops], { sync: true });
  await store.close();
}

/** Gives back a row of the state that was deleted, as it was. */
export function bringBack(place: Place): Promise<void> {
  const { live, versions } = place.reading;
  const former = versions.find(
    ({ key, isDeletion }) => key.startsWith(STATE_RANGE.from) && !isDeletion && !live.has(key),
  );
  if (former === undefined) throw new Error('no row of the state was ever deleted');
  return changeStore(place, [{ type: 'put', key: former.key, value: former.value }]);
}

/** Puts the log store of another directory in the place of this one's. */
export function replaceStore({ directory }: Place, from: string): void {
  rmSync(logDirectory(directory), { recursive: true });
  cpSync(logDirectory(from), logDirectory(directory), { recursive: true });
}

/** Puts the slot files of another directory in the place of this one's. */
export function replaceSlots({ directory }: Place, from: string): void {
  const sources = slotPaths(from);
  slotPaths(directory).forEach((path, at) => cpSync(sources[at] ?? '', path));
}

/** Changes the record in one slot file, checksum and all. */
export function changeSlot(path: string, change: Partial<SlotRecord>): void {
  writeSlot(path, { ...readSlot(path), ...change });
}
