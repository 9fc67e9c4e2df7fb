// The SQL of docs/when-not-to-lock.md: what is told of it happens, with several connections at once
// where that is the point.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres } from '../fence/services.ts';
import type { PostgresServer } from '../fence/services.ts';
import { functionOf } from './declared.ts';
import { blocksOf } from './snippets.ts';

const text = readFileSync(new URL('../../docs/when-not-to-lock.md', import.meta.url), 'utf8');
const [takeJob = ''] = blocksOf(text, 'ts');
const [changeRow = '', paymentsTable = '', pay = '', takeLong = '', endLong = '', ...others] =
  blocksOf(text, 'sql');
const [count = '', takeOne = '', advisory = '', runsTable = '', addRun = '', ...more] = others;

/** A door that stays closed until it is opened. */
function closedDoor(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

test('every block of the page is run, here or in when-not-to-lock-code.test.ts', () => {
  expect(more).toEqual([]);
  expect(addRun).not.toBe('');
  expect(blocksOf(text, 'ts')).toHaveLength(4);
  expect(text.match(/^```\w+$/gm)).toHaveLength(14);
});

const program = findPostgres();

describe.skipIf(program === null)('docs/when-not-to-lock.md in PostgreSQL', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-when-not-'));
  const clients: pg.Client[] = [];
  let server: PostgresServer;
  let one: pg.Client;
  let two: pg.Client;
  let looking: pg.Client;

  async function open(): Promise<pg.Client> {
    const client = new pg.Client({ ...server.connection, statement_timeout: 30_000 });
    // The server ends them: one by one, or all of them at its own end.
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }
  beforeAll(async () => {
    server = await startPostgres(program ?? '', dir);
    [one, two, looking] = [await open(), await open(), await open()];
    await one.query(`CREATE TABLE orders (id int PRIMARY KEY, state text, version int);
      CREATE TABLE counters (name text PRIMARY KEY, value int);
      CREATE TABLE stock (item text PRIMARY KEY, remaining int);
      CREATE TABLE jobs (id int PRIMARY KEY, state text DEFAULT 'open', made_by text);
      CREATE TABLE long_jobs (id int PRIMARY KEY, state text DEFAULT 'open',
        taken_until timestamptz, attempt int DEFAULT 0)`);
    await one.query(`${paymentsTable} ${runsTable}`);
  });
  afterAll(async () => {
    // First of all: a statement that waits for ever, in a test that failed, ends with it.
    await server.stop();
    await Promise.all(clients.map((client) => client.end()));
    rmSync(dir, { recursive: true, force: true });
  });

  const cell = async (sql: string): Promise<unknown> =>
    Object.values((await looking.query(sql)).rows[0] ?? {})[0];
  /** Resolves once so many connections wait for a lock of another one. */
  const waiting = async (connections: number): Promise<void> => {
    const sql = `SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await expect.poll(() => cell(sql)).toBe(connections);
  };

  test('of two who change one version of a row at once, the second changes nothing', async () => {
    await one.query(`INSERT INTO orders VALUES (42, 'new', 7)`);
    await one.query('BEGIN');
    expect((await one.query(changeRow)).rowCount).toBe(1);
    const second = two.query(changeRow);
    await waiting(1);
    await one.query('COMMIT');
    expect((await second).rowCount).toBe(0);
    expect(await cell('SELECT version FROM orders')).toBe(8);

    const later = changeRow.replace('version = 7', 'version = 8');
    await two.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    expect((await one.query(later)).rowCount).toBe(1);
    await expect(two.query(later)).rejects.toMatchObject({ code: '40001' });
    await two.query('ROLLBACK');
  });

  test('what has a unique key is done once; a roll-back leaves it to who waits', async () => {
    await one.query('BEGIN');
    expect((await one.query(pay)).rowCount).toBe(1);
    const second = two.query(pay);
    await waiting(1);
    await one.query('ROLLBACK');
    expect((await second).rowCount).toBe(1);

    const other = pay.replace('order-42', 'order-43');
    await one.query('BEGIN');
    expect((await one.query(other)).rowCount).toBe(1);
    const third = two.query(other);
    await waiting(1);
    await one.query('COMMIT');
    expect((await third).rowCount).toBe(0);
    expect(await cell('SELECT count(*)::int FROM payments')).toBe(2);
  });

  test('two takers get different jobs, and that of a dead connection is open again', async () => {
    const take = await functionOf(takeJob, 'takeJob');
    await one.query('INSERT INTO jobs (id) VALUES (1), (2), (3)');
    const dying = await open();
    const [held, free] = [closedDoor(), closedDoor()];
    const pid = Number((await dying.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid);
    const first = take(dying, async (id: number, db: pg.Client) => {
      await db.query(`UPDATE jobs SET made_by = 'who dies' WHERE id = $1`, [id]);
      held.open();
      await free.opened;
    });
    const firstEnd = first.catch((error: unknown) => error);
    await held.opened;
    const ids: number[] = [];
    const work = async (id: number): Promise<void> => void ids.push(id);
    expect(await take(two, work)).toBe(1);
    expect(ids).toEqual([2]);

    await one.query('SELECT pg_terminate_backend($1)', [pid]);
    await expect
      .poll(() =>
        cell(`SELECT id FROM jobs WHERE state = 'open'
      ORDER BY id FOR UPDATE SKIP LOCKED`),
      )
      .toBe(1);
    free.open();
    expect(await firstEnd).toBeInstanceOf(Error);
    while ((await take(two, work)) === 1);
    expect(ids).toEqual([2, 1, 3]);
    expect(await cell('SELECT count(made_by)::int FROM jobs')).toBe(0);
  });

  test('a job whose work fails is open again, and what it wrote is undone', async () => {
    const take = await functionOf(takeJob, 'takeJob');
    await one.query('INSERT INTO jobs (id) VALUES (9)');
    const failing = take(two, async (id: number, db: pg.Client) => {
      await db.query(`UPDATE jobs SET made_by = 'who fails' WHERE id = $1`, [id]);
      throw new Error('no paper');
    });
    await expect(failing).rejects.toThrow('no paper');
    const { rows } = await looking.query('SELECT state, made_by FROM jobs WHERE id = 9');
    expect(rows).toEqual([{ state: 'open', made_by: null }]);
    expect(await take(two, async () => undefined)).toBe(1);
  });

  test('a long job goes to another once its time is over, and its former taker ends nothing', async () => {
    await one.query('INSERT INTO long_jobs (id) VALUES (1), (2)');
    await one.query('BEGIN');
    expect((await one.query(takeLong)).rows).toEqual([{ id: 1, attempt: 1 }]);
    expect((await two.query(takeLong)).rows).toEqual([{ id: 2, attempt: 1 }]);
    await one.query('COMMIT');
    expect((await two.query(takeLong)).rows).toEqual([]);

    await looking.query(`UPDATE long_jobs SET taken_until = now() - interval '1 s' WHERE id = 1`);
    expect((await two.query(takeLong)).rows).toEqual([{ id: 1, attempt: 2 }]);
    expect((await one.query(endLong)).rowCount).toBe(0);
    const second = endLong.replace('attempt = 1', 'attempt = 2');
    expect((await two.query(second)).rowCount).toBe(1);
  });

  test('nothing is lost of what several add at once, and a stock is never oversold', async () => {
    await one.query(`INSERT INTO counters VALUES ('visits', 0)`);
    await one.query('BEGIN');
    expect((await one.query(count)).rows).toEqual([{ value: 1 }]);
    const added = two.query(count);
    await waiting(1);
    await one.query('COMMIT');
    expect((await added).rows).toEqual([{ value: 2 }]);

    await one.query(`INSERT INTO stock VALUES ('chair', 1)`);
    await one.query('BEGIN');
    expect((await one.query(takeOne)).rowCount).toBe(1);
    const late = two.query(takeOne);
    await waiting(1);
    await one.query('COMMIT');
    expect((await late).rowCount).toBe(0);
    expect(await cell('SELECT remaining FROM stock')).toBe(0);
  });

  test('the advisory lock tells the second one that somebody is at it', async () => {
    await one.query('BEGIN');
    expect((await one.query(advisory)).rows).toEqual([{ is_mine: true }]);
    expect((await two.query(advisory)).rows).toEqual([{ is_mine: false }]);
    await one.query('COMMIT');
    expect((await two.query(advisory)).rows).toEqual([{ is_mine: true }]);
  });

  test('a run of the timetable is there once, whichever machines add it', async () => {
    await one.query('BEGIN');
    expect((await one.query(addRun)).rowCount).toBe(1);
    const second = two.query(addRun);
    await waiting(1);
    await one.query('COMMIT');
    expect((await second).rowCount).toBe(0);
    expect((await two.query(addRun.replace('05-01', '05-02'))).rowCount).toBe(1);
    // They are taken like jobs.
    const sql = takeJob
      .replaceAll('jobs', 'runs')
      .replaceAll('SELECT id', 'SELECT due AS id')
      .replace('ORDER BY id', 'ORDER BY due')
      .replace('WHERE id', 'WHERE due');
    const take = await functionOf(sql, 'takeJob');
    const days: number[] = [];
    while ((await take(two, async (due: Date) => void days.push(due.getUTCDate()))) === 1);
    expect(days).toEqual([1, 2]);
  });
});
