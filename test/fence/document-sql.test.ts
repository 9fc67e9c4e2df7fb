import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as fence from '../../src/fence.ts';
import { blocksOf, execute } from '../docs/snippets.ts';
import { findMariadb, findPostgres, startMariadb, startPostgres } from './services.ts';
import type { MariadbServer, PostgresServer } from './services.ts';

const text = readFileSync(new URL('../../docs/fencing-sql.md', import.meta.url), 'utf8');
const [ofPostgres = '', ofMariadb = '', ofSqlite = ''] = blocksOf(text, 'ts');
const [
  grantPostgres = '',
  callPostgres = '',
  grantMariadb = '',
  callMariadb = '',
  callSqlite = '',
  column = '',
  oneRow = '',
  besideIt = '',
] = blocksOf(text, 'sql');
const ORDERS = `CREATE TABLE orders (id INT PRIMARY KEY, state VARCHAR(20))`;
const ONE_ORDER = `INSERT INTO orders VALUES (42, 'new')`;

const dir = mkdtempSync(join(tmpdir(), 'holdfast-fencing-sql-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The statements of a block, one by one. */
function statementsOf(block: string): readonly string[] {
  return block
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

const postgres = findPostgres();

describe.skipIf(postgres === null)('docs/fencing-sql.md in PostgreSQL', () => {
  let server: PostgresServer;
  let client: pg.Client;
  const state = async (): Promise<unknown> =>
    (await client.query('SELECT state FROM orders')).rows[0]?.state;
  beforeAll(async () => {
    server = await startPostgres(postgres ?? '', dir);
    client = new pg.Client(server.connection);
    await client.connect();
    await client.query(`${ORDERS}; ${ONE_ORDER}`);
    await client.query(`CREATE TABLE order_tokens (id int PRIMARY KEY, token bigint);
      CREATE TABLE order_events (id int, what text); CREATE ROLE app LOGIN`);
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  test('the program, the rights, and the statements for other languages run as they stand', async () => {
    await execute(ofPostgres, { ...fence, client });
    expect(await state()).toBe('sent');
    await client.query(grantPostgres);
    const app = new pg.Client({ ...server.connection, user: 'app' });
    await app.connect();
    for (const statement of statementsOf(callPostgres)) await app.query(statement);
    expect(await state()).toBe('back');
    // The same with an older token writes nothing.
    const stale = callPostgres.replace('35', '34').replace('back', 'lost');
    await expect(app.query(stale)).rejects.toMatchObject({ code: 'HF002' });
    await app.query('ROLLBACK');
    expect(await state()).toBe('back');
    await app.end();
  });

  test('a connection that prints has the statements of the set-up', async () => {
    const lines: string[] = [];
    const print = async (line: string): Promise<unknown> => ({ rows: [], lines: lines.push(line) });
    await fence.postgresFence().setUp({ query: print });
    await client.query('DROP SCHEMA holdfast CASCADE');
    for (const line of lines) await client.query(line);
    await client.query("BEGIN; SELECT holdfast.present('orders/42', 35); COMMIT");
    expect(await fence.postgresFence().seen(client, 'orders/42')).toMatchObject({
      maxExclusive: 35,
    });
  });

  test('the recipes without a guard refuse what is stale', async () => {
    await client.query('DROP TABLE orders');
    await client.query(`${ORDERS}; ${ONE_ORDER}; ${column}`);
    const olderRow = oneRow.replaceAll('36', '35').replace('packed', 'lost');
    expect(await client.query(oneRow)).toMatchObject({ rowCount: 1 });
    expect(await client.query(olderRow)).toMatchObject({ rowCount: 0 });
    expect(await client.query(oneRow)).toMatchObject({ rowCount: 1 });
    expect(await state()).toBe('packed');
    const counts = async (block: string): Promise<unknown> => {
      const [begin = '', remember = '', write = ''] = statementsOf(block);
      await client.query(begin);
      const { rowCount } = await client.query(remember);
      if (rowCount === 1) await client.query(write);
      await client.query(rowCount === 1 ? 'COMMIT' : 'ROLLBACK');
      return rowCount;
    };
    expect(await counts(besideIt)).toBe(1);
    expect(await counts(besideIt.replace('36', '35'))).toBe(0);
    expect(await counts(besideIt)).toBe(1);
    expect((await client.query('SELECT * FROM order_events')).rowCount).toBe(2);
  });
});

const mariadb = findMariadb();

describe.skipIf(mariadb === null)('docs/fencing-sql.md in MariaDB', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb(mariadb ?? '', dir);
  });
  afterAll(() => server.stop());

  test('the program, the rights, and the statements for other languages run as they stand', async () => {
    const connection = await mysql.createConnection(server.connection);
    await connection.query('CREATE DATABASE shop');
    await connection.query('USE shop');
    for (const sql of [ORDERS, ONE_ORDER, 'CREATE USER app']) await connection.query(sql);
    const state = async (): Promise<unknown> => {
      const [rows] = await connection.query<mysql.RowDataPacket[]>('SELECT state FROM orders');
      return rows[0]?.['state'];
    };
    await execute(ofMariadb, { ...fence, connection });
    expect(await state()).toBe('paid');
    for (const grant of statementsOf(grantMariadb)) await connection.query(grant);
    const own = { ...server.connection, user: 'app', database: 'shop' };
    const app = await mysql.createConnection(own);
    for (const statement of statementsOf(callMariadb)) await app.query(statement);
    expect(await state()).toBe('back');
    const [begin = '', call = ''] = statementsOf(callMariadb.replace('35', '34'));
    await app.query(begin);
    await expect(app.query(call)).rejects.toMatchObject({ sqlState: 'HF002' });
    await app.query('ROLLBACK');
    await app.end();
    await connection.end();
  });
});

describe('docs/fencing-sql.md in SQLite', () => {
  const database = new Database(':memory:');
  afterAll(() => {
    database.close();
  });
  const state = (): unknown => database.prepare('SELECT state FROM orders').all();

  test('the program, and the statements for other languages run as they stand', async () => {
    database.exec(`${ORDERS}; ${ONE_ORDER};`);
    await execute(ofSqlite, { ...fence, database });
    expect(state()).toMatchObject([{ state: 'sent' }]);
    database.exec(callSqlite);
    expect(state()).toMatchObject([{ state: 'back' }]);
    const [, , begin = '', remember = ''] = statementsOf(callSqlite.replaceAll('35', '34'));
    database.exec(begin);
    expect(database.prepare(remember).run().changes).toBe(0);
    database.exec('ROLLBACK');
    expect(fence.sqliteFence(database).seen('orders/42')).toMatchObject({ maxExclusive: 35 });
  });

  test('the recipes without a guard refuse what is stale', () => {
    const fresh = new Database(':memory:');
    fresh.exec(`${ORDERS}; ${ONE_ORDER}; ${column}`);
    fresh.exec('CREATE TABLE order_tokens (id INT PRIMARY KEY, token INT)');
    const changes = (sql: string): number => fresh.prepare(sql).run().changes;
    expect(changes(oneRow)).toBe(1);
    expect(changes(oneRow.replaceAll('36', '35'))).toBe(0);
    const [, remember = ''] = statementsOf(besideIt);
    expect(changes(remember)).toBe(1);
    expect(changes(remember.replace('36', '35'))).toBe(0);
    expect(changes(remember)).toBe(1);
    fresh.close();
  });
});
