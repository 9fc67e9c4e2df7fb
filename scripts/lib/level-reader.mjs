// Reads a LevelDB directory with nothing of LevelDB and nothing of ours: which files count, which
// bytes of them hold which keys, and whether all checksums are right. Test equipment: it puts
// damage where it hurts, and shows that it is there. It never writes, and takes no lock.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Cursor, FormatError } from './level-bytes.mjs';
import { placeIn, readBatch, readLog } from './level-log.mjs';
import { readTable } from './level-table.mjs';

/**
 * The store in this directory:
 * - `files`: those that count, {name, kind: 'manifest' | 'log' | 'table', isThere}, tables
 *   with `index`, the place of the block that tells where the others are;
 * - `live`: key → {key, value, sequence, file, place}, the newest version of each key that was not
 *   deleted; `place(offset)` is where in the file that byte of the value lies;
 * - `versions`: all versions of all keys, the deleted and the overwritten ones too;
 * - `problems`: {file, at, length, what}, also of files that are missing.
 */
export function readStore(directory) {
  const store = { files: [], live: new Map(), versions: [], problems: [] };
  const version = readVersion(store, directory);
  const tables = [...version.tables].map((number) => readTableFile(store, directory, number));
  const logs = logNumbers(directory, version).map((number) =>
    readLogFile(store, directory, number),
  );
  store.versions = [...tables, ...logs].flat();
  store.live = newestOf(store.versions);
  return store;
}

/** What reading found of `before` and does not find in `after`: keys gone, values changed. */
export function lossBetween(before, after) {
  const loss = { gone: [], changed: [] };
  for (const [key, { value }] of before.live) {
    const now = after.live.get(key);
    if (now === undefined) loss.gone.push(key);
    else if (Buffer.compare(now.value, value) !== 0) loss.changed.push(key);
  }
  return loss;
}

function newestOf(versions) {
  const newest = new Map();
  for (const entry of versions) {
    const known = newest.get(entry.key);
    if (known === undefined || known.sequence < entry.sequence) newest.set(entry.key, entry);
  }
  const live = [...newest.values()].filter(({ isDeletion }) => !isDeletion);
  live.sort((left, right) => (left.key < right.key ? -1 : 1));
  return new Map(live.map((entry) => [entry.key, entry]));
}

// The files of the newest version, by adding up all changes of the MANIFEST that CURRENT names.
function readVersion(store, directory) {
  const version = { tables: new Set(), logNumber: 0, previousLogNumber: 0 };
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) {
    store.problems.push({ file: 'CURRENT', at: 0, length: 0, what: 'the file is missing' });
    return version;
  }
  const name = readFileSync(current, 'latin1').trimEnd();
  const bytes = readFile(store, directory, { name, kind: 'manifest' });
  if (bytes === null) return version;
  const log = readLog(bytes);
  note(store, name, log.problems);
  for (const { payload, at } of log.records) {
    guard(store, { file: name, at }, () => applyEdit(version, new Cursor(payload)));
  }
  return version;
}

// One record of a MANIFEST: fields, each with its tag before it.
function applyEdit(version, cursor) {
  while (!cursor.isAtEnd) {
    const field = FIELDS.get(cursor.varint());
    if (field === undefined) throw new FormatError('a field that is not known');
    field(version, cursor);
  }
}

/** What to do with a field of a MANIFEST's record, by its tag. */
const FIELDS = new Map([
  [1, (_, cursor) => void cursor.string()], // the name of the order of keys
  [2, (version, cursor) => void (version.logNumber = cursor.varint())],
  [3, (_, cursor) => void cursor.varint()], // the number of the next file
  [4, (_, cursor) => void cursor.varint()], // the last sequence number
  [5, (_, cursor) => void [cursor.varint(), cursor.string()]], // where to go on with compaction
  [6, (version, cursor) => void [cursor.varint(), version.tables.delete(cursor.varint())]],
  [7, addTable],
  [9, (version, cursor) => void (version.previousLogNumber = cursor.varint())],
]);

function addTable(version, cursor) {
  cursor.varint(); // its level
  version.tables.add(cursor.varint());
  cursor.varint(); // its size
  cursor.string(); // its smallest key
  cursor.string(); // its largest key
}

// Write-ahead files that are not in tables yet, oldest first.
function logNumbers(directory, version) {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((number) => number >= version.logNumber || number === version.previousLogNumber)
    .sort((left, right) => left - right);
}

function readTableFile(store, directory, number) {
  const names = ['ldb', 'sst'].map((ending) => fileName(number, ending));
  const name = names.find((each) => existsSync(join(directory, each))) ?? names[0];
  const bytes = readFile(store, directory, { name, kind: 'table' });
  if (bytes === null) return [];
  const table = readTable(bytes);
  store.files.at(-1).index = table.index;
  note(store, name, table.problems);
  return table.entries.map(({ valueAt, ...entry }) => ({
    ...entry,
    file: name,
    place: (offset) => valueAt + offset,
  }));
}

function readLogFile(store, directory, number) {
  const name = fileName(number, 'log');
  const log = readLog(readFile(store, directory, { name, kind: 'log' }));
  note(store, name, log.problems);
  return log.records.flatMap((record) => {
    const batch = guard(store, { file: name, at: record.at }, () => readBatch(record.payload));
    return (batch?.ops ?? []).map(({ valueAt, ...entry }) => ({
      ...entry,
      file: name,
      place: (offset) => placeIn(record, valueAt + offset),
    }));
  });
}

function readFile(store, directory, { name, kind }) {
  const path = join(directory, name);
  const isThere = existsSync(path);
  store.files.push({ name, kind, isThere });
  if (isThere) return readFileSync(path);
  note(store, name, [{ at: 0, length: 0, what: 'the file is missing' }]);
  return null;
}

function note(store, file, problems) {
  for (const problem of problems) store.problems.push({ file, ...problem });
}

function guard(store, { file, at }, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    note(store, file, [{ at, length: 0, what: error.message }]);
    return null;
  }
}

function fileName(number, ending) {
  return `${String(number).padStart(6, '0')}.${ending}`;
}
