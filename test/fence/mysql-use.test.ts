// How programs use the guard of MariaDB wrongly, or against each other.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mysqlFence } from '../../src/fence.ts';
import { findMariadb, startMariadb } from './services.ts';
import type { MariadbServer } from './services.ts';

const program = findMariadb();
const WRITE = "UPDATE things SET value = CONCAT(value, 'x') WHERE id = 'a'";

describe.skipIf(program === null)('MariaDB in use', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-mariadb-use-'));
  const fence = mysqlFence();
  let server: MariadbServer;
  let connection: mysql.Connection;
  const opened = (more: mysql.ConnectionOptions = {}): Promise<mysql.Connection> =>
    mysql.createConnection({ ...server.connection, database: 'shop', ...more });
  const rowsOf = async (sql: string): Promise<mysql.RowDataPacket[]> =>
    (await connection.query<mysql.RowDataPacket[]>(sql))[0];
  const value = async (): Promise<unknown> =>
    (await rowsOf("SELECT value FROM things WHERE id = 'a'"))[0]?.['value'];
  beforeAll(async () => {
    server = await startMariadb(program ?? '', dir);
    const first = await mysql.createConnection(server.connection);
    await first.query('CREATE DATABASE shop');
    await first.end();
    connection = await opened();
    await fence.setUp(connection);
  });
  afterAll(async () => {
    await server.stop();
    connection.destroy();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await connection.query('ROLLBACK');
    await connection.query('DROP TABLE IF EXISTS things, old_things');
    await connection.query('DELETE FROM holdfast_seen');
    await connection.query('CREATE TABLE things (id VARCHAR(100) PRIMARY KEY, value VARCHAR(100))');
    await connection.query("INSERT INTO things VALUES ('a', '')");
    await fence.protect(connection, 'things', '{id}');
  });

  test('a connection does one transaction at a time, and no other one is ended', async () => {
    const busy = { code: 'INVALID', outcome: 'none', details: { option: 'connection' } };
    const both = fence.write(connection, 'a', { token: 5 }, async () => {
      const inner = fence.write(connection, 'b', { token: 5 }, async () => undefined);
      await expect(inner).rejects.toMatchObject(busy);
      await connection.query(WRITE);
    });
    await both;
    await connection.beginTransaction();
    await fence.present(connection, 'a', { token: 5 });
    await connection.query(WRITE);
    for (const call of [
      () => fence.write(connection, 'a', { token: 5 }, async () => undefined),
      () => fence.setUp(connection),
      () => fence.protect(connection, 'things', '{id}'),
      () => fence.unprotect(connection, 'things'),
    ]) {
      await expect(call()).rejects.toMatchObject(busy);
    }
    await connection.rollback();
    expect(await value()).toBe('x');
  });

  test('work that ends its transaction, or swallows that the server did, is told so', async () => {
    for (const end of ['COMMIT', 'ROLLBACK', 'CREATE TABLE IF NOT EXISTS ended (id INT)']) {
      const written = fence.write(connection, 'a', { token: 5 }, () => connection.query(end));
      await expect(written, end).rejects.toMatchObject({ code: 'STORAGE', outcome: 'unknown' });
    }
    await fence.write(connection, 'a', { token: 5 }, () => connection.query(WRITE));
    expect(await value()).toBe('x');
  });

  test('a presentation does not outlive a SET that commits, or any other statement that does', async () => {
    const other = await opened();
    for (const end of [
      'SET autocommit = 1',
      'ANALYZE TABLE things',
      'FLUSH TABLES',
      "GRANT USAGE ON *.* TO somebody IDENTIFIED BY ''",
      'COMMIT',
    ]) {
      await other.query('SET autocommit = 0');
      await fence.present(other, 'a', { token: 5 });
      await other.query(WRITE);
      await other.query(end);
      await other.query('SET autocommit = 0');
      await expect(other.query(WRITE), end).rejects.toThrow('NOT_PRESENTED');
      await other.query('ROLLBACK');
    }
    await other.end();
  });

  test('it opens a fresh connection on which transactions begin by themselves', async () => {
    const other = await opened();
    await other.query('SET autocommit = 0');
    await fence.present(other, 'a', { token: 5 });
    await fence.present(other, 'b', { token: 5 });
    await other.query(WRITE);
    await other.query('COMMIT');
    expect(await value()).toBe('x');
    await other.end();
  });

  test('many protect at once, and again without making anything anew', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => opened()));
    await fence.unprotect(connection, 'things');
    await Promise.all(others.map((each) => fence.protect(each, 'things', '{id}')));
    const made = 'SELECT created FROM information_schema.triggers ORDER BY trigger_name';
    const before = await rowsOf(made);
    expect(before.length).toBe(3);
    await fence.protect(connection, 'things', '{id}');
    expect(await rowsOf(made)).toEqual(before);
    await Promise.all(others.map((each) => each.end()));
  });

  test('the table is closed while other triggers take the place of those before', async () => {
    const other = await opened();
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await expect(other.query(WRITE)).rejects.toThrow('NOT_PRESENTED');
    })();
    for (let round = 0; round < 20; round++) {
      await fence.protect(connection, 'things', `${round}/{id}`);
    }
    isOver = true;
    await writing;
    await other.end();
  });

  test('a new version of the routines keeps the rights that were given', async () => {
    await connection.query("CREATE USER worker IDENTIFIED BY ''");
    await connection.query('GRANT EXECUTE ON PROCEDURE shop.holdfast_present TO worker');
    const worker = await opened({ user: 'worker' });
    await fence.setUp(worker);
    await connection.query("ALTER PROCEDURE holdfast_present COMMENT 'of another version'");
    await expect(fence.setUp(worker)).rejects.toThrow('denied');
    await fence.setUp(connection);
    await worker.beginTransaction();
    await fence.present(worker, 'a', { token: 5 });
    await worker.end();
  });

  test('no mode of SQL and no character set reads a name otherwise', async () => {
    const other = await opened({ charset: 'latin1' });
    await other.query("SET sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'");
    const names = ["a', 9007199254740991, 'exclusive', '[]') -- ", 'b\\', '"é日"'];
    for (const name of names) {
      await fence.write(other, name, { token: 5 }, async () => undefined);
      expect(await fence.seen(other, name)).toEqual({ maxExclusive: 5, maxShared: 0 });
    }
    const seen = await rowsOf('SELECT CONVERT(resource USING utf8mb4) AS name FROM holdfast_seen');
    expect(new Set(seen.map((row) => row['name']))).toEqual(new Set(names));
    await other.query("SET sql_mode = 'ORACLE'");
    await connection.query('DROP PROCEDURE holdfast_present');
    await fence.setUp(other);
    await other.end();
  });

  test('first writes of a resource that are rolled back do not end those that wait', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, () => opened()));
    for (let round = 0; round < 5; round++) {
      const name = `new ${round}`;
      const writes = others.map((other, at) =>
        fence.write(other, name, { token: 5 }, async () => {
          if (at % 2 === 0) throw new Error('given up');
        }),
      );
      const reasons = (await Promise.allSettled(writes)).map((each) =>
        each.status === 'rejected' ? String(each.reason) : 'written',
      );
      const expected = others.map((_, at) => (at % 2 === 0 ? 'Error: given up' : 'written'));
      expect(reasons).toEqual(expected);
    }
    await Promise.all(others.map((each) => each.end()));
  });

  test('a renamed table keeps its triggers, and a column of bytes names nothing', async () => {
    await connection.query('RENAME TABLE things TO old_things');
    await connection.query('CREATE TABLE things (id BINARY(4) PRIMARY KEY, value TEXT)');
    await expect(fence.protect(connection, 'things', '{id}')).rejects.toThrow(/id is a binary/);
    const named = fence.protect(connection, 'things', '{value}');
    await expect(named).rejects.toThrow('old_things had its name once');
    await fence.unprotect(connection, 'things');
    await expect(connection.query('DELETE FROM old_things')).rejects.toThrow('NOT_PRESENTED');
    await fence.unprotect(connection, 'old_things');
    await connection.query('DELETE FROM old_things');
  });
});
