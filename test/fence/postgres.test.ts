import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresFence } from '../../src/fence.ts';
import { runFenceTable } from './conformance.ts';
import { findPostgres, startPostgres } from './services.ts';
import { runSideDoors } from './side-door.ts';
import type { PostgresServer } from './services.ts';

const program = findPostgres();

describe.skipIf(program === null)('PostgreSQL', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'));
  const fence = postgresFence();
  let server: PostgresServer;
  let pool: pg.Pool;
  const openPool = (user?: string): pg.Pool => {
    const own = user === undefined ? {} : { user };
    const opened = new pg.Pool({ ...server.connection, ...own, max: 8 });
    // A server that is started again closes what is idle.
    opened.on('error', () => undefined);
    return opened;
  };
  beforeAll(async () => {
    server = await startPostgres(program ?? '', dir);
    pool = openPool();
    await pool.query('CREATE TABLE things (id text PRIMARY KEY, value text)');
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A connection of the pool for as long as `use` takes. */
  async function on<T>(use: (client: pg.PoolClient) => Promise<T>, from = pool): Promise<T> {
    const client = await from.connect();
    try {
      return await use(client);
    } finally {
      client.release();
    }
  }
  const put = (client: pg.PoolClient, id: string, value: string): Promise<pg.QueryResult> =>
    client.query(
      `INSERT INTO things VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
      [id, value],
    );

  runFenceTable('postgresFence', async () => {
    await pool.query('DROP SCHEMA IF EXISTS holdfast CASCADE');
    await pool.query('DELETE FROM things');
    await on(fence.setUp);
    await on((client) => fence.protect(client, 'things', '{id}'));
    return {
      write: (resource, claim, value) =>
        on((client) =>
          fence.write(client, resource, claim, async () => {
            await put(client, resource, value);
          }),
        ),
      writeThenFail: (resource, claim, value) =>
        on((client) =>
          fence.write(client, resource, claim, async () => {
            await put(client, resource, value);
            throw new Error('given up');
          }),
        ),
      read: async (resource) => {
        const { rows } = await pool.query('SELECT value FROM things WHERE id = $1', [resource]);
        return rows[0]?.value ?? null;
      },
      seen: (...what) => on((client) => fence.seen(client, ...what)),
      setUp: () => on(fence.setUp),
      restart: server.restart,
      close: async () => undefined,
    };
  });

  runSideDoors('PostgreSQL', async () => {
    await pool.query('DROP SCHEMA IF EXISTS holdfast CASCADE; DROP TABLE things');
    await pool.query('CREATE TABLE things (id text PRIMARY KEY, value text)');
    await pool.query("INSERT INTO things VALUES ('a', '1'), ('b', '1')");
    const client = await pool.connect();
    await fence.setUp(client);
    return {
      ask: async (sql) => {
        await client.query(sql);
      },
      things: async () => {
        const { rows } = await client.query('SELECT id, value FROM things ORDER BY id');
        return rows.map(({ id, value }) => `${id}=${value}`).join(' ');
      },
      present: (...what) => fence.present(client, ...what),
      commit: async () => {
        await client.query('COMMIT');
      },
      protect: (...what) => fence.protect(client, ...what),
      unprotect: (table) => fence.unprotect(client, table),
      close: async () => client.release(),
    };
  });

  describe('what else could get round it', () => {
    const write = "UPDATE things SET value = '2' WHERE id = 'a'";
    beforeAll(async () => {
      await pool.query('DROP SCHEMA IF EXISTS holdfast CASCADE; DROP TABLE things');
      await pool.query('CREATE TABLE things (id text PRIMARY KEY, value text)');
      await pool.query("INSERT INTO things VALUES ('a', '1')");
      await on(fence.setUp);
      await on((client) => fence.protect(client, 'public.things', '{id}'));
    });

    test('TRUNCATE is a write of all rows', async () => {
      await expect(pool.query('TRUNCATE things')).rejects.toThrow('NOT_PRESENTED');
      await on(async (client) => {
        const emptied = fence.write(client, 'a', { token: 1 }, () =>
          client.query('TRUNCATE things'),
        );
        await expect(emptied).rejects.toThrow(/NOT_PRESENTED.*all that is written here/);
        await client.query('CREATE TABLE whole (id text)');
        await fence.protect(client, 'whole', 'all');
        await fence.write(client, 'all', { token: 1 }, () => client.query('TRUNCATE whole'));
      });
    });

    test('cascades from another table are refused with what began them', async () => {
      await pool.query(`CREATE TABLE owners (id text PRIMARY KEY);
        INSERT INTO owners VALUES ('o');
        CREATE TABLE parts (id text PRIMARY KEY,
          owner text REFERENCES owners ON DELETE CASCADE ON UPDATE SET NULL);
        INSERT INTO parts VALUES ('p', 'o')`);
      await on((client) => fence.protect(client, 'parts', 'parts'));
      for (const sql of [
        'DELETE FROM owners',
        "UPDATE owners SET id = 'x'",
        'TRUNCATE owners CASCADE',
      ]) {
        await expect(pool.query(sql), sql).rejects.toThrow('NOT_PRESENTED');
      }
      const { rows } = await pool.query('SELECT owner FROM parts');
      expect(rows).toEqual([{ owner: 'o' }]);
    });

    test('rows of a partition are rows of its table', async () => {
      await pool.query(`CREATE TABLE split (id int, value text) PARTITION BY RANGE (id);
        CREATE TABLE split_1 PARTITION OF split FOR VALUES FROM (0) TO (100)`);
      await on((client) => fence.protect(client, 'split', 'split/{id}'));
      for (const table of ['split', 'split_1']) {
        const insert = `INSERT INTO ${table} VALUES (7, 'x')`;
        await expect(pool.query(insert), table).rejects.toThrow('NOT_PRESENTED');
        await on((client) =>
          fence.write(client, 'split/7', { token: 1 }, () => client.query(insert)),
        );
      }
    });

    test('COPY is a write', async () => {
      const copy = `COPY things FROM PROGRAM 'printf "z\\t1\\n"'`;
      await expect(pool.query(copy)).rejects.toThrow('NOT_PRESENTED');
      await on((client) => fence.write(client, 'z', { token: 1 }, () => client.query(copy)));
      await on((client) =>
        fence.write(client, 'z', { token: 1 }, () =>
          client.query("DELETE FROM things WHERE id = 'z'"),
        ),
      );
    });

    test('a session that plays a replica skips other triggers, not these', async () => {
      await on(async (client) => {
        await client.query('SET session_replication_role = replica');
        await expect(client.query(write)).rejects.toThrow('NOT_PRESENTED');
        await client.query('RESET session_replication_role');
      });
    });

    test('a user with the rights of docs/fencing-sql.md can present and no more', async () => {
      await pool.query(`CREATE ROLE app LOGIN;
        GRANT USAGE ON SCHEMA holdfast TO app;
        GRANT SELECT ON holdfast.seen TO app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON things TO app`);
      const own = openPool('app');
      await on(async (client) => {
        await fence.write(client, 'a', { token: 7 }, () => client.query(write));
        for (const sql of [
          'TRUNCATE things',
          'ALTER TABLE things DISABLE TRIGGER ALL',
          'DROP TRIGGER holdfast_row ON things',
          'SET session_replication_role = replica',
          'UPDATE holdfast.seen SET max_exclusive = 1',
          'DELETE FROM holdfast.seen',
        ]) {
          await expect(client.query(sql), sql).rejects.toThrow(/permission denied|must be owner/);
        }
        await expect(client.query(write)).rejects.toMatchObject({ code: 'HF001' });
      }, own);
      await own.end();
    });

    test('an error that work swallows does not pass for a commit', async () => {
      const written = on((client) =>
        fence.write(client, 'a', { token: 8 }, async () => {
          await client.query(write);
          await client.query('SELECT 1 / 0').catch(() => undefined);
        }),
      );
      await expect(written).rejects.toMatchObject({ code: 'STORAGE', outcome: 'unknown' });
      expect(await on((client) => fence.seen(client, 'a'))).toMatchObject({ maxExclusive: 7 });
    });

    test('other languages are told by SQLSTATE, and what is malformed changes nothing', async () => {
      for (const [call, code] of [
        ["holdfast.present('a', 6)", 'HF002'],
        ["holdfast.present('', 9)", 'HF003'],
        ["holdfast.present('a', 0)", 'HF003'],
        ["holdfast.present('a', NULL)", 'HF003'],
        ["holdfast.present('a', 9007199254740992)", 'HF003'],
        ["holdfast.present('a', 9, 'write')", 'HF003'],
        ["holdfast.present('a', 9, NULL)", 'HF003'],
        ["holdfast.present('a', 9, 'exclusive', '{-1}')", 'HF003'],
        ["holdfast.present('a', 9, 'exclusive', '{NULL}')", 'HF003'],
      ]) {
        await expect(pool.query(`SELECT ${call}`), call).rejects.toMatchObject({ code });
      }
      expect(await on((client) => fence.seen(client, 'a'))).toMatchObject({ maxExclusive: 7 });
    });

    test('a pool is no connection', async () => {
      await expect(fence.present(pool, 'a', { token: 9 })).rejects.toThrow(/INVALID.*not a pool/);
      const untyped: { setUp(connection: unknown): Promise<void> } = fence;
      await expect(untyped.setUp(null)).rejects.toThrow(/INVALID.*query\(text, values\)/);
    });

    test('many set up at once', async () => {
      await pool.query('DROP SCHEMA holdfast CASCADE');
      await Promise.all(Array.from({ length: 8 }, () => on(fence.setUp)));
      await on((client) => fence.write(client, 'b', { token: 1 }, async () => undefined));
    });
  });
});
