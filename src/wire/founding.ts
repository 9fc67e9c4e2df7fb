import type { ReplicatedLimits } from '../locks/commands.ts';
import { memberFields, readMember } from './config.ts';
import type { FoundingRecord, RestoredFrom } from './founding-record.ts';
import { pack, unpack } from './msgpack.ts';
import { Reader } from './reader.ts';

/** The record as bytes: equal records give equal bytes, so copies can be compared. */
export function encodeFounding(record: FoundingRecord): Uint8Array {
  return pack(foundingFields(record));
}

/** Throws DecodeError. */
export function decodeFounding(bytes: Uint8Array): FoundingRecord {
  return readFounding(unpack(bytes), 'founding');
}

/** The record as a positional array, for messages that carry one. */
export function foundingFields(record: FoundingRecord): unknown[] {
  return [
    record.clusterId,
    record.clusterName,
    record.members.map(memberFields),
    limitsFields(record.limits),
    record.origin,
    record.restored === null ? null : restoredFields(record.restored),
  ];
}

/** Throws DecodeError. A record of the first format does not say what it was restored from. */
export function readFounding(value: unknown, what: string): FoundingRecord {
  const read = new Reader(value, what);
  return read.done({
    clusterId: read.text('clusterId'),
    clusterName: read.text('clusterName'),
    members: read.list('members', readMember),
    limits: readLimits(read.any('limits'), `${what}.limits`),
    origin: read.integer('origin'),
    restored: read.isAtEnd() ? null : read.nullable('restored', readRestored),
  });
}

function restoredFields({ index, term, embargoMs, rowSum }: RestoredFrom): unknown[] {
  return [index, term, embargoMs, rowSum];
}

function readRestored(value: unknown, what: string): RestoredFrom {
  const read = new Reader(value, what);
  return read.done({
    index: read.integer('index'),
    term: read.integer('term'),
    embargoMs: read.integer('embargoMs'),
    rowSum: read.text('rowSum'),
  });
}

/** Limits as a positional array. */
export function limitsFields(limits: ReplicatedLimits): unknown[] {
  return [
    limits.ttlMsMin,
    limits.ttlMsMax,
    limits.lockDelayMsMax,
    limits.windowMax,
    limits.namesPerRequestMax,
    limits.holdingsPerSessionMax,
    limits.nameBytesMax,
    limits.metaBytesMax,
    limits.permitsTotalMax,
    limits.permitsPerRequestMax,
  ];
}

/** Throws DecodeError. */
export function readLimits(value: unknown, what: string): ReplicatedLimits {
  const read = new Reader(value, what);
  return read.done({
    ttlMsMin: read.integer('ttlMsMin'),
    ttlMsMax: read.integer('ttlMsMax'),
    lockDelayMsMax: read.integer('lockDelayMsMax'),
    windowMax: read.integer('windowMax', 1),
    namesPerRequestMax: read.integer('namesPerRequestMax', 1),
    holdingsPerSessionMax: read.integer('holdingsPerSessionMax', 1),
    nameBytesMax: read.integer('nameBytesMax', 1),
    metaBytesMax: read.integer('metaBytesMax'),
    permitsTotalMax: read.integer('permitsTotalMax', 1),
    permitsPerRequestMax: read.integer('permitsPerRequestMax', 1),
  });
}
