// A store in SQLite: one file, every worker with a connection of its own, and a table to which
// accepted writes are added, in the order of their numbers.

import { join } from 'node:path';
import Database from 'libsql';

/** The others wait for a process that is stopped in the middle of a transaction. */
const BUSY_MS = 30_000;

export const BREAK = {
  file: 'fence/rule.js',
  from: 'token >= maxExclusive && token > maxShared',
  to: 'true',
};

export async function open({ dir, fence }) {
  const path = join(dir, 'race.db');
  const database = new Database(path, { timeout: BUSY_MS });
  database.exec('PRAGMA journal_mode = WAL');
  fence.sqliteFence(database).setUp();
  database.exec(
    'CREATE TABLE log (at INTEGER PRIMARY KEY, resource TEXT, token INTEGER, value TEXT)',
  );
  const all = database.prepare('SELECT resource, token, value FROM log ORDER BY at');
  return {
    settings: { path },
    audit: async () => all.all(),
    close: async () => database.close(),
  };
}

export async function connect({ path }, { sqliteFence }) {
  const database = new Database(path, { timeout: BUSY_MS });
  const fence = sqliteFence(database);
  const insert = database.prepare('INSERT INTO log (resource, token, value) VALUES (?, ?, ?)');
  const write = (resource, { token }, value) => insert.run(resource, token, value);
  return {
    bareWrite: async (...all) => write(...all),
    guardedWrite: async (...all) => fence.write(all[0], all[1], () => write(...all)),
    close: async () => database.close(),
  };
}
