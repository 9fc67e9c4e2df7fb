// The code of docs/coming-from-etcd.md on a real cluster.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { levelFence } from '../../src/fence.ts';
import { connect } from '../../src/index.ts';
import type { Client } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { closedDoor, functionOf } from './coming-from.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/coming-from-etcd.md', import.meta.url), 'utf8');
const [account = '', elected = '', ...more] = blocksOf(text, 'ts');
const [printed = ''] = blocksOf(text, 'text');
const KEY = 'accounts/7';

describe('docs/coming-from-etcd.md', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-from-etcd-'));
  const db = new Level(dir);
  let cluster: LocalCluster;
  let client: Client;
  let other: Client;

  beforeAll(async () => {
    cluster = await localCluster({ nodes: 1 });
    const options = { nodes: cluster.addresses, logger: silentLogger };
    [client, other] = await Promise.all([connect(options), connect(options)]);
  });
  afterAll(async () => {
    await Promise.all([client, other].map((each) => each.close()));
    await cluster.stop();
    await db.close();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => db.clear());

  // One guard of one database, as docs/fencing.md wants it.
  const fence = levelFence(db);
  const depositOf = (own: Client, feeFor: () => unknown) =>
    functionOf(account, 'deposit', { client: own, db, feeFor, levelFence: () => fence });

  test('has no other code than what is run here', () => expect(more).toEqual([]));

  test('shows deposits of which none is lost', async () => {
    const both = await Promise.all([client, other].map((own) => depositOf(own, async () => 1)));
    await Promise.all(both.flatMap((deposit) => [10, 20, 30].map((sum) => deposit(7, sum))));
    expect(await db.get(KEY)).toBe(String(2 * 60 - 6));
  });

  test('shows a deposit that is refused when its lock went to another', async () => {
    const [asking, asked] = [closedDoor(), closedDoor()];
    const slow = await depositOf(client, async () => {
      asking.open();
      await asked.opened;
      return 0;
    });
    const quick = await depositOf(other, async () => 0);
    const first = slow(7, 5).catch((error: unknown) => error);
    await asking.opened;
    const token = (await other.inspect(KEY)).holder?.token ?? 0;
    await other.break(KEY, { token, reason: 'as if its lease had run out' });
    expect(await quick(7, 100)).toBe('100');
    asked.open();
    const details = { error: { code: 'STALE_TOKEN' } };
    expect(await first).toMatchObject({ code: 'LOCK_LOST', details });
    expect(await db.get(KEY)).toBe('100');
  });

  test('shows a deposit whose reading the one before can no longer change', async () => {
    const [asking, asked] = [closedDoor(), closedDoor()];
    const before = await client.lock(KEY).acquire();
    await other.break(KEY, { token: before.token, reason: 'as if its lease had run out' });
    const deposit = await depositOf(other, async () => {
      asking.open();
      await asked.opened;
      return 0;
    });
    const second = deposit(7, 100);
    await asking.opened;
    const late = fence.write(KEY, before, [{ type: 'put', key: KEY, value: '5' }]);
    await expect(late).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    asked.open();
    expect(await second).toBe('100');
  });

  test('shows an election that tells an address', async () => {
    const lines: string[] = [];
    await execute(elected, { client, other, log: (line: string) => void lines.push(line) });
    expect(`${lines.join('\n')}\n`).toBe(printed);
  });

  test('tells the truth of names, of two acquires, and of a release that comes late', async () => {
    const first = await client.lock('jobs').acquire();
    await Promise.all(['jobs/', 'jobs/1'].map((name) => other.lock(name).do(() => undefined)));
    expect(await client.lock('jobs').tryAcquire()).toBeNull();
    const again = first.reenter();
    expect(again.token).toBe(first.token);
    await first.release();
    expect(await other.lock('jobs').tryAcquire()).toBeNull();
    expect(await again.release()).toBe(true);
    const next = await client.lock('jobs').acquire();
    expect([await again.release(), await first.release()]).toEqual([false, false]);
    expect((await other.inspect('jobs')).holder?.token).toBe(next.token);
    await next.release();
  });
});
