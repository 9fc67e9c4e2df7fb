// How programs use the guard of PostgreSQL wrongly, or against each other.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postgresFence } from '../../src/fence.ts';
import { findPostgres, startPostgres } from './services.ts';
import type { PostgresServer } from './services.ts';

const program = findPostgres();
const WRITE = "UPDATE things SET value = value || 'x' WHERE id = 'a'";

describe.skipIf(program === null)('PostgreSQL in use', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-postgres-use-'));
  const fence = postgresFence();
  let server: PostgresServer;
  let client: pg.Client;
  const opened = async (user = 'postgres'): Promise<pg.Client> => {
    const other = new pg.Client({ ...server.connection, user });
    other.on('error', () => undefined);
    await other.connect();
    return other;
  };
  const value = async (): Promise<unknown> =>
    (await client.query("SELECT value FROM things WHERE id = 'a'")).rows[0]?.value;
  beforeAll(async () => {
    server = await startPostgres(program ?? '', dir);
    client = await opened();
  });
  afterAll(async () => {
    await server.stop();
    await client.end().catch(() => undefined);
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await client.query('ROLLBACK');
    await client.query(
      'DROP SCHEMA IF EXISTS holdfast CASCADE; DROP TABLE IF EXISTS things CASCADE',
    );
    await client.query('CREATE TABLE things (id text PRIMARY KEY, value text, more json)');
    await client.query("INSERT INTO things VALUES ('a', '')");
    await fence.setUp(client);
    await fence.protect(client, 'things', '{id}');
  });

  test('a connection does one transaction at a time, and no other one is ended', async () => {
    const busy = { code: 'INVALID', outcome: 'none', details: { option: 'connection' } };
    const both = fence.write(client, 'a', { token: 5 }, async () => {
      await client.query(WRITE);
      const inner = fence.write(client, 'b', { token: 5 }, async () => undefined);
      await expect(inner).rejects.toMatchObject(busy);
      await client.query(WRITE);
      return 'written';
    });
    await expect(fence.write(client, 'a', { token: 4 }, async () => 0)).rejects.toMatchObject(busy);
    expect(await both).toBe('written');
    expect(await value()).toBe('xx');
    await client.query('BEGIN');
    await fence.present(client, 'a', { token: 5 });
    await client.query(WRITE);
    for (const call of [
      fence.write(client, 'a', { token: 5 }, async () => undefined),
      fence.setUp(client),
      fence.protect(client, 'things', '{id}'),
      fence.unprotect(client, 'things'),
    ]) {
      await expect(call).rejects.toMatchObject(busy);
    }
    await client.query('ROLLBACK');
    expect(await value()).toBe('xx');
  });

  test('work that ends its transaction is told so, and nothing goes on unchecked', async () => {
    for (const end of ['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN']) {
      const written = fence.write(client, 'a', { token: 5 }, () => client.query(end));
      await expect(written, end).rejects.toMatchObject({ code: 'STORAGE', outcome: 'unknown' });
    }
    await fence.write(client, 'a', { token: 5 }, () => client.query(WRITE));
    expect(await value()).toBe('x');
  });

  test('many protect at once, and again without making anything anew', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => opened()));
    await fence.unprotect(client, 'things');
    await Promise.all(clients.map((each) => fence.protect(each, 'things', '{id}')));
    const triggers = async (): Promise<unknown> =>
      (await client.query("SELECT oid FROM pg_trigger WHERE tgname LIKE 'holdfast%'")).rows;
    const before = await triggers();
    await fence.protect(client, 'things', '{id}');
    expect(await triggers()).toEqual(before);
    await fence.protect(client, 'things', 'other/{id}');
    expect(await triggers()).not.toEqual(before);
    await Promise.all(clients.map((each) => each.end()));
  });

  test('a user who may not make anything may set up what is there', async () => {
    await client.query('CREATE ROLE worker LOGIN');
    const worker = await opened('worker');
    await fence.setUp(worker);
    await client.query("COMMENT ON SCHEMA holdfast IS 'of another version'");
    await expect(fence.setUp(worker)).rejects.toThrow('permission denied');
    await fence.setUp(client);
    await fence.setUp(worker);
    await worker.end();
  });

  test('what belongs to somebody else is not made use of', async () => {
    await client.query('DROP SCHEMA holdfast CASCADE; CREATE ROLE mallory LOGIN');
    await client.query('GRANT CREATE ON DATABASE postgres TO mallory');
    const mallory = await opened('mallory');
    await mallory.query('CREATE SCHEMA holdfast');
    await expect(fence.setUp(client)).rejects.toThrow(/schema holdfast.*belongs to another user/);
    await mallory.end();
    await client.query('DROP SCHEMA holdfast');
  });

  test('code of others runs with their rights, not with those of the guard', async () => {
    await client.query(`CREATE ROLE eve LOGIN; GRANT USAGE ON SCHEMA holdfast TO eve;
      CREATE SCHEMA eves AUTHORIZATION eve`);
    const eve = await opened('eve');
    await eve.query(`CREATE TYPE eves.ty AS ENUM ('a');
      CREATE FUNCTION eves.cast_it(eves.ty) RETURNS json LANGUAGE plpgsql AS
        $$ BEGIN EXECUTE 'ALTER ROLE eve SUPERUSER'; RETURN '1'; END $$;
      CREATE CAST (eves.ty AS json) WITH FUNCTION eves.cast_it(eves.ty);
      CREATE TABLE eves.x (v eves.ty);
      CREATE TRIGGER t AFTER INSERT ON eves.x FOR EACH ROW
        EXECUTE FUNCTION holdfast.check_row('', 'v', '')`);
    await eve.query("SELECT holdfast.present('a', 1)");
    await eve.query("INSERT INTO eves.x VALUES ('a')").catch(() => undefined);
    const { rows } = await client.query("SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'");
    expect(rows).toEqual([{ rolsuper: false }]);
    const made = `SELECT proname FROM pg_proc WHERE prosecdef AND prorettype = 'trigger'::regtype`;
    expect((await client.query(made)).rows).toEqual([]);
    await eve.end();
    await client.query('DROP SCHEMA eves CASCADE');
  });

  test('columns whose text is not always the same name nothing, nor do tables with heirs', async () => {
    await client.query(`CREATE TABLE odd (at timestamptz, n int, t varchar(9), u uuid);
      CREATE TABLE heir () INHERITS (odd)`);
    for (const [resource, problem] of [
      ['{at}', /at is a timestamp with time zone, and a resource is named by smallint/],
      ['{n}/{t}/{u}', /other tables inherit from it/],
    ] as const) {
      await expect(fence.protect(client, 'odd', resource)).rejects.toThrow(problem);
    }
    await client.query('DROP TABLE heir');
    await fence.protect(client, 'odd', '{n}/{t}/{u}');
    await client.query('DROP TABLE odd');
  });

  test('what other columns hold is not looked at', async () => {
    const odd = `UPDATE things SET more = '"\\u0000"' WHERE id = 'a'`;
    await fence.write(client, 'a', { token: 5 }, () => client.query(odd));
  });
});
