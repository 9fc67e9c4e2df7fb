// The start of a node on its directory: find out whether there is one, take the lock, read, verify,
// and only then write the first thing, the boot count (RAFT.md §15.2, §15.3). A directory is made
// in the order log store with storeId, first slot, second slot, so that a crash in between leaves
// something that cannot be mistaken for a member that lost its memory.

import { hex32 } from '../../base/hash.ts';
import { probes } from '../../base/probe.ts';
import type { NodeId, StoreId } from '../../base/units.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Random } from '../../ports/random.ts';
import type { KeyValue, SlotFile, Stored } from '../../ports/storage.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { clusterSeed } from '../../wire/record.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';
import { SLOT_FORMAT_VERSION } from '../../wire/slots.ts';
import * as exits from './exits.ts';
import { HardState, markFailed, readSlots, writingOrder } from './hard-state.ts';
import type { SlotFound } from './hard-state.ts';
import { readGenerations } from './generations.ts';
import { CHUNK_RANGE, encodeMeta, encodeStoreId, ROW, ROW_RANGE } from './layout.ts';
import type { MetaRow } from './layout.ts';
import { scanLog } from './log-scan.ts';
import type { ScannedLog } from './log-scan.ts';
import type { StorageResult } from './types.ts';
import {
  isUnborn,
  readStoreId,
  rowsOf,
  verifyCheckpoint,
  verifyLog,
  verifyRows,
  verifyName,
  verifySlots,
  verifyStoreId,
} from './verify.ts';
import type { Rows } from './verify.ts';

/** The media of the directory, and for whom it is opened. */
export interface OpeningOptions {
  readonly keyValue: KeyValue;
  readonly slots: readonly [SlotFile, SlotFile];
  readonly nodeId: NodeId;
  readonly random: Random;
  readonly logger: Logger;
  readonly tailBytesMax: number;
  readonly clusterName?: string;
}

/** What a founded directory holds beside its hard state. */
export interface Founded {
  readonly founding: FoundingRecord;
  readonly log: ScannedLog;
  readonly meta: MetaRow;
}

/** A verified directory, with its boot counted. */
export interface Opened {
  readonly hardState: HardState;
  /** Null while blank. */
  readonly founded: Founded | null;
  /** All generations that have rows. */
  readonly generations: readonly number[];
}

/** What was verified, before the boot is counted. */
interface Verified {
  readonly record: SlotRecord;
  readonly founded: Founded | null;
}

type Done = (result: StorageResult<Opened>) => void;

/** The single rows together take far less: a few hundred bytes and the founding record. */
const ROWS_BYTES_MAX = 16 * 1024 * 1024;

/** Opens a directory, or makes one where nothing is. */
export function openDirectory(options: OpeningOptions, done: Done): void {
  const { slots, keyValue } = options;
  readSlots(slots, (before) => {
    // Slots without a store are a store that was lost: it is not made anew.
    keyValue.open(isUnborn(before), (opened) => {
      if (!opened.ok) return done(exits.refuse(exits.openFailed(opened.failure)));
      // Only now is the directory ours alone: what was read before may be out of date.
      readSlots(slots, (found) => {
        readRows(keyValue, (rows) => {
          if (!rows.ok) return done(rows);
          if (isUnborn(found) && !rows.value.has(ROW.tail)) create(options, rows.value, done);
          else verify(options, { found, rows: rows.value }, done);
        });
      });
    });
  });
}

function readRows(keyValue: KeyValue, done: (rows: StorageResult<Rows>) => void): void {
  keyValue.range(ROW_RANGE.from, ROW_RANGE.to, ROWS_BYTES_MAX, (read) => {
    if (!read.ok) done(exits.refuse(exits.readFailed(read.failure)));
    else done({ ok: true, value: rowsOf(read.value) });
  });
}

// Nothing is there but, after a crash on the way, the row with the storeId.
function create(options: OpeningOptions, rows: Rows, done: Done): void {
  const { keyValue, random } = options;
  const onStoreId = (storeId: StoreId): void => {
    const record = blankRecord(options.nodeId, storeId);
    finish(options, options.slots, { record, founded: null }, done);
  };
  refuseEntries(keyValue, 'entries are there, but neither slot.', done, () => {
    if (rows.has(ROW.store)) {
      const storeId = readStoreId(rows);
      return storeId.ok ? onStoreId(storeId.value) : done(storeId);
    }
    const storeId = mintStoreId(random);
    keyValue.batch([{ type: 'put', key: ROW.store, value: encodeStoreId(storeId) }], (result) => {
      if (!result.ok) return done(exits.refuse(exits.writeFailed(result.failure)));
      onStoreId(storeId);
    });
  });
}

