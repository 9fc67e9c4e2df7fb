// What lies where in the log store of a node (RAFT.md §15.2).
//
//   m/store      the storeId, minted with the directory
//   m/founding   the founding record
//   m/anchor     [index, term]: the log begins after this entry
//   m/tail       [lastIndex, lastTerm, applied, storeId]: rewritten with every batch
//   m/meta       [generation, checkpoint]: what the rows of the state machine are, and where
//   l/<index>    one batch of log entries ("chunk") under its first index, 16 hex digits
//   r/<generation>/<key>   one row of the state machine (state-rows.ts)
//
// Every `m/` and `r/` row carries a checksum over its key and content: LevelDB itself returns
// flipped bytes without a word (§15.1.2).

import { crc32c, crc32cOfAscii } from '../../base/hash.ts';
import type { Index, StoreId, Term } from '../../base/units.ts';
import type { EntryId } from '../../raft/events.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../../wire/checkpoint.ts';
import type { Checkpoint } from '../../wire/checkpoint.ts';
import { DecodeError, pack, unpack } from '../../wire/msgpack.ts';
import { Reader } from '../../wire/reader.ts';

/** Keys of the single rows. */
export const ROW = {
  store: 'm/store',
  founding: 'm/founding',
  anchor: 'm/anchor',
  tail: 'm/tail',
  meta: 'm/meta',
} as const;

/** from <= key < to of all single rows. */
export const ROW_RANGE = { from: 'm/', to: 'm0' } as const;
/** from <= key < to of all chunks. */
export const CHUNK_RANGE = { from: 'l/', to: 'l0' } as const;

/** Where the log ends, as its last batch saw it: a lost batch in the middle is noticed (M-79). */
export interface TailRow {
  readonly lastIndex: Index;
  readonly lastTerm: Term;
  /** What the durable checkpoint covers. */
  readonly applied: Index;
  readonly storeId: StoreId;
}

/** The checkpoint in force, and the generation that its rows are stored under. */
export interface MetaRow {
  readonly generation: number;
  readonly checkpoint: Checkpoint;
}

const INDEX_DIGITS = 16;
const CHECKSUM_BYTES = 4;

/** Key of the chunk that begins with this index. */
export function chunkKey(first: Index): string {
  return CHUNK_RANGE.from + first.toString(16).padStart(INDEX_DIGITS, '0');
}

/** The first index of a chunk by its key, or null when that is no chunk key. */
export function chunkFirst(key: string): Index | null {
  if (!/^l\/[0-9a-f]{16}$/.test(key)) return null;
  const first = Number.parseInt(key.slice(CHUNK_RANGE.from.length), 16);
  return Number.isSafeInteger(first) ? first : null;
}

/** Content with its checksum in front, as it is stored under `key`. */
export function sealRow(key: string, content: Uint8Array): Uint8Array {
  const row = new Uint8Array(CHECKSUM_BYTES + content.length);
  new DataView(row.buffer).setUint32(0, rowChecksum(key, content));
  row.set(content, CHECKSUM_BYTES);
  return row;
}

/** The content of a stored row. Throws DecodeError when it is damaged. */
export function unsealRow(key: string, row: Uint8Array): Uint8Array {
  const content = row.subarray(CHECKSUM_BYTES);
  const isWhole = row.length >= CHECKSUM_BYTES;
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  if (!isWhole || view.getUint32(0) !== rowChecksum(key, content)) {
    throw new DecodeError(`the row ${key} has a wrong checksum`);
  }
  return content;
}

/** The tail row as it is stored. */
export function encodeTail(tail: TailRow): Uint8Array {
  return sealRow(ROW.tail, pack([tail.lastIndex, tail.lastTerm, tail.applied, tail.storeId]));
}

/** Reads a stored tail row. Throws DecodeError. */
export function decodeTail(row: Uint8Array): TailRow {
  const read = new Reader(unpack(unsealRow(ROW.tail, row)), ROW.tail);
  return read.done({
    lastIndex: read.integer('lastIndex'),
    lastTerm: read.integer('lastTerm'),
    applied: read.integer('applied'),
    storeId: read.text('storeId'),
  });
}

/** The anchor row as it is stored. */
export function encodeAnchor(anchor: EntryId): Uint8Array {
  return sealRow(ROW.anchor, pack([anchor.index, anchor.term]));
}

/** Reads a stored anchor row. Throws DecodeError. */
export function decodeAnchor(row: Uint8Array): EntryId {
  const read = new Reader(unpack(unsealRow(ROW.anchor, row)), ROW.anchor);
  return read.done({ index: read.integer('index'), term: read.integer('term') });
}

/** The meta row as it is stored. */
export function encodeMeta({ generation, checkpoint }: MetaRow): Uint8Array {
  return sealRow(ROW.meta, pack([generation, encodeCheckpoint(checkpoint)]));
}

/** Reads a stored meta row. Throws DecodeError. */
export function decodeMeta(row: Uint8Array): MetaRow {
  const read = new Reader(unpack(unsealRow(ROW.meta, row)), ROW.meta);
  return read.done({
    generation: read.integer('generation'),
    checkpoint: decodeCheckpoint(read.bytes('checkpoint')),
  });
}

/** The storeId row as it is stored. */
export function encodeStoreId(storeId: StoreId): Uint8Array {
  return sealRow(ROW.store, pack([storeId]));
}

/** Reads a stored storeId row. Throws DecodeError. */
export function decodeStoreId(row: Uint8Array): StoreId {
  const read = new Reader(unpack(unsealRow(ROW.store, row)), ROW.store);
  return read.done(read.text('storeId'));
}

// The key goes in too (its bytes are ASCII), so that a row found under another key is not believed.
function rowChecksum(key: string, content: Uint8Array): number {
  return crc32c(content, crc32cOfAscii(key));
}
