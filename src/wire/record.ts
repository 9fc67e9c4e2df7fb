// One entry of the log as bytes: the same in the Append frame and on disk (DESIGN.md §4.3). The
// leader encodes once; whoever receives or reads it back checks it and keeps those very bytes.
//
//   0  u32  CRC-32C of all that follows, seeded with the cluster's id
//   4  u32  length of the whole record in bytes
//   8  u64  index         16  u64  term         24  u64  prevTerm         (little-endian)
//  32  u8   type          33  payload

import { assert } from '../base/assert.ts';
import { crc32c } from '../base/hash.ts';
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

/** The record of an entry, made on the first call and kept in `entry.record`. */
export function encodeRecord(entry: Entry, seed: number): Uint8Array {
  if (entry.record !== null) return entry.record;
  const isSafe = Number.isSafeInteger(entry.index) && Number.isSafeInteger(entry.term);
  assert(isSafe, 'an entry has an index and a term below 2^53');
  const record = new Uint8Array(RECORD_HEADER_BYTES + entry.payload.length);
  const view = viewOf(record);
  view.setUint32(4, record.length, true);
  putSafeInteger(view, 8, entry.index);
  putSafeInteger(view, 16, entry.term);
  putSafeInteger(view, 24, entry.prevTerm);
  view.setUint8(32, ENTRY_TYPES.indexOf(entry.type));
  record.set(entry.payload, RECORD_HEADER_BYTES);
  view.setUint32(0, crc32c(record.subarray(4), seed), true);
  entry.record = record;
  return record;
}

/** The records of these entries, one after the other. That of a single one is not copied. */
export function joinRecords(entries: readonly Entry[], seed: number): Uint8Array {
  const only = entries[0];
  if (only !== undefined && entries.length === 1) return encodeRecord(only, seed);
  const records = entries.map((entry) => encodeRecord(entry, seed));
  const joined = new Uint8Array(records.reduce((sum, record) => sum + record.length, 0));
  let at = 0;
  for (const record of records) {
    joined.set(record, at);
    at += record.length;
  }
  return joined;
}

/**
 * The entries of joined records; payloads and records are views. Throws DecodeError unless every
 * length and CRC is right, indices are contiguous, and each prevTerm is the term before.
 */
export function decodeRecords(bytes: Uint8Array, seed: number): Entry[] {
  const entries: Entry[] = [];
  let previous: Entry | null = null;
  for (let at = 0; at < bytes.length;) {
    const entry: Entry = decodeRecord(cutRecord(bytes, at), seed);
    if (previous !== null) checkChain(previous, entry);
    entries.push(entry);
    previous = entry;
    at += entry.record?.length ?? 0;
  }
  return entries;
}

function cutRecord(bytes: Uint8Array, at: number): Uint8Array {
  const left = bytes.length - at;
  if (left < RECORD_HEADER_BYTES) {
    throw new DecodeError(`record at byte ${at}: expected a header, got ${left} bytes`);
  }
  const length = viewOf(bytes).getUint32(at + 4, true);
  if (length < RECORD_HEADER_BYTES || length > left) {
    const range = `from ${RECORD_HEADER_BYTES} to ${left}`;
    throw new DecodeError(`record at byte ${at}: expected a length ${range}, got ${length}`);
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset + at, length);
}

function decodeRecord(record: Uint8Array, seed: number): Entry {
  const view = viewOf(record);
  const index = takeSafeInteger(view, 8, 'record.index');
  const what = `record ${index}`;
  if (crc32c(record.subarray(4), seed) !== view.getUint32(0, true)) {
    throw new DecodeError(`${what}: expected the CRC of its content in this cluster, got another`);
  }
  const type = ENTRY_TYPES[view.getUint8(32)];
  if (type === undefined) throw new DecodeError(`${what}: expected a known type, got another`);
  const payload = record.subarray(RECORD_HEADER_BYTES);
  const entry: Entry = {
    index,
    term: takeSafeInteger(view, 16, `${what}.term`),
    prevTerm: takeSafeInteger(view, 24, `${what}.prevTerm`),
    type,
    payload,
    config: type === 'config' ? decodeConfig(payload) : null,
    record,
  };
  if (type === 'noop' && payload.length > 0) {
    throw new DecodeError(`${what}: expected no payload in a no-op, got ${payload.length} bytes`);
  }
  if (entry.prevTerm > entry.term) {
    throw new DecodeError(`${what}: expected a term from ${entry.prevTerm}, got ${entry.term}`);
  }
  return entry;
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
