// The hard state as it lies in a slot file: CRC-32C (u32, little-endian) of what follows, then a
// positional array. A newer format may add fields behind these, but keeps these: an older program
// must be able to say "too new" instead of "damaged" (RAFT.md §15.3).

import { crc32c } from '../base/hash.ts';
import { viewOf } from './binary.ts';
import { DecodeError } from './decode-error.ts';
import { pack, unpack } from './msgpack.ts';
import { Reader } from './reader.ts';
import type { SlotRecord } from './slot-record.ts';

/**
 * The format of directories that this program writes. 2: the store has a meta row, and rows of the
 * state machine. A directory of format 1 is read, and upgraded by the start.
 */
export const SLOT_FORMAT_VERSION = 2;

const CRC_BYTES = 4;

/** The whole content of a slot file. */
export function encodeSlot(record: SlotRecord): Uint8Array {
  const { vote, durableFloor } = record;
  const content = pack([
    record.formatVersion,
    record.version,
    record.clusterId,
    record.nodeId,
    record.storeId,
    record.bootCount,
    record.term,
    vote === null ? null : [vote.nodeId, vote.storeId],
    [durableFloor.index, durableFloor.term],
    record.fsyncFailed,
  ]);
  const bytes = new Uint8Array(CRC_BYTES + content.length);
  bytes.set(content, CRC_BYTES);
  viewOf(bytes).setUint32(0, crc32c(content), true);
  return bytes;
}

/** Throws DecodeError for a torn or damaged file. The caller judges `formatVersion`. */
export function decodeSlot(bytes: Uint8Array): SlotRecord {
  const content = bytes.subarray(CRC_BYTES);
  if (bytes.length < CRC_BYTES || crc32c(content) !== viewOf(bytes).getUint32(0, true)) {
    throw new DecodeError(`slot: expected the CRC of its ${content.length} bytes, got another`);
  }
  const read = new Reader(unpack(content), 'slot');
  const formatVersion = read.integer('formatVersion', 1);
  const record: SlotRecord = {
    formatVersion,
    version: read.integer('version'),
    clusterId: read.textOrNull('clusterId'),
    nodeId: read.text('nodeId'),
    storeId: read.text('storeId'),
    bootCount: read.integer('bootCount'),
    term: read.integer('term'),
    vote: read.nullable('vote', readVote),
    durableFloor: readFloor(read.any('durableFloor'), 'slot.durableFloor'),
    fsyncFailed: read.flag('fsyncFailed'),
  };
  return formatVersion > SLOT_FORMAT_VERSION ? record : read.done(record);
}

function readVote(value: unknown, what: string): { nodeId: string; storeId: string } {
  const read = new Reader(value, what);
  return read.done({ nodeId: read.text('nodeId'), storeId: read.text('storeId') });
}

function readFloor(value: unknown, what: string): { index: number; term: number } {
  const read = new Reader(value, what);
  return read.done({ index: read.integer('index'), term: read.integer('term') });
}
