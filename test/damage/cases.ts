// What can happen to a directory, and what its node must say. Each damage is done by hand to a copy
// of a directory whose whole log is known, on its own disk, to be durable.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROW } from '../../src/node/storage/layout.ts';
import { logDirectory, slotPaths } from '../../src/server/data-directory.ts';
import {
  changeSlot,
  chunk,
  cut,
  flip,
  flipValue,
  newestFile,
  replaceSlots,
  replaceStore,
  row,
} from './harm.ts';
import type { Place } from './harm.ts';

/**
 * Which directory is harmed. written: stopped in good order, all is in the write-ahead file.
 * killed: the same of another node, killed. restarted: `written` after one more life, in which the
 * node voted and took an entry; what is older than that is in a table.
 */
export type Source = 'written' | 'killed' | 'restarted';

/** The whole directories. */
export type Sources = Readonly<Record<Source, string>>;

/** What is done to a copy of which directory, and how its start must end. */
export interface Damage {
  readonly title: string;
  readonly source: Source;
  readonly harm: (place: Place, sources: Sources) => void;
  readonly exitCode: number;
  readonly says: RegExp;
  /** Other than that of the cluster. */
  readonly name?: string;
}

const REJOIN = /Do not repair or copy.*wipe the directory.*under a new node id/;
const OWN_DIRECTORY = /Start this node with its own data directory/;

/** What the operator is to do about it, by exit code. */
export const REMEDIES: Readonly<Record<number, RegExp>> = {
  80: OWN_DIRECTORY,
  82: REJOIN,
  83: REJOIN,
  84: REJOIN,
  85: REJOIN,
  86: /Start the node with the release that wrote it/,
};

