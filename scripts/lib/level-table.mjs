// LevelDB's table files (.ldb): blocks of pairs in key order, an index block that tells where they
// are, and at the end a footer that tells where the index is. Each block is followed by one byte
// for its compression and a checksum over both. Compressed blocks are not read: ours are plain.

import { Cursor, FormatError, maskedCrc, textOf } from './level-bytes.mjs';

const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
const TRAILER_BYTES = 5;
/** Behind each key: its sequence number, shifted over one byte that says put or delete. */
const KEY_SUFFIX_BYTES = 8;

/**
 * All pairs: {key, sequence, isDeletion, value, valueAt}; where the index block is, {at, length};
 * and what is wrong.
 */
export function readTable(bytes) {
  const table = { entries: [], index: null, problems: [] };
  const ends = attempt(table, { at: bytes.length, length: 0 }, () => readFooter(bytes));
  if (ends === null) return table;
  table.index = ends.index;
  for (const handle of handlesIn(table, bytes, ends.properties)) {
    attempt(table, handle, () => cutBlock(bytes, handle));
  }
  for (const handle of handlesIn(table, bytes, ends.index)) readDataBlock(table, bytes, handle);
  return table;
}

// What a block of handles leads to.
function handlesIn(table, bytes, handle) {
  const read = () => readBlock(bytes, handle).map(({ value }) => readHandle(new Cursor(value)));
  return attempt(table, handle, read) ?? [];
}

function readDataBlock(table, bytes, handle) {
  const pairs = attempt(table, handle, () => readBlock(bytes, handle));
  for (const { key, value, valueAt } of pairs ?? []) {
    table.entries.push({ ...readInternalKey(key), value, valueAt });
  }
}

function readInternalKey(bytes) {
  const split = bytes.length - KEY_SUFFIX_BYTES;
  const tag = new DataView(bytes.buffer, bytes.byteOffset + split).getBigUint64(0, true);
  const key = textOf(bytes.subarray(0, split));
  return { key, sequence: Number(tag >> 8n), isDeletion: (tag & 0xffn) === 0n };
}

// Where the blocks are that tell where the others are.
function readFooter(bytes) {
  const at = bytes.length - FOOTER_BYTES;
  if (at < 0) throw new FormatError('the file is too short for a table');
  const cursor = new Cursor(bytes, at);
  if (cursor.view.getBigUint64(bytes.length - 8, true) !== MAGIC) {
    throw new FormatError('the footer is not one of a table');
  }
  return { properties: readHandle(cursor), index: readHandle(cursor) };
}

function readHandle(cursor) {
  return { at: cursor.varint(), length: cursor.varint() };
}

// Pairs of a block. A key shares its beginning with the one before it; after the pairs comes a
// list of places where a key is whole.
function readBlock(bytes, handle) {
  const block = cutBlock(bytes, handle);
  const restarts = new Cursor(block, block.length - 4).u32();
  const cursor = new Cursor(block.subarray(0, block.length - 4 - 4 * restarts));
  const pairs = [];
  let key = Buffer.alloc(0);
  while (!cursor.isAtEnd) {
    const [shared, own, valueLength] = [cursor.varint(), cursor.varint(), cursor.varint()];
    key = Buffer.concat([key.subarray(0, shared), cursor.take(own)]);
    const value = cursor.take(valueLength);
    pairs.push({ key, value, valueAt: handle.at + cursor.at - valueLength });
  }
  return pairs;
}

function cutBlock(bytes, { at, length }) {
  const whole = new Cursor(bytes, at).take(length + TRAILER_BYTES);
  const trailer = new Cursor(whole, length);
  const compression = trailer.u8();
  if (maskedCrc(whole.subarray(0, length + 1)) !== trailer.u32()) {
    throw new FormatError('a wrong checksum');
  }
  if (compression !== 0) throw new FormatError('a compressed block, which is not read here');
  return whole.subarray(0, length);
}

function attempt(table, { at, length }, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    table.problems.push({ at, length, what: error.message });
    return null;
  }
}
