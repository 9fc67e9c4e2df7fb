// Damage to the log store: its write-ahead file, its tables, and the files that list them.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROW } from '../../src/node/storage/layout.ts';
import { logDirectory } from '../../src/server/data-directory.ts';
import type { Damage } from './damage.ts';
import * as harm from './harm.ts';

/** Damage to the write-ahead file. LevelDB drops what it cannot read, and says nothing. */
const AHEAD: readonly Damage[] = [
  {
    title: 'a flipped byte in an early entry of the write-ahead file',
    source: 'killed',
    harm: (place) => harm.flipValue(place, harm.chunk(place, 0.2, 'log')),
    exitCode: 83,
    says: /after entry \d+ comes entry \d+/,
  },
  {
    title: 'a flipped byte in the founding record',
    source: 'written',
    harm: (place) => harm.flipValue(place, harm.row(place, ROW.founding)),
    exitCode: 83,
    says: /the row m\/founding is missing/,
  },
  {
    title: 'a flipped byte in the last entry of the write-ahead file',
    source: 'killed',
    harm: (place) => harm.flipValue(place, harm.chunk(place, 1, 'log')),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'a write-ahead file that ends within its last entry',
    source: 'killed',
    harm: (place) => harm.cutWithin(place, harm.chunk(place, 1, 'log')),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'a write-ahead file cut in half',
    source: 'written',
    harm: (place) => harm.cut(place, 0.5),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
  {
    title: 'an empty write-ahead file',
    source: 'written',
    harm: (place) => harm.cut(place, 0),
    exitCode: 83,
    says: /the row m\/store is missing/,
  },
  {
    title: 'no write-ahead file over a table',
    source: 'restarted',
    harm: (place) => rmSync(harm.newestFile(place, 'log')),
    exitCode: 84,
    says: /was known to be on disk, but the log ends/,
  },
];

/** Damage to a table. LevelDB hands the bytes out as they are. */
const TABLES: readonly Damage[] = [
  {
    title: 'a flipped byte in an entry in a table',
    source: 'restarted',
    harm: (place) => harm.flipValue(place, harm.chunk(place, 0.5, 'table')),
    exitCode: 83,
    says: /in the chunk l\/[0-9a-f]{16}: .*CRC/,
  },
  {
    title: 'a flipped byte in the founding record in a table',
    source: 'restarted',
    harm: (place) => harm.flipValue(place, harm.row(place, ROW.founding)),
    exitCode: 83,
    says: /the row m\/founding has a wrong checksum/,
  },
  {
    title: 'a flipped byte in the anchor in a table',
    source: 'restarted',
    harm: (place) => harm.flipValue(place, harm.row(place, ROW.anchor)),
    exitCode: 83,
    says: /the row m\/anchor has a wrong checksum/,
  },
  {
    title: 'a flipped byte in the index of a table',
    source: 'restarted',
    harm: (place) => harm.flip(harm.newestFile(place, 'table'), harm.indexAt(place) + 1),
    exitCode: 83,
    says: /reading it failed: Corruption/,
  },
  {
    title: 'a batch of entries missing in a table, all checksums right',
    source: 'restarted',
    harm: (place) =>
      harm.changeStore(place, [{ type: 'del', key: harm.chunk(place, 0.5, 'table').key }]),
    exitCode: 83,
    says: /after entry \d+ comes entry \d+/,
  },
  {
    title: 'no table',
    source: 'restarted',
    harm: (place) => rmSync(harm.newestFile(place, 'table')),
    exitCode: 83,
    says: /cannot be opened.*missing files|Corruption.*missing files/,
  },
];

/** Damage to the state that a checkpoint keeps: its rows, and the row that says what they are. */
const STATE: readonly Damage[] = [
  {
    title: 'a flipped byte in a row of the state in a table',
    source: 'restarted',
    harm: (place) => harm.flipValue(place, harm.stateRow(place)),
    exitCode: 83,
    says: /state is damaged.*wrong checksum/,
  },
  {
    title: 'a flipped byte in what the checkpoint says of itself',
    source: 'restarted',
    harm: (place) => harm.flipValue(place, harm.row(place, ROW.meta)),
    exitCode: 83,
    says: /the row m\/meta has a wrong checksum/,
  },
  {
    title: 'a row of the state missing, all checksums right',
    source: 'restarted',
    harm: (place) => harm.changeStore(place, [{ type: 'del', key: harm.stateRow(place).key }]),
    exitCode: 83,
    says: /state is damaged/,
  },
  {
    title: 'a row of the state that was deleted and is back, all checksums right',
    source: 'restarted',
    harm: (place) => harm.bringBack(place),
    exitCode: 83,
    says: /state is damaged/,
  },
  {
    title: 'no checkpoint',
    source: 'restarted',
    harm: (place) => harm.changeStore(place, [{ type: 'del', key: ROW.meta }]),
    exitCode: 83,
    says: /the row m\/meta is missing/,
  },
];

/** Damage to the files that say which files count. */
const LISTS: readonly Damage[] = [
  {
    title: 'a flipped byte in the MANIFEST',
    source: 'restarted',
    harm: (place) => harm.flip(harm.newestFile(place, 'manifest'), 30),
    exitCode: 83,
    says: /Corruption: checksum mismatch/,
  },
  {
    title: 'no MANIFEST',
    source: 'restarted',
    harm: (place) => rmSync(harm.newestFile(place, 'manifest')),
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

/** Every damage to the log store that must end a start. */
export const STORE_DAMAGES: readonly Damage[] = [...AHEAD, ...TABLES, ...STATE, ...LISTS];
