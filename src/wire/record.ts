// One entry of the log as bytes: the same in the Append frame and on disk (DESIGN.md §4.3). The
// leader puts the head before a payload once; whoever receives or reads it back checks it and keeps
// those very bytes.
//
//   0  u32  CRC-32C of all that follows, seeded with the cluster's id
//   4  u32  length of the whole record in bytes
//   8  u64  index         16  u64  term         24  u64  prevTerm         (little-endian)
//  32  u8   type          33  payload

import { assert, present } from '../base/assert.ts';
import { crc32c, crc32cOf } from '../base/hash.ts';
import type { Entry, EntryType } from '../raft/entry.ts';
import type { Place } from './binary.ts';
import { putSafeInteger, takeSafeInteger, viewOf } from './binary.ts';
import { decodeConfig } from './config.ts';
import { DecodeError } from './decode-error.ts';

/** Bytes of a record beside its payload. */
export const RECORD_HEADER_BYTES = 33;
/** Where in it the length stands. No record has none, so 0 says that a head is not written yet. */
const LENGTH_AT = 4;

const ENTRY_TYPES = ['noop', 'config', 'command'] as const satisfies readonly EntryType[];

/** What makes a record of one cluster fail its check in another. */
export function clusterSeed(clusterId: string): number {
  return crc32c(new TextEncoder().encode(clusterId));
}

/**
 * The records of these entries, one after the other. Those whose payloads follow each other in one
 * memory with room for the heads between them are completed there, once: joining them, and again
 * for the next peer and for the disk, copies nothing.
 */
export function joinRecords(entries: readonly Entry[], seed: number): Uint8Array {
  const stretches: Uint8Array[] = [];
  for (let from = 0; from < entries.length;) {
    const first = present(entries[from], 'a stretch has entries');
    const to = first.record === null ? from + 1 : completeStretch(entries, from, seed);
    const last = present(entries[to - 1], 'a stretch has entries');
    stretches.push(first.record === null ? encodeAlone(first, seed) : memoryOf(first, last));
    from = to;
  }
  const [only] = stretches;
  return stretches.length === 1 && only !== undefined ? only : concatenated(stretches);
}

/**
 * Sees to it that the heads are there of all records that follow each other in one memory, from
 * this entry's on; gives the place after the last of these entries.
 */
function completeStretch(entries: readonly Entry[], from: number, seed: number): number {
  const { record, payload } = present(entries[from], 'a stretch has entries');
  const bytes = present(record, 'the entry lies in a memory for records');
  const view = viewOf(bytes);
  let at = payload.byteOffset - bytes.byteOffset - RECORD_HEADER_BYTES;
  let each = from;
  for (; each < entries.length; each++) {
    const entry = entries[each];
    if (entry === undefined || entry.record !== bytes) break;
    if (entry.payload.byteOffset !== bytes.byteOffset + at + RECORD_HEADER_BYTES) break;
    const isThere = view.getUint32(at + LENGTH_AT, true) > 0;
    if (!isThere) writeHead({ bytes, view, at }, entry, seed);
    at += recordBytes(entry);
  }
  return each;
}

/** The records from one entry's to another's, which lie in one memory. */
function memoryOf({ payload: first }: Entry, { payload: last }: Entry): Uint8Array {
  const begin = first.byteOffset - RECORD_HEADER_BYTES;
  return new Uint8Array(first.buffer, begin, last.byteOffset + last.length - begin);
}

function recordBytes(entry: Entry): number {
  return RECORD_HEADER_BYTES + entry.payload.length;
}

function encodeAlone(entry: Entry, seed: number): Uint8Array {
  const bytes = new Uint8Array(recordBytes(entry));
  bytes.set(entry.payload, RECORD_HEADER_BYTES);
  writeHead({ bytes, view: viewOf(bytes), at: 0 }, entry, seed);
  return bytes;
}

