// A checkpoint as it travels and as its meta row is stored: what it contains, its rows, its sum
// (RAFT.md §9). The same pieces make a transfer between nodes, a backup and a restore.

import type { EntryId, SnapshotPoint } from '../raft/events.ts';
import { copyOf } from './binary.ts';
import { decodeConfig, encodeConfig } from './config.ts';
import type { FoundingRecord } from './founding-record.ts';
import { foundingFields, readFounding } from './founding.ts';
import { pack, unpack } from './msgpack.ts';
import { Reader } from './reader.ts';

/** What a checkpoint says of itself. */
export interface Checkpoint {
  readonly point: SnapshotPoint;
  /** Sum of the hashes of all rows, as LockMachine.stateHash: 16 hex digits. */
  readonly rowSum: string;
}

/** A row as it is stored and sent. */
export interface StoredRow {
  /** The machine's own key; may contain any text. */
  readonly key: string;
  /** From wire/rows.ts. */
  readonly value: Uint8Array;
}

/** The first piece of a transfer. */
export interface SnapshotMeta {
  readonly founding: FoundingRecord;
  readonly checkpoint: Checkpoint;
}

/** The last piece of a transfer: what must have come. */
export interface SnapshotEnd {
  readonly count: number;
  readonly rowSum: string;
}

/** Content of a meta row. */
export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return pack(checkpointFields(checkpoint));
}

/** Throws DecodeError. */
export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  return readCheckpoint(unpack(bytes), 'checkpoint');
}

/** Content of the first piece. */
export function encodeSnapshotMeta(meta: SnapshotMeta): Uint8Array {
  return pack([foundingFields(meta.founding), checkpointFields(meta.checkpoint)]);
}

/** Throws DecodeError. */
export function decodeSnapshotMeta(bytes: Uint8Array): SnapshotMeta {
  const read = new Reader(unpack(bytes), 'snapshotMeta');
  return read.done({
    founding: readFounding(read.any('founding'), 'snapshotMeta.founding'),
    checkpoint: readCheckpoint(read.any('checkpoint'), 'snapshotMeta.checkpoint'),
  });
}

/** Content of a piece with rows, in key order. */
export function encodeSnapshotRows(rows: readonly StoredRow[]): Uint8Array {
  return pack(rows.map(({ key, value }) => [key, value]));
}

/** Throws DecodeError. Values are copies: they may outlive the frame. */
export function decodeSnapshotRows(bytes: Uint8Array): readonly StoredRow[] {
  const read = new Reader([unpack(bytes)], 'snapshotRows');
  return read.done(read.list('rows', readRow));
}

/** Content of the last piece. */
export function encodeSnapshotEnd(end: SnapshotEnd): Uint8Array {
  return pack([end.count, end.rowSum]);
}

/** Throws DecodeError. */
export function decodeSnapshotEnd(bytes: Uint8Array): SnapshotEnd {
  const read = new Reader(unpack(bytes), 'snapshotEnd');
  return read.done({ count: read.integer('count'), rowSum: read.text('rowSum') });
}

function checkpointFields({ point, rowSum }: Checkpoint): unknown[] {
  const { last, config, configIndex } = point;
  return [last.index, last.term, encodeConfig(config), configIndex, rowSum];
}

function readCheckpoint(value: unknown, what: string): Checkpoint {
  const read = new Reader(value, what);
  const last: EntryId = { index: read.integer('index'), term: read.integer('term') };
  const config = decodeConfig(read.bytes('config'));
  const configIndex = read.integer('configIndex');
  const point = { last, config, configIndex };
  return read.done({ point, rowSum: read.text('rowSum') });
}

function readRow(value: unknown, what: string): StoredRow {
  const read = new Reader(value, what);
  return read.done({ key: read.text('key'), value: copyOf(read.bytes('value')) });
}
