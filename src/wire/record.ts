// One entry of the log as bytes: the same in the Append frame and on disk (DESIGN.md §4.3). The
// leader encodes once; whoever receives or reads it back checks it and keeps those very bytes.
//
//   0  u32  CRC-32C of all that follows, seeded with the cluster's id
//   4  u32  length of the whole record in bytes
//   8  u64  index         16  u64  term         24  u64  prevTerm         (little-endian)
//  32  u8   type          33  payload

import { assert } from '../base/assert.ts';
import { crc32c, crc32cOf } from '../base/hash.ts';
import type { Entry, EntryType } from '../raft/entry.ts';
import { putSafeInteger, takeSafeInteger, viewOf } from './binary.ts';
import { decodeConfig } from './config.ts';
import { DecodeError } from './decode-error.ts';

/** Bytes of a record beside its payload. */
export const RECORD_HEADER_BYTES = 33;

const ENTRY_TYPES = ['noop', 'config', 'command'] as const satisfies readonly EntryType[];

/** What makes a record of one cluster fail its check in another. */
export function clusterSeed(clusterId: string): number {
  return crc32c(new TextEncoder().encode(clusterId));
}

/**
 * The records of these entries, one after the other. They are made once and kept in
 * `entry.record`, as views of the whole: a batch costs one piece of memory, and joining it again,
 * for the next peer or for the disk, costs none.
 */
export function joinRecords(entries: readonly Entry[], seed: number): Uint8Array {
  const joined = adjacentRecords(entries);
  if (joined !== null) return joined;
  let length = 0;
  for (const entry of entries) length += recordBytes(entry);
  const bytes = new Uint8Array(length);
  const view = viewOf(bytes);
  let at = 0;
  for (const entry of entries) {
    if (entry.record === null) writeRecord({ bytes, view, at }, entry, seed);
    else bytes.set(entry.record, at);
    at += recordBytes(entry);
  }
  return bytes;
}

function recordBytes(entry: Entry): number {
  return RECORD_HEADER_BYTES + entry.payload.length;
}

/** Where a record is written. */
interface Place {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly at: number;
}

function writeRecord({ bytes, view, at }: Place, entry: Entry, seed: number): void {
  const isSafe = Number.isSafeInteger(entry.index) && Number.isSafeInteger(entry.term);
  assert(isSafe, 'an entry has an index and a term below 2^53');
  const end = at + recordBytes(entry);
  view.setUint32(at + 4, end - at, true);
  putSafeInteger(view, at + 8, entry.index);
  putSafeInteger(view, at + 16, entry.term);
  putSafeInteger(view, at + 24, entry.prevTerm);
  view.setUint8(at + 32, ENTRY_TYPES.indexOf(entry.type));
  bytes.set(entry.payload, at + RECORD_HEADER_BYTES);
  view.setUint32(at, crc32cOf(bytes, at + 4, end, seed), true);
  entry.record = viewWithin(bytes, at, end);
}

/** The memory of all records, if they lie there one after the other; else null. */
function adjacentRecords(entries: readonly Entry[]): Uint8Array | null {
  const first = entries[0]?.record;
  if (first === undefined || first === null) return null;
  let end = first.byteOffset;
  for (const { record } of entries) {
    const follows = record?.buffer === first.buffer && record.byteOffset === end;
    if (!follows) return null;
    end += record.length;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}

/**
 * The entries of joined records; payloads and records are views. Throws DecodeError unless every
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
  const length = view.getUint32(at + 4, true);
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
    record: viewWithin(bytes, at, end),
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