/** Damage to the write-ahead file. LevelDB drops what it cannot read, and says nothing. */
const AHEAD: readonly Damage[] = [
  {
    title: 'a flipped byte in an early entry of the write-ahead file',
    source: 'killed',
    harm: (place) => flipValue(place, chunk(place, 0.2, 'log')),
    exitCode: 83,
    says: /after entry \d+ comes entry \d+/,
  },
  {
    title: 'the same after a stop in good order',
    source: 'written',
    harm: (place) => flipValue(place, chunk(place, 0.2, 'log')),
    exitCode: 83,
    says: /after entry \d+ comes entry \d+/,
  },
  {
    title: 'a flipped byte in the founding record',
    source: 'written',
    harm: (place) => flipValue(place, row(place, ROW.founding)),
    exitCode: 83,
    says: /the row m\/founding is missing/,
  },
  {
    title: 'a flipped byte in the last entry of the write-ahead file',
    source: 'killed',
    harm: (place) => flipValue(place, chunk(place, 1, 'log')),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'a write-ahead file that ends one byte early',
    source: 'killed',
    harm: (place) => cut(place, 1, 1),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'a write-ahead file cut in half',
    source: 'written',
    harm: (place) => cut(place, 0.5),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'an empty write-ahead file',
    source: 'written',
    harm: (place) => cut(place, 0),
    exitCode: 83,
    says: /the row m\/store is missing/,
  },
  {
    title: 'no write-ahead file over a table',
    source: 'restarted',
    harm: (place) => rmSync(newestFile(place, 'log')),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
];

/** Damage to a table. LevelDB hands the bytes out as they are. */
const TABLES: readonly Damage[] = [
  {
    title: 'a flipped byte in an entry in a table',
    source: 'restarted',
    harm: (place) => flipValue(place, chunk(place, 0.5, 'table')),
    exitCode: 83,
    says: /in the chunk l\/[0-9a-f]{16}: .*CRC/,
  },
  {
    title: 'a flipped byte in the founding record in a table',
    source: 'restarted',
    harm: (place) => flipValue(place, row(place, ROW.founding)),
    exitCode: 83,
    says: /the row m\/founding has a wrong checksum/,
  },
  {
    title: 'a flipped byte in the anchor in a table',
    source: 'restarted',
    harm: (place) => flipValue(place, row(place, ROW.anchor)),
    exitCode: 83,
    says: /the row m\/anchor has a wrong checksum/,
  },
  {
    title: 'a flipped byte in the index of a table',
    source: 'restarted',
    harm: (place) => flip(newestFile(place, 'table'), -60),
    exitCode: 83,
    says: /reading it failed: Corruption/,
  },
  {
    title: 'no table',
    source: 'restarted',
    harm: (place) => rmSync(newestFile(place, 'table')),
    exitCode: 83,
    says: /cannot be opened.*missing files|Corruption.*missing files/,
  },
];

/** Damage to the files that say which files count. */
const LISTS: readonly Damage[] = [
  {
    title: 'a flipped byte in the MANIFEST',
    source: 'restarted',
    harm: (place) => flip(newestFile(place, 'manifest'), 30),
    exitCode: 83,
    says: /Corruption: checksum mismatch/,
  },
  {
    title: 'no MANIFEST',
    source: 'restarted',
    harm: (place) => rmSync(newestFile(place, 'manifest')),
    exitCode: 83,
    says: /it cannot be opened/,
  },
  {
    title: 'no CURRENT',
    source: 'restarted',
    harm: (place) => rmSync(join(logDirectory(place.directory), 'CURRENT')),
    exitCode: 83,
    says: /there is no store in/,
  },
  {
    title: 'no log store at all',
    source: 'restarted',
    harm: (place) => rmSync(logDirectory(place.directory), { recursive: true }),
    exitCode: 83,
    says: /there is no store in/,
  },
];

/** Directories, or parts of them, in the wrong place or from another time. */
const MIXED: readonly Damage[] = [
  {
    title: 'the log store of another node',
    source: 'written',
    harm: (place, { killed }) => replaceStore(place, killed),
    exitCode: 80,
    says: /come from different directories/,
  },
  {
    title: 'the slot files of another node',
    source: 'written',
    harm: (place, { killed }) => replaceSlots(place, killed),
    exitCode: 80,
    says: /is that of node "n2", but this is node "n1"/,
  },
  {
    title: 'the whole directory of another node',
    source: 'written',
    harm: (place, { killed }) => {
      replaceStore(place, killed);
      replaceSlots(place, killed);
    },
    exitCode: 80,
    says: /is that of node "n2", but this is node "n1"/,
  },
  {
    title: 'the directory of a cluster with another name',
    source: 'written',
    harm: () => {},
    exitCode: 80,
    says: /is one of cluster "damaged", but this cluster is "another"/,
    name: 'another',
  },
  {
    title: 'a log store put back from an older copy',
    source: 'restarted',
    harm: (place, { written }) => replaceStore(place, written),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'slot files put back from an older copy',
    source: 'restarted',
    harm: (place, { written }) => replaceSlots(place, written),
    exitCode: 82,
    says: /the log has entry \d+ of term \d+, but the current term is/,
  },
];

/** Damage to the slot files, which hold term and vote. */
const SLOTS: readonly Damage[] = [
  {
    title: 'one slot file lost',
    source: 'killed',
    harm: ({ directory }) => rmSync(slotPaths(directory)[0]),
    exitCode: 82,
    says: /its first slot is missing, its second valid/,
  },
  {
    title: 'the other slot file lost',
    source: 'written',
    harm: ({ directory }) => rmSync(slotPaths(directory)[1]),
    exitCode: 82,
    says: /its first slot is valid, its second missing/,
  },
  {
    title: 'both slot files lost',
    source: 'written',
    harm: ({ directory }) => slotPaths(directory).forEach((path) => rmSync(path)),
    exitCode: 82,
    says: /its first slot is missing, its second missing/,
  },
  {
    title: 'a flipped byte in both slot files',
    source: 'written',
    harm: ({ directory }) => slotPaths(directory).forEach((path) => flip(path, 40)),
    exitCode: 82,
    says: /its first slot is damaged.*its second damaged/,
  },
  {
    title: 'one slot file lost, a flipped byte in the other',
    source: 'killed',
    harm: ({ directory }) => {
      rmSync(slotPaths(directory)[1]);
      flip(slotPaths(directory)[0], 40);
    },
    exitCode: 82,
    says: /its first slot is damaged.*its second missing/,
  },
  {
    title: 'the mark of a failed sync in one slot file',
    source: 'written',
    harm: ({ directory }) => changeSlot(slotPaths(directory)[1], { fsyncFailed: true }),
    exitCode: 85,
    says: /A write or sync in this directory failed earlier/,
  },
  {
    title: 'a slot file of a newer format',
    source: 'written',
    harm: ({ directory }) => changeSlot(slotPaths(directory)[0], { formatVersion: 99 }),
    exitCode: 86,
    says: /has format 99; this release knows formats up to/,
  },
];

/** Every damage that must end a start. */
export const DAMAGES: readonly Damage[] = [...AHEAD, ...TABLES, ...LISTS, ...MIXED, ...SLOTS];
