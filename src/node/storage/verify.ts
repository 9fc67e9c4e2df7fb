// The conditions of a start (RAFT.md §15.3). All must hold; the first that does not is the answer,
// with an exit code of its own, and nothing is written. Pure: rows and records in, verdict out.

import { probes } from '../../base/probe.ts';
import type { NodeId, StoreId } from '../../base/units.ts';
import type { KeyValuePair } from '../../ports/storage.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { decodeFounding } from '../../wire/founding.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';
import { SLOT_FORMAT_VERSION } from '../../wire/slots.ts';
import * as exits from './exits.ts';
import { newestRecord } from './hard-state.ts';
import type { SlotFound } from './hard-state.ts';
import { foundingCheckpoint } from './founding.ts';
import { decodeAnchor, decodeMeta, decodeStoreId, decodeTail, ROW, unsealRow } from './layout.ts';
import type { EntryId } from '../../raft/events.ts';
import type { MetaRow, TailRow } from './layout.ts';
import type { LogIndex } from './log-index.ts';
import type { StorageExit, StorageResult } from './types.ts';

/** The single rows of the log store, as found. */
export type Rows = ReadonlyMap<string, Uint8Array>;

/** The rows of a founded store. */
export interface FoundedRows {
  readonly founding: FoundingRecord;
  readonly anchor: EntryId;
  readonly tail: TailRow;
  readonly meta: MetaRow;
}

/** From this format on a founded store has a meta row; before, the state was read from the log. */
const META_FORMAT_VERSION = 2;

/** Rows by key. */
export function rowsOf(pairs: readonly KeyValuePair[]): Rows {
  return new Map(pairs.map((pair) => [pair.key, pair.value]));
}

/** True when neither slot exists: a directory that is yet to be made. */
export function isUnborn(found: readonly SlotFound[]): boolean {
  return found.every((slot) => slot.state === 'missing');
}

/** Picks the hard state, or refuses: 80, 82, 85, 86. `rows` may still be those of a blank store. */
export function verifySlots(
  found: readonly [SlotFound, SlotFound],
  nodeId: NodeId,
  rows: Rows,
): StorageResult<SlotRecord> {
  const record = newestRecord(found);
  probes.sometimes(
    'slots-of-two-versions',
    found.some((slot) => isOlder(slot, record)),
  );
  if (record === null) return exits.refuse(exits.hardStateDamaged(describeSlots(found)));
  const problem =
    versionProblem(found) ??
    (isMissingAllowed(found, record, rows)
      ? null
      : exits.hardStateDamaged(
          `${describeSlots(found)} Only a node that was just made may lack one.`,
        )) ??
    (record.nodeId === nodeId
      ? null
      : exits.otherIdentity(
          `The directory is that of node "${record.nodeId}", but this is node "${nodeId}".`,
        )) ??
    (isMarked(found) ? exits.writeFailedBefore() : null);
  return problem === null ? { ok: true, value: record } : exits.refuse(problem);
}

/** The storeId that the store was made with, or 83. */
export function readStoreId(rows: Rows): StorageResult<StoreId> {
  return readRow(rows, ROW.store, decodeStoreId);
}

/** The storeId of the store must be that of the slots: 80 if another, 83 if unreadable. */
export function verifyStoreId(rows: Rows, record: SlotRecord): StorageExit | null {
  const storeId = readStoreId(rows);
  if (!storeId.ok) return storeId.exit;
  if (storeId.value === record.storeId) return null;
  return exits.otherIdentity(
    `The log store (${storeId.value}) and the hard state (${record.storeId}) come from different ` +
      'directories.',
  );
}

/** 80 when the directory is that of a cluster with another name than the configured one. */
export function verifyName(founding: FoundingRecord, name: string | undefined): StorageExit | null {
  if (name === undefined || founding.clusterName === name) return null;
  return exits.otherIdentity(
    `The directory is one of cluster "${founding.clusterName}", but this cluster is "${name}".`,
  );
}

