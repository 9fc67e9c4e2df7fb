import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mysqlFence } from '../../src/fence.ts';
import { runFenceTable } from './conformance.ts';
import { findMariadb, startMariadb } from './services.ts';
import { runSideDoors } from './side-door.ts';
import type { MariadbServer } from './services.ts';

const program = findMariadb();
const THINGS = `CREATE TABLE things (
  id VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY, value VARCHAR(100))`;

describe.skipIf(program === null)('MariaDB', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-mariadb-'));
  const fence = mysqlFence();
  let server: MariadbServer;
  let pool: mysql.Pool;
  beforeAll(async () => {
    server = await startMariadb(program ?? '', dir);
    const first = await mysql.createConnection(server.connection);
    await first.query('CREATE DATABASE shop');
    await first.end();
    pool = mysql.createPool({ ...server.connection, database: 'shop', connectionLimit: 8 });
    await pool.query(THINGS);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A connection of the pool for as long as `use` takes. */
  async function on<T>(use: (connection: mysql.PoolConnection) => Promise<T>): Promise<T> {
    const connection = await pool.getConnection();
    try {
      return await use(connection);
    } finally {
      connection.release();
    }
  }
  const put = async (connection: mysql.Connection, id: string, value: string): Promise<void> => {
    await connection.query('REPLACE INTO things VALUES (?, ?)', [id, value]);
  };

  runFenceTable('mysqlFence', async () => {
    await on(fence.setUp);
    await on((connection) => fence.unprotect(connection, 'things'));
    await pool.query('DELETE FROM holdfast_seen');
    await pool.query('DELETE FROM things');
    await on((connection) => fence.protect(connection, 'things', '{id}'));
    return {
      write: (resource, claim, value) =>
        on((connection) =>
          fence.write(connection, resource, claim, () => put(connection, resource, value)),
        ),
      writeThenFail: (resource, claim, value) =>
        on((connection) =>
          fence.write(connection, resource, claim, async () => {
            await put(connection, resource, value);
            throw new Error('given up');
          }),
        ),
      read: async (resource) => {
        const [rows] = await pool.query<mysql.RowDataPacket[]>(
          'SELECT value FROM things WHERE id = ?',
          [resource],
        );
        return rows[0]?.['value'] ?? null;
      },
      seen: (...what) => on((connection) => fence.seen(connection, ...what)),
      setUp: () => on(fence.setUp),
      restart: async () => {
        await server.restart();
        // The connections of before are gone; the pool finds that out one by one.
        for (let each = 0; each < 8; each++) await pool.query('SELECT 1').catch(() => undefined);
      },
      close: async () => undefined,
    };
  });

  runSideDoors('MariaDB', async () => {
    await pool.query('DROP TABLE things');
    await pool.query(THINGS);
    await pool.query("INSERT INTO things VALUES ('a', '1'), ('b', '1')");
    const connection = await pool.getConnection();
    await fence.setUp(connection);
    await connection.query('DELETE FROM holdfast_seen');
    return {
      ask: async (sql) => {
        await connection.query(sql);
      },
      things: async () => {
        const [rows] = await connection.query<mysql.RowDataPacket[]>(
          'SELECT id, value FROM things ORDER BY id',
        );
        return rows.map((row) => `${row['id']}=${row['value']}`).join(' ');
      },
      present: (...what) => fence.present(connection, ...what),
      commit: () => connection.commit(),
      protect: (...what) => fence.protect(connection, ...what),
      unprotect: (table) => fence.unprotect(connection, table),
      close: async () => connection.release(),
    };
  });

  describe('what else could get round it', () => {
    const write = "UPDATE things SET value = '2' WHERE id = 'a'";
    const opened = (): Promise<mysql.Connection> =>
      mysql.createConnection({ ...server.connection, database: 'shop' });
    beforeAll(async () => {
      await pool.query('DROP TABLE things');
      await pool.query(THINGS);
      await pool.query("INSERT INTO things VALUES ('a', '1')");
      await on(fence.setUp);
      await pool.query('DELETE FROM holdfast_seen');
      await on((connection) => fence.protect(connection, 'things', '{id}'));
    });

    test('what triggers do not see is refused when a table is to be protected', async () => {
      await pool.query('CREATE TABLE owners (id INT PRIMARY KEY) ENGINE=InnoDB');
      for (const [rule, isRefused] of [
        ['ON DELETE CASCADE', true],
        ['ON UPDATE SET NULL', true],
        ['ON DELETE RESTRICT ON UPDATE NO ACTION', false],
      ] as const) {
        await pool.query(`CREATE TABLE parts (id INT PRIMARY KEY, owner INT,
          CONSTRAINT of_owner FOREIGN KEY (owner) REFERENCES owners (id) ${rule}) ENGINE=InnoDB`);
        const asked = on((connection) => fence.protect(connection, 'parts', 'parts'));
        if (isRefused) await expect(asked, rule).rejects.toThrow(/INVALID.*foreign key of_owner/);
        else await asked;
        await pool.query('DROP TABLE parts');
      }
      await pool.query('CREATE TABLE old (id INT) ENGINE=MyISAM');
      const old = on((connection) => fence.protect(connection, 'old', 'old'));
      await expect(old).rejects.toThrow(/INVALID.*table of InnoDB.*got MyISAM/);
      const far = on((connection) => fence.protect(connection, 'shop.things', 'x'));
      await expect(far).rejects.toThrow(/INVALID.*database of the connection/);
    });

    test('REPLACE, INSERT IGNORE, ON DUPLICATE KEY UPDATE and LOAD DATA are writes', async () => {
      const file = join(dir, 'rows');
      writeFileSync(file, 'z\t1\n');
      for (const sql of [
        `LOAD DATA INFILE '${file}' INTO TABLE things`,
        "REPLACE INTO things VALUES ('a', '3')",
        "INSERT IGNORE INTO things VALUES ('b', '3')",
        "INSERT INTO things VALUES ('a', '3') ON DUPLICATE KEY UPDATE value = '3'",
      ]) {
        await expect(pool.query(sql), sql).rejects.toThrow('NOT_PRESENTED');
      }
    });

    test('a transaction that ended in another way than by COMMIT is over too', async () => {
      const connection = await opened();
      const present = () => fence.present(connection, 'a', { token: 5 });
      for (const end of [
        'START TRANSACTION',
        'CREATE TABLE IF NOT EXISTS ended (id INT)',
        'LOCK TABLES things WRITE, holdfast_seen READ',
        'TRUNCATE ended',
        'ANALYZE TABLE things',
        'FLUSH TABLES',
      ]) {
        await connection.beginTransaction();
        await present();
        await connection.query(write);
        await connection.query(end);
        await expect(connection.query(write), end).rejects.toThrow(/NOT_PRESENTED|LOCK TABLES/);
        await connection.query('UNLOCK TABLES');
        await connection.rollback();
      }
      await connection.query('SET autocommit = 0');
      await present();
      await connection.query(write);
      await connection.query('COMMIT');
      await expect(connection.query(write)).rejects.toThrow('NOT_PRESENTED');
      await connection.rollback();
      await connection.end();
    });

    test('what a transaction read before does not hide a token that came since', async () => {
      const [one, two] = [await opened(), await opened()];
      await one.beginTransaction();
      await one.query('SELECT * FROM holdfast_seen');
      await fence.write(two, 'read', { token: 9 }, async () => undefined);
      await expect(fence.present(one, 'read', { token: 8 })).rejects.toThrow('STALE_TOKEN');
      await Promise.all([one.end(), two.end()]);
    });

    test('a session that did the same so far as another is another', async () => {
      const [one, two] = [await opened(), await opened()];
      for (const connection of [one, two]) await connection.beginTransaction();
      await fence.present(one, 'a', { token: 5 });
      await one.commit();
      await expect(two.query(write)).rejects.toThrow('NOT_PRESENTED');
      await Promise.all([one.end(), two.end()]);
    });

    test('a connection whose session begins anew has presented nothing', async () => {
      const connection = await opened();
      await connection.beginTransaction();
      await fence.present(connection, 'a', { token: 5 });
      await connection.commit();
      await connection.changeUser({ database: 'shop' });
      await connection.beginTransaction();
      await connection.query('COMMIT');
      await connection.beginTransaction();
      await expect(connection.query(write)).rejects.toThrow('NOT_PRESENTED');
      await connection.end();
    });

    test('prepared statements are no way round, and no hindrance', async () => {
      const connection = await opened();
      await expect(connection.execute(write)).rejects.toThrow('NOT_PRESENTED');
      await fence.write(connection, 'a', { token: 5 }, async () => connection.execute(write));
      await connection.execute('START TRANSACTION');
      await connection.execute('CALL holdfast_present(?, ?, ?, ?)', ['a', 5, 'exclusive', '[]']);
      await connection.execute(write);
      await connection.execute('COMMIT');
      await connection.execute('START TRANSACTION');
      await expect(connection.execute(write)).rejects.toThrow('NOT_PRESENTED');
      await connection.end();
    });

    test('a user with the rights of docs/fencing-sql.md can present and no more', async () => {
      for (const sql of [
        "CREATE USER app IDENTIFIED BY ''",
        'GRANT EXECUTE ON PROCEDURE shop.holdfast_present TO app',
        'GRANT SELECT ON shop.holdfast_seen TO app',
        'GRANT SELECT, INSERT, UPDATE, DELETE ON shop.things TO app',
      ]) {
        await pool.query(sql);
      }
      const connection = await mysql.createConnection({
        ...server.connection,
        user: 'app',
        database: 'shop',
      });
      await fence.write(connection, 'a', { token: 7 }, () => connection.query(write));
      expect(await fence.seen(connection, 'a')).toEqual({ maxExclusive: 7, maxShared: 0 });
      for (const sql of [
        'TRUNCATE things',
        'DROP TRIGGER holdfast_update_things',
        'ALTER TABLE things ADD COLUMN x INT',
        'UPDATE holdfast_seen SET max_exclusive = 1',
        'DELETE FROM holdfast_seen',
      ]) {
        await expect(connection.query(sql), sql).rejects.toThrow('denied');
      }
      await expect(connection.query(write)).rejects.toMatchObject({ sqlState: 'HF001' });
      await connection.end();
    });

    test('other languages are told by SQLSTATE, and what is malformed changes nothing', async () => {
      const connection = await opened();
      await connection.beginTransaction();
      for (const [values, sqlState] of [
        ["'a', 6, 'exclusive', '[]'", 'HF002'],
        ["'', 9, 'exclusive', '[]'", 'HF003'],
        ["'a', 0, 'exclusive', '[]'", 'HF003'],
        ["'a', NULL, 'exclusive', '[]'", 'HF003'],
        ["'a', 9007199254740992, 'exclusive', '[]'", 'HF003'],
        ["'a', 9, 'write', '[]'", 'HF003'],
        ["'a', 9, 'exclusive', NULL", 'HF003'],
        ["'a', 9, 'exclusive', '[-2]'", 'HF003'],
        ["'a', 9, 'exclusive', '[1, 1]'", 'HF003'],
        ["'a', 9, 'exclusive', '[2, 1]'", 'HF003'],
      ] as const) {
        const called = connection.query(`CALL holdfast_present(${values})`);
        await expect(called, values).rejects.toMatchObject({ sqlState });
      }
      await connection.commit();
      expect(await fence.seen(connection, 'a')).toMatchObject({ maxExclusive: 7 });
      await connection.end();
      const outside = pool.query("CALL holdfast_present('a', 9, 'exclusive', '[]')");
      await expect(outside).rejects.toMatchObject({ sqlState: 'HF004' });
    });

    test('a pool is no connection', async () => {
      await expect(fence.present(pool, 'a', { token: 9 })).rejects.toThrow(/INVALID.*not a pool/);
    });

    test('many set up at once', async () => {
      for (let round = 0; round < 5; round++) {
        for (const name of ['holdfast_present', 'holdfast_admit', 'holdfast_check']) {
          await pool.query(`DROP PROCEDURE ${name}`);
        }
        await Promise.all(Array.from({ length: 8 }, () => on(fence.setUp)));
      }
      await on((connection) => fence.write(connection, 'b', { token: 1 }, async () => undefined));
    });
  });
});