function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The payload is there already. */
function writeHead({ bytes, view, at }: Place, entry: Entry, seed: number): void {
  const isSafe = Number.isSafeInteger(entry.index) && Number.isSafeInteger(entry.term);
  assert(isSafe, 'an entry has an index and a term below 2^53');
  const length = recordBytes(entry);
  view.setUint32(at + LENGTH_AT, length, true);
  putSafeInteger(view, at + 8, entry.index);
  putSafeInteger(view, at + 16, entry.term);
  putSafeInteger(view, at + 24, entry.prevTerm);
  view.setUint8(at + 32, ENTRY_TYPES.indexOf(entry.type));
  view.setUint32(at, crc32cOf(bytes, at + 4, at + length, seed), true);
}

/**
 * The entries of joined records; their payloads are views. Throws DecodeError unless every
 * length and CRC is right, indices are contiguous, and each prevTerm is the term before.
 */
export function decodeRecords(bytes: Uint8Array, seed: number): Entry[] {
  const entries: Entry[] = [];
  const view = viewOf(bytes);
  let previous: Entry | null = null;
  for (let at = 0; at < bytes.length;) {
    const end = at + recordLengthAt(view, at);
    const entry: Entry = decodeRecord({ bytes, view, at }, end, seed);
    if (previous !== null) checkChain(previous, entry);
    entries.push(entry);
    previous = entry;
    at = end;
  }
  return entries;
}

function recordLengthAt(view: DataView, at: number): number {
  const left = view.byteLength - at;
  if (left < RECORD_HEADER_BYTES) {
    throw new DecodeError(`record at byte ${at}: expected a header, got ${left} bytes`);
  }
  const length = view.getUint32(at + LENGTH_AT, true);
  if (length < RECORD_HEADER_BYTES || length > left) {
    const range = `from ${RECORD_HEADER_BYTES} to ${left}`;
    throw new DecodeError(`record at byte ${at}: expected a length ${range}, got ${length}`);
  }
  return length;
}

function decodeRecord({ bytes, view, at }: Place, end: number, seed: number): Entry {
  const index = takeSafeInteger(view, at + 8, 'record.index');
  if (crc32cOf(bytes, at + 4, end, seed) !== view.getUint32(at, true)) {
    throw new DecodeError(
      `record ${index}: expected the CRC of its content in this cluster, got another`,
    );
  }
  const type = ENTRY_TYPES[view.getUint8(at + 32)];
  if (type === undefined) {
    throw new DecodeError(`record ${index}: expected a known type, got another`);
  }
  const payload = viewWithin(bytes, at + RECORD_HEADER_BYTES, end);
  const entry: Entry = {
    index,
    term: takeSafeInteger(view, at + 16, 'record.term'),
    prevTerm: takeSafeInteger(view, at + 24, 'record.prevTerm'),
    type,
    payload,
    config: type === 'config' ? decodeConfig(payload) : null,
    record: bytes,
  };
  if (type !== 'command') checkNoop(entry);
  if (entry.prevTerm > entry.term) {
    throw new DecodeError(
      `record ${index}: expected a term from ${entry.prevTerm}, got ${entry.term}`,
    );
  }
  return entry;
}

function checkNoop({ index, type, payload }: Entry): void {
  if (type !== 'noop' || payload.length === 0) return;
  throw new DecodeError(
    `record ${index}: expected no payload in a no-op, got ${payload.length} bytes`,
  );
}

// Not subarray: that of a Buffer is a Buffer.
function viewWithin(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
}

function checkChain(previous: Entry, entry: Entry): void {
  if (entry.index !== previous.index + 1) {
    throw new DecodeError(`expected record ${previous.index + 1}, got record ${entry.index}`);
  }
  if (entry.prevTerm !== previous.term) {
    throw new DecodeError(
      `record ${entry.index}: expected prevTerm ${previous.term}, got ${entry.prevTerm}`,
    );
  }
}