/** Reads the rows of a founded store; refuses with 80 or 83. */
export function verifyRows(rows: Rows, record: SlotRecord): StorageResult<FoundedRows> {
  const founding = readRow(rows, ROW.founding, (row) =>
    decodeFounding(unsealRow(ROW.founding, row)),
  );
  if (!founding.ok) return founding;
  const anchor = readRow(rows, ROW.anchor, decodeAnchor);
  if (!anchor.ok) return anchor;
  const tail = readRow(rows, ROW.tail, decodeTail);
  if (!tail.ok) return tail;
  if (founding.value.clusterId !== record.clusterId || tail.value.storeId !== record.storeId) {
    return exits.refuse(
      exits.otherIdentity(
        'The log store and the hard state belong to different clusters or stores.',
      ),
    );
  }
  const meta = readMeta(rows, record, founding.value);
  if (!meta.ok) return meta;
  const { last } = meta.value.checkpoint.point;
  if (tail.value.applied !== last.index) {
    return exits.refuse(
      exits.logDamaged(
        `its last batch knew a checkpoint at entry ${tail.value.applied}, but the stored one is ` +
          `at ${describeEntry(last)}.`,
      ),
    );
  }
  return {
    ok: true,
    value: { founding: founding.value, anchor: anchor.value, tail: tail.value, meta: meta.value },
  };
}

function readMeta(
  rows: Rows,
  record: SlotRecord,
  founding: FoundingRecord,
): StorageResult<MetaRow> {
  if (record.formatVersion >= META_FORMAT_VERSION || rows.has(ROW.meta)) {
    return readRow(rows, ROW.meta, decodeMeta);
  }
  return { ok: true, value: { generation: 0, checkpoint: foundingCheckpoint(founding) } };
}

/** The checkpoint against the log: it must be of an entry that is there. */
export function verifyCheckpoint(index: LogIndex, { checkpoint }: MetaRow): StorageExit | null {
  const { last, configIndex } = checkpoint.point;
  if (index.termAt(last.index) === last.term && configIndex <= last.index) return null;
  return exits.logDamaged(
    `the checkpoint is at ${describeEntry(last)}, but the log reaches from ` +
      `${describeEntry(index.anchor)} to ${describeEntry(index.lastEntry)}.`,
  );
}

/** The scanned log against the witnesses: the tail row, the durable floor, the current term. */
export function verifyLog(index: LogIndex, tail: TailRow, record: SlotRecord): StorageExit | null {
  const end = index.lastEntry;
  if (end.index !== tail.lastIndex || end.term !== tail.lastTerm) {
    return exits.logDamaged(
      `it ends with ${describeEntry(end)}, but its last batch ended with ` +
        `${describeEntry({ index: tail.lastIndex, term: tail.lastTerm })}.`,
    );
  }
  const floor = record.durableFloor;
  const isFloorMet = floor.index < index.anchor.index || index.termAt(floor.index) === floor.term;
  if (!isFloorMet) {
    return exits.logTooShort(
      `${describeEntry(floor)} was known to be on disk, ` +
        `but the log ends with ${describeEntry(end)}.`,
    );
  }
  if (end.term > record.term) {
    return exits.hardStateDamaged(
      `the log has ${describeEntry(end)}, but the current term is ${record.term}.`,
    );
  }
  return null;
}

function readRow<T>(rows: Rows, key: string, decode: (row: Uint8Array) => T): StorageResult<T> {
  const row = rows.get(key);
  if (row === undefined) return exits.refuse(exits.logDamaged(`the row ${key} is missing.`));
  try {
    return { ok: true, value: decode(row) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return exits.refuse(exits.logDamaged(`in the row ${key}: ${error.message}.`));
  }
}

function versionProblem(found: readonly SlotFound[]): StorageExit | null {
  for (const slot of found) {
    if (slot.state === 'valid' && slot.record.formatVersion > SLOT_FORMAT_VERSION) {
      return exits.formatTooNew(slot.record.formatVersion, SLOT_FORMAT_VERSION);
    }
  }
  return null;
}

// A crash between the making of the two slots leaves one; nobody has voted with it yet.
function isMissingAllowed(found: readonly SlotFound[], record: SlotRecord, rows: Rows): boolean {
  if (found.every((slot) => slot.state !== 'missing')) return true;
  return record.clusterId === null && record.term === 0 && !rows.has(ROW.tail);
}

function isMarked(found: readonly SlotFound[]): boolean {
  return found.some((slot) => slot.state === 'valid' && slot.record.fsyncFailed);
}

function describeSlots(found: readonly SlotFound[]): string {
  const [first, second] = found.map((slot) =>
    slot.state === 'damaged' ? `damaged (${slot.message})` : slot.state,
  );
  return `its first slot is ${first}, its second ${second}.`;
}

function describeEntry(entry: EntryId): string {
  return `entry ${entry.index} of term ${entry.term}`;
}

function isOlder(slot: SlotFound, newest: SlotRecord | null): boolean {
  return slot.state === 'valid' && slot.record.version < (newest?.version ?? 0);
}
