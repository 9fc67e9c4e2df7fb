// Harm done to the files of a directory, at places that the independent reader found.

import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LevelFile, LevelPair, LevelReading } from '../../scripts/lib/level-reader.mjs';
import { CHUNK_RANGE } from '../../src/node/storage/layout.ts';
import { logDirectory, slotPaths } from '../../src/server/data-directory.ts';
import type { SlotRecord } from '../../src/wire/slot-record.ts';
import { readSlot, writeSlot } from './directories.ts';

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

/** Keeps this share of the newest write-ahead file, less some bytes. */
export function cut(place: Place, share: number, lessBytes = 0): void {
  const path = newestFile(place, 'log');
  truncateSync(path, Math.floor(statSync(path).size * share) - lessBytes);
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
