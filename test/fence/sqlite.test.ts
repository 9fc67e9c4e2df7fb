import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, describe, expect, test } from 'vitest';
import { sqliteFence } from '../../src/fence.ts';
import { runFenceTable } from './conformance.ts';
import { runSideDoors } from './side-door.ts';

/** A connection with what protected tables want. */
function opened(path: string): Database.Database {
  const database = new Database(path);
  database.exec('PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON');
  return database;
}

describe('SQLite', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-sqlite-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  runFenceTable('sqliteFence', async () => {
    const path = join(dir, `${crypto.randomUUID()}.db`);
    let database = opened(path);
    let fence = sqliteFence(database);
    database.exec('CREATE TABLE things (id TEXT PRIMARY KEY, value TEXT)');
    fence.setUp();
    fence.protect('things', '{id}');
    const put = (id: string, value: string): void => {
      const text =
        'INSERT INTO things VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value';
      database.prepare(text).run(id, value);
    };
    return {
      write: async (resource, claim, value) =>
        fence.write(resource, claim, () => put(resource, value)),
      writeThenFail: async (resource, claim, value) =>
        fence.write(resource, claim, () => {
          put(resource, value);
          throw new Error('given up');
        }),
      read: async (resource) => {
        const row: unknown = database
          .prepare('SELECT value FROM things WHERE id = ?')
          .get(resource);
        return typeof row === 'object' && row !== null && 'value' in row ? String(row.value) : null;
      },
      seen: async (...what) => fence.seen(...what),
      setUp: async () => fence.setUp(),
      restart: async () => {
        database.close();
        database = opened(path);
        fence = sqliteFence(database);
      },
      close: async () => {
        database.close();
      },
    };
  });

  runSideDoors('SQLite', async () => {
    const database = opened(':memory:');
    const fence = sqliteFence(database);
    database.exec('CREATE TABLE things (id TEXT PRIMARY KEY, value TEXT)');
    database.exec("INSERT INTO things VALUES ('a', '1'), ('b', '1')");
    fence.setUp();
    return {
      ask: async (sql) => {
        database.exec(sql);
      },
      things: async () => {
        const text = `SELECT group_concat(each, ' ') AS things
          FROM (SELECT id || '=' || value AS each FROM things ORDER BY id)`;
        return String(valueOf(database.prepare(text).get(), 'things'));
      },
      present: async (...what) => fence.present(...what),
      commit: async () => {
        fence.withdraw();
        database.exec('COMMIT');
      },
      protect: async (...what) => fence.protect(...what),
      unprotect: async (table) => fence.unprotect(table),
      close: async () => {
        database.close();
      },
    };
  });

  /** A database with a protected table, and the guard of one connection of it. */
  function shop(path = ':memory:') {
    const database = opened(path);
    const fence = sqliteFence(database);
    fence.setUp();
    database.exec('CREATE TABLE things (id TEXT PRIMARY KEY, value TEXT)');
    database.exec("INSERT INTO things VALUES ('a', '1')");
    fence.protect('things', '{id}');
    return { database, fence };
  }
  const write = "UPDATE things SET value = '2' WHERE id = 'a'";

  test('a transaction that did not withdraw does not commit, so nothing is left over', () => {
    const { database, fence } = shop();
    database.exec('BEGIN IMMEDIATE');
    fence.present('a', { token: 5 });
    database.exec(write);
    expect(() => database.exec('COMMIT')).toThrow('FOREIGN KEY constraint failed');
    fence.withdraw();
    expect(() => database.exec(write)).toThrow('NOT_PRESENTED');
    database.exec('COMMIT');
    expect(database.prepare('SELECT * FROM holdfast_presented').all()).toEqual([]);
    expect(fence.seen('a')).toEqual({ maxExclusive: 5, maxShared: 0 });
    database.close();
  });

  test('where foreign keys are not checked, nothing protected can be opened', () => {
    const { database, fence } = shop();
    database.exec('PRAGMA foreign_keys = OFF');
    expect(() => fence.write('a', { token: 5 }, () => database.exec(write))).toThrow(
      /INVALID.*PRAGMA foreign_keys = ON/,
    );
    database.exec('BEGIN');
    expect(() => fence.present('a', { token: 5 })).toThrow(/INVALID.*PRAGMA foreign_keys = ON/);
    database.exec('COMMIT');
    expect(fence.seen('a')).toEqual({ maxExclusive: 0, maxShared: 0 });
    database.exec('PRAGMA foreign_keys = ON');
    fence.write('a', { token: 5 }, () => database.exec(write));
    database.close();
  });

  test('another connection of the file is refused too, also while one has presented', () => {
    const path = join(dir, 'two.db');
    const { database, fence } = shop(path);
    database.exec('PRAGMA journal_mode = WAL');
    const other = new Database(path);
    expect(() => other.exec(write)).toThrow('NOT_PRESENTED');
    fence.write('a', { token: 5 }, () => database.exec(write));
    expect(() => other.exec(write)).toThrow('NOT_PRESENTED');
    other.close();
    database.close();
  });

  test('cascades, and the conflict clauses of statements, do not get round it', () => {
    const { database, fence } = shop();
    database.exec(`CREATE TABLE owners (id TEXT PRIMARY KEY);
      INSERT INTO owners VALUES ('o');
      CREATE TABLE parts (id TEXT PRIMARY KEY,
        owner TEXT REFERENCES owners (id) ON DELETE CASCADE ON UPDATE CASCADE);
      INSERT INTO parts VALUES ('p', 'o');`);
    fence.protect('parts', '{id}');
    for (const sql of [
      'DELETE FROM owners',
      "UPDATE owners SET id = 'x'",
      "INSERT OR IGNORE INTO things VALUES ('b', '1')",
      "INSERT OR REPLACE INTO things VALUES ('a', '1')",
      "UPDATE OR IGNORE things SET value = '3'",
      "UPDATE OR REPLACE things SET id = 'b'",
    ]) {
      expect(() => database.exec(sql), sql).toThrow('NOT_PRESENTED');
    }
    expect(database.prepare('SELECT count(*) AS n FROM parts').all()).toMatchObject([{ n: 1 }]);
    database.close();
  });

  test('rows that REPLACE takes away are seen, by whatever key they stand in the way', () => {
    const { database, fence } = shop();
    database.exec('CREATE UNIQUE INDEX by_value ON things (value)');
    const writes = [
      "INSERT OR REPLACE INTO things VALUES ('b', '1')",
      "INSERT OR REPLACE INTO things (rowid, id, value) VALUES (1, 'b', 'x')",
    ];
    for (const sql of writes) {
      const replace = (): unknown => fence.write('b', { token: 5 }, () => database.exec(sql));
      expect(replace, sql).toThrow('NOT_PRESENTED');
      database.exec('PRAGMA recursive_triggers = OFF');
      expect(replace, sql).toThrow(/INVALID.*PRAGMA recursive_triggers = ON/);
      database.exec('PRAGMA recursive_triggers = ON');
    }
    expect(database.prepare('SELECT id FROM things').all()).toMatchObject([{ id: 'a' }]);
    database.close();
  });

  test('a program in another language opens nothing on a connection without the settings', () => {
    const { database } = shop();
    const open = "INSERT INTO holdfast_presented (resource) VALUES ('a')";
    for (const setting of ['foreign_keys', 'recursive_triggers']) {
      database.exec(`PRAGMA ${setting} = OFF`);
      expect(() => database.exec(open), setting).toThrow('NOT_GUARDED');
      database.exec(`PRAGMA ${setting} = ON`);
    }
    database.close();
  });

  test('a table that was renamed keeps its triggers, and a new one of its name has its own', () => {
    const { database, fence } = shop();
    database.exec('ALTER TABLE things RENAME TO old_things');
    database.exec('CREATE TABLE things (id TEXT PRIMARY KEY, value TEXT)');
    expect(() => fence.protect('things', '{id}')).toThrow(/INVALID.*old_things had its name once/);
    fence.unprotect('things');
    expect(() => database.exec("UPDATE old_things SET value = '2'")).toThrow('NOT_PRESENTED');
    fence.unprotect('old_things');
    database.exec("UPDATE old_things SET value = '2'");
    fence.protect('things', '{id}');
    database.close();
  });

  test('work must be done when it returns; an error of it takes everything back', () => {
    const { database, fence } = shop();
    const later = (): unknown => fence.write('a', { token: 5 }, async () => database.exec(write));
    expect(later).toThrow(/INVALID.*work returned a promise/);
    expect(fence.seen('a')).toEqual({ maxExclusive: 0, maxShared: 0 });
    expect(fence.write('a', { token: 5 }, (own) => own.prepare(write).run().changes)).toBe(1);
    const untyped: { make(database: unknown): unknown } = { make: sqliteFence };
    for (const wrong of [null, {}, { exec: () => undefined }]) {
      expect(() => untyped.make(wrong)).toThrow(/INVALID.*exec and prepare/);
    }
    database.close();
  });
});

function valueOf(row: unknown, column: string): unknown {
  return typeof row === 'object' && row !== null
    ? Object.entries(row).find(([name]) => name === column)?.[1]
    : undefined;
}