function verify(
  options: OpeningOptions,
  { found, rows }: { readonly found: readonly [SlotFound, SlotFound]; readonly rows: Rows },
  done: Done,
): void {
  const verified = verifySlots(found, options.nodeId, rows);
  if (!verified.ok) return done(verified);
  const record = verified.value;
  const slots = writingOrder(options.slots, found);
  for (const slot of found) {
    if (slot.state !== 'damaged') continue;
    probes.reach('damaged-slot-rewritten');
    options.logger.warn('one slot of the hard state is damaged; it will be rewritten', {
      message: slot.message,
    });
  }
  const problem = verifyStoreId(rows, record);
  if (problem !== null) return done(exits.refuse(problem));
  if (record.clusterId === null) {
    const what = 'entries are there, but it says that the node is blank.';
    return refuseEntries(options.keyValue, what, done, () => {
      finish(options, slots, { record, founded: null }, done);
    });
  }
  const founded = verifyRows(rows, record);
  if (!founded.ok) return done(founded);
  const { founding, anchor, tail, meta } = founded.value;
  const stranger = verifyName(founding, options.clusterName);
  if (stranger !== null) return done(exits.refuse(stranger));
  const seed = clusterSeed(founding.clusterId);
  const { tailBytesMax } = options;
  scanLog(options.keyValue, { seed, anchor, tailBytesMax }, (log) => {
    if (!log.ok) return done(log);
    const { index } = log.value;
    const shortfall = verifyLog(index, tail, record) ?? verifyCheckpoint(index, meta);
    if (shortfall !== null) return done(exits.refuse(shortfall));
    finish(options, slots, { record, founded: { founding, log: log.value, meta } }, done);
  });
}

// The last thing to read; then the first writes of a start: what an older format lacks, and the
// boot count, which is durable before the first hello.
function finish(
  { keyValue }: OpeningOptions,
  slots: readonly [SlotFile, SlotFile],
  { record, founded }: Verified,
  done: Done,
): void {
  readGenerations(keyValue, (found) => {
    if (!found.ok) return done(found);
    const hardState = new HardState(slots, record);
    const opened = { hardState, founded, generations: found.value };
    const end = (result: Stored<void>): void => {
      if (result.ok) return done({ ok: true, value: opened });
      const exit = exits.writeFailed(result.failure);
      markFailed(hardState, exit, () => done(exits.refuse(exit)));
    };
    const change = { bootCount: record.bootCount + 1, formatVersion: SLOT_FORMAT_VERSION };
    if (founded === null || record.formatVersion === SLOT_FORMAT_VERSION) {
      return hardState.change(change, end);
    }
    // Before the slots say that it is there: from then on its absence is damage.
    const ops = [{ type: 'put', key: ROW.meta, value: encodeMeta(founded.meta) }] as const;
    keyValue.batch(ops, (result) => {
      if (result.ok) hardState.change(change, end);
      else end(result);
    });
  });
}

// Entries are written only by a founded node: without its hard state they prove that it was lost.
function refuseEntries(keyValue: KeyValue, what: string, done: Done, proceed: () => void): void {
  keyValue.range(CHUNK_RANGE.from, CHUNK_RANGE.to, 1, (read) => {
    if (!read.ok) return done(exits.refuse(exits.readFailed(read.failure)));
    if (read.value.length > 0) return done(exits.refuse(exits.hardStateDamaged(what)));
    proceed();
  });
}

function blankRecord(nodeId: NodeId, storeId: StoreId): SlotRecord {
  return {
    version: 0,
    formatVersion: SLOT_FORMAT_VERSION,
    clusterId: null,
    nodeId,
    storeId,
    bootCount: 0,
    term: 0,
    vote: null,
    durableFloor: { index: 0, term: 0 },
    fsyncFailed: false,
  };
}

function mintStoreId(random: Random): StoreId {
  return [0, 0, 0, 0].map(() => hex32(random.u32())).join('');
}
