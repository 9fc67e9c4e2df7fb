// LevelDB's log files: the write-ahead file and the MANIFEST. A file is a row of blocks of 32 KiB;
// a record lies in one piece, or in several that never cross the end of a block. Each piece has
// its checksum (4 bytes), length (2) and type (1) before it.

import { Cursor, FormatError, maskedCrc, textOf } from './level-bytes.mjs';

const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;
/** Types of pieces: nothing was written here yet, or which part of a record it is. */
const PIECE = { none: 0, full: 1, first: 2, middle: 3, last: 4 };
const OP = { delete: 0, put: 1 };

/**
 * All records that are whole: {at, payload, pieces}, and what is wrong: {at, length, what}. Unlike
 * LevelDB it reads on behind a wrong checksum, as long as lengths make sense.
 */
export function readLog(bytes) {
  const reading = { records: [], problems: [], open: null };
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    const next = left < HEADER_BYTES ? at + left : readPiece(reading, bytes, at);
    if (next === null) break;
    at = next;
  }
  if (reading.open !== null) abandon(reading, 'a record has no end');
  const { records, problems } = reading;
  return { records, problems };
}

/** The place in the file of a byte of a record's payload. */
export function placeIn(record, offset) {
  let rest = offset;
  for (const { at, length } of record.pieces) {
    if (rest < length) return at + rest;
    rest -= length;
  }
  throw new FormatError(`byte ${offset} lies outside of the record`);
}

/** What a record of a write-ahead file says: {sequence, count, ops}. */
export function readBatch(payload) {
  const cursor = new Cursor(payload);
  const sequence = cursor.u64();
  const count = cursor.u32();
  const ops = [];
  while (!cursor.isAtEnd) {
    const type = cursor.u8();
    if (type !== OP.put && type !== OP.delete) throw new FormatError(`an operation ${type}`);
    const key = textOf(cursor.string());
    const isDeletion = type === OP.delete;
    const value = isDeletion ? new Uint8Array() : cursor.string();
    const valueAt = cursor.at - value.length;
    ops.push({ key, isDeletion, value, valueAt, sequence: sequence + ops.length });
  }
  if (ops.length !== count)
    throw new FormatError(`${count} operations, but there are ${ops.length}`);
  return { sequence, count, ops };
}

// Takes the piece there; the place of the next one, or null at the end of what was written.
function readPiece(reading, bytes, at) {
  const cursor = new Cursor(bytes, at);
  const crc = cursor.u32();
  const length = cursor.u8() + cursor.u8() * 256;
  const type = cursor.u8();
  const blockEnd = at - (at % BLOCK_BYTES) + BLOCK_BYTES;
  // The rest of a block that was made room for, but not written.
  if (type === PIECE.none && length === 0 && crc === 0) return blockEnd;
  const from = at + HEADER_BYTES;
  const end = from + length;
  if (end > blockEnd) return skip(reading, { at, to: blockEnd, what: 'a length beyond its block' });
  if (end > bytes.length) {
    skip(reading, { at, to: bytes.length, what: 'a record is cut off' });
    return null;
  }
  if (maskedCrc(bytes.subarray(from - 1, end)) !== crc) {
    return skip(reading, { at, to: end, what: 'a wrong checksum' });
  }
  takePiece(reading, { type, at, from, payload: bytes.subarray(from, end) });
  return end;
}

function takePiece(reading, { type, at, from, payload }) {
  const isStart = type === PIECE.full || type === PIECE.first;
  if (isStart && reading.open !== null) abandon(reading, 'a record has no end');
  if (isStart) reading.open = { at, parts: [], pieces: [] };
  const { open } = reading;
  if (open === null) {
    reading.problems.push({ at, length: payload.length, what: 'a record has no beginning' });
    return;
  }
  open.parts.push(payload);
  open.pieces.push({ at: from, length: payload.length });
  if (type !== PIECE.full && type !== PIECE.last) return;
  const { pieces, parts } = open;
  reading.records.push({ at: open.at, pieces, payload: Buffer.concat(parts) });
  reading.open = null;
}

function skip(reading, { at, to, what }) {
  reading.problems.push({ at, length: to - at, what });
  reading.open = null;
  return to;
}

function abandon(reading, what) {
  reading.problems.push({ at: reading.open.at, length: 0, what });
  reading.open = null;
}
