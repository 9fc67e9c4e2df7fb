// What lies in a data directory: slot files, rows of the log store, entries, state.

import * as layout from '../../src/node/storage/layout.ts';
import type { Entry } from '../../src/raft/entry.ts';
import { decodePayload, encodeBody, encodePayload } from '../../src/wire/command.ts';
import { decodeFounding, encodeFounding } from '../../src/wire/founding.ts';
import { decodeRecords, joinRecords } from '../../src/wire/record.ts';
import { decodeSlot, encodeSlot, SLOT_FORMAT_VERSION } from '../../src/wire/slots.ts';
import * as samples from '../wire/samples.ts';
import { item } from './item.ts';
import type { GoldenItem } from './item.ts';
import { stateItems } from './state-items.ts';

const { ORIGIN, SEED } = samples;
const STAMP = { ackedBelow: 2, stampMs: 1_790_000_000_000 };
const GENERATION = 7;

/** Items of the disk format. */
export function diskItems(): readonly GoldenItem[] {
  return [...slotItems(), ...rowItems(), ...logItems(), ...stateItems()];
}

function slotItems(): readonly GoldenItem[] {
  const codec = { encode: encodeSlot, decode: decodeSlot };
  const slot = { ...samples.SLOT, formatVersion: SLOT_FORMAT_VERSION };
  const blank = { ...slot, clusterId: null, term: 0, vote: null };
  return [
    item({ name: 'slot', about: 'the hard state in a slot file', value: slot, ...codec }),
    item({ name: 'slot-blank', about: 'the same of a blank node', value: blank, ...codec }),
  ];
}

function rowItems(): readonly GoldenItem[] {
  const { ROW, sealRow, unsealRow } = layout;
  const founding = {
    encode: (value: typeof samples.FOUNDING) => sealRow(ROW.founding, encodeFounding(value)),
    decode: (row: Uint8Array) => decodeFounding(unsealRow(ROW.founding, row)),
  };
  const storeId = '1'.repeat(32);
  const tail = { lastIndex: ORIGIN + 3, lastTerm: 12, applied: ORIGIN + 2, storeId };
  return [
    item({
      name: 'm/store',
      about: 'whose log store it is',
      value: storeId,
      encode: layout.encodeStoreId,
      decode: layout.decodeStoreId,
    }),
    item({
      name: 'm/founding',
      about: 'how the cluster was founded',
      value: samples.FOUNDING,
      ...founding,
    }),
    item({
      name: 'm/founding-restored',
      about: 'the same of a cluster that was restored from a backup',
      value: samples.RESTORED,
      ...founding,
    }),
    item({
      name: 'm/anchor',
      about: 'the entry after which the log begins',
      value: { index: ORIGIN, term: 0 },
      encode: layout.encodeAnchor,
      decode: layout.decodeAnchor,
    }),
    item({
      name: 'm/tail',
      about: 'where the log ends',
      value: tail,
      encode: layout.encodeTail,
      decode: layout.decodeTail,
    }),
    item({
      name: 'm/meta',
      about: 'the checkpoint in force',
      value: { generation: GENERATION, checkpoint: samples.CHECKPOINT },
      encode: layout.encodeMeta,
      decode: layout.decodeMeta,
    }),
  ];
}

function logItems(): readonly GoldenItem[] {
  return [
    item({
      name: 'l/types',
      about: 'one batch of log entries, one of each type',
      value: samples.sampleEntries().map(withoutRecord),
      encode: (entries) => joinRecords(entries.map(withoutRecord), SEED),
      decode: (bytes) => decodeRecords(bytes, SEED).map(withoutRecord),
    }),
    item({
      name: 'l/commands',
      about: 'one batch of log entries, one of each command as the lock machine gets it',
      value: Object.values(samples.BODIES).map((body) =>
        decodePayload(encodePayload(encodeBody(body), STAMP)),
      ),
      encode: () => joinRecords(commandEntries(), SEED),
      decode: (bytes) => decodeRecords(bytes, SEED).map(({ payload }) => decodePayload(payload)),
    }),
  ];
}

// An entry that has a record already would show nothing of how it is made.
function withoutRecord(entry: Entry): Entry {
  return { ...entry, record: null };
}

function commandEntries(): readonly Entry[] {
  return Object.values(samples.BODIES).map((body, at) => ({
    index: ORIGIN + 1 + at,
    term: 12,
    prevTerm: 12,
    type: 'command',
    payload: encodePayload(encodeBody(body), STAMP),
    config: null,
    record: null,
  }));
}
