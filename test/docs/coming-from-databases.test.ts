// The code of docs/coming-from-databases.md on a real PostgreSQL and a real cluster.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postgresFence } from '../../src/fence.ts';
import { connect } from '../../src/index.ts';
import type { Client } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { findPostgres, startPostgres } from '../fence/services.ts';
import type { PostgresServer } from '../fence/services.ts';
import { closedDoor, functionOf } from './coming-from.ts';
import { blocksOf } from './snippets.ts';

const text = readFileSync(new URL('../../docs/coming-from-databases.md', import.meta.url), 'utf8');
const [before = '', after = '', both = '', ...more] = blocksOf(text, 'ts');
const program = findPostgres();
const NAME = 'catalogues/7';

describe.skipIf(program === null)('docs/coming-from-databases.md', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-from-databases-'));
  let server: PostgresServer;
  let pool: pg.Pool;
  let cluster: LocalCluster;
  let client: Client;
  let other: Client;

  beforeAll(async () => {
    server = await startPostgres(program ?? '', dir);
    pool = new pg.Pool({ ...server.connection, max: 8 });
    // Some of them are ended by the server.
    pool.on('error', () => undefined);
    pool.on('connect', (connection) => connection.on('error', () => undefined));
    cluster = await localCluster({ nodes: 1 });
    const options = { nodes: cluster.addresses, logger: silentLogger };
    [client, other] = await Promise.all([connect(options), connect(options)]);
  });
  afterAll(async () => {
    await Promise.all([client, other].map((each) => each.close()));
    await cluster.stop();
    // First: after a failure the pool would wait for connections that nobody gives back.
    await server.stop();
    await pool.end();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await pool.query(`DROP TABLE IF EXISTS catalogues`);
    await pool.query(`CREATE TABLE catalogues (id int PRIMARY KEY, items text, page text)`);
    await pool.query(`INSERT INTO catalogues VALUES (7, 'old items', '')`);
  });

  const cell = async (sql: string): Promise<unknown> =>
    Object.values((await pool.query(sql)).rows[0] ?? {})[0];
  const page = (): Promise<unknown> => cell('SELECT page FROM catalogues');
  const waiting = (): Promise<unknown> =>
    cell(`SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);

  /** A renderer that stands still in the midst of its work. */
  function slowRenderer() {
    const [rendering, rendered] = [closedDoor(), closedDoor()];
    const render = async (items: string): Promise<string> => {
      rendering.open();
      await rendered.opened;
      return `page of ${items}`;
    };
    return { render, rendering: rendering.opened, finish: rendered.open };
  }
  const quickly = async (items: string): Promise<string> => `page of ${items}`;

  test('has no other code than what is run here', () => expect(more).toEqual([]));

  test('shows what happens before: who lost its connection overwrites the next one', async () => {
    const { render, rendering, finish } = slowRenderer();
    const slow = await functionOf(before, 'rebuildBefore', { pool, render });
    const quick = await functionOf(before, 'rebuildBefore', { pool, render: quickly });
    const first = slow(7);
    await rendering;
    await pool.query(`UPDATE catalogues SET items = 'new items'`);
    const second = quick(7);
    await expect.poll(waiting).toBe(1);
    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND granted`);
    await second;
    expect(await page()).toBe('page of new items');
    finish();
    await first;
    expect(await page()).toBe('page of old items');
  });

  test('shows a program in which the same is refused', async () => {
    const { render, rendering, finish } = slowRenderer();
    const names = { pool, postgresFence };
    const slow = await functionOf(after, 'rebuild', { ...names, client, render });
    const quick = await functionOf(after, 'rebuild', { ...names, client: other, render: quickly });
    const first = slow(7).catch((error: unknown) => error);
    await rendering;
    const change = pool.query(`UPDATE catalogues SET items = 'new items'`);
    await expect(change).rejects.toThrow('NOT_PRESENTED');
    const token = (await other.inspect(NAME)).holder?.token ?? 0;
    await other.break(NAME, { token, reason: 'as if its lease had run out' });
    await other.lock(NAME).do(async (grant) => {
      const db = await pool.connect();
      await postgresFence().write(db, NAME, grant, () =>
        db.query(`UPDATE catalogues SET items = 'new items'`),
      );
      db.release();
    });
    await quick(7);
    finish();
    const details = { error: { code: 'STALE_TOKEN' } };
    expect(await first).toMatchObject({ code: 'LOCK_LOST', details });
    expect(await page()).toBe('page of new items');
    expect(pool.totalCount).toBe(pool.idleCount);
  });

  test('shows a program whose reading the holder before can no longer change', async () => {
    const { render, rendering, finish } = slowRenderer();
    const former = await client.lock(NAME).acquire();
    const { token } = former;
    await other.break(NAME, { token, reason: 'as if its lease had run out' });
    const names = { pool, postgresFence, client: other, render };
    const second = (await functionOf(after, 'rebuild', names))(7);
    await rendering;
    const db = await pool.connect();
    const late = postgresFence().write(db, NAME, { token }, () =>
      db.query(`UPDATE catalogues SET items = 'late items'`),
    );
    await expect(late).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    db.release();
    finish();
    await second;
    expect(await page()).toBe('page of old items');
  });

  test('shows a program that keeps its lock when its connections are cut', async () => {
    const { render, rendering, finish } = slowRenderer();
    const slow = await functionOf(after, 'rebuild', { pool, postgresFence, client, render });
    const first = slow(7);
    await rendering;
    const own = await pool.connect();
    await own.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
    own.release();
    await expect.poll(() => pool.totalCount).toBe(1);
    expect(await other.lock(NAME).tryAcquire()).toBeNull();
    finish();
    await first;
    expect(await page()).toBe('page of old items');
  });

  test('shows a version between that waits for the old one, and is waited for', async () => {
    const { render, rendering, finish } = slowRenderer();
    const slow = await functionOf(before, 'rebuildBefore', { pool, render });
    const inside: string[] = [];
    const oldAgain = await functionOf(before, 'rebuildBefore', {
      pool,
      render: () => void inside.push('old'),
    });
    const withBoth = await functionOf(both, 'withBoth', { pool, client });
    const [begun, go] = [closedDoor(), closedDoor()];
    const first = slow(7);
    await rendering;
    const between = withBoth(NAME, async () => {
      inside.push('both');
      begun.open();
      await go.opened;
    });
    await expect.poll(waiting).toBe(1);
    expect([inside, (await other.inspect(NAME)).holderCount]).toEqual([[], 1]);
    finish();
    await Promise.all([first, begun.opened]);
    const old = oldAgain(7);
    await expect.poll(waiting).toBe(1);
    expect(inside).toEqual(['both']);
    go.open();
    await Promise.all([between, old]);
    expect(inside).toEqual(['both', 'old']);
  });

  test('shows a version between that those with ours alone wait for', async () => {
    const withBoth = await functionOf(both, 'withBoth', { pool, client });
    const inside: string[] = [];
    const [begun, go] = [closedDoor(), closedDoor()];
    const between = withBoth(NAME, async () => {
      begun.open();
      await go.opened;
      inside.push('both');
    });
    await begun.opened;
    const alone = other.lock(NAME).do(() => void inside.push('alone'));
    await expect.poll(async () => (await other.inspect(NAME)).waiterCount).toBe(1);
    go.open();
    await Promise.all([between, alone]);
    expect(inside).toEqual(['both', 'alone']);
    await expect
      .poll(() =>
        cell(`SELECT count(*)::int FROM pg_locks
      WHERE locktype = 'advisory'`),
      )
      .toBe(0);
  });

  test('shows a version between that gives up when the old lock stays', async () => {
    expect(both).toContain(`'10min'`);
    const hasty = both.replace(`'10min'`, `'10ms'`);
    const withBoth = await functionOf(hasty, 'withBoth', { pool, client });
    const holder = await pool.connect();
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [NAME]);
    const between = withBoth(NAME, () => expect.unreachable());
    await expect(between).rejects.toThrow('lock timeout');
    holder.release(true);
    expect((await other.inspect(NAME)).holder).toBeNull();
  });
});
