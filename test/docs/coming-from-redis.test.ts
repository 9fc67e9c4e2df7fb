// The code of docs/coming-from-redis.md on a real Redis and a real cluster.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { redisFence } from '../../src/fence.ts';
import { connect } from '../../src/index.ts';
import type { Client } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { findRedis, startRedis } from '../fence/services.ts';
import type { RedisServer } from '../fence/services.ts';
import { closedDoor, functionOf } from './coming-from.ts';
import { blocksOf } from './snippets.ts';

const text = readFileSync(new URL('../../docs/coming-from-redis.md', import.meta.url), 'utf8');
const [before = '', after = '', both = '', ...more] = blocksOf(text, 'ts');
const program = findRedis();
const LEFT = '{stock/chair}:left';

describe.skipIf(program === null)('docs/coming-from-redis.md', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-from-redis-'));
  let server: RedisServer;
  let redis: Redis;
  let cluster: LocalCluster;
  let clients: Client[];

  beforeAll(async () => {
    server = await startRedis(program ?? '', dir);
    redis = new Redis(server.path);
    cluster = await localCluster({ nodes: 1 });
    const nodes = cluster.addresses;
    clients = await Promise.all([1, 2, 3].map(() => connect({ nodes, logger: silentLogger })));
  });
  afterAll(async () => {
    await Promise.all((clients ?? []).map((client) => client.close()));
    await cluster.stop();
    redis.disconnect();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => redis.flushall());

  const waiters = async (): Promise<number> =>
    (await clients[0]?.inspect('stock/chair'))?.waiterCount ?? -1;

  test('has no other code than what is run here', () => expect(more).toEqual([]));

  test('shows what happens before: who was too slow brings back what is sold', async () => {
    await redis.set(LEFT, 10);
    const [printing, printed] = [closedDoor(), closedDoor()];
    const slow = await functionOf(before, 'sellBefore', {
      redis,
      randomUUID,
      printLabel: () => (printing.open(), printed.opened),
    });
    const quick = await functionOf(before, 'sellBefore', {
      redis,
      randomUUID,
      printLabel: () => undefined,
    });
    const first = slow('chair');
    await printing.opened;
    expect(await quick('chair')).toBe('busy');
    await redis.del('lock:stock/chair'); // as its expiry would
    for (let sold = 0; sold < 3; sold++) expect(await quick('chair')).toBe('sold');
    expect(await redis.get(LEFT)).toBe('7');
    printed.open();
    expect(await first).toBe('sold');
    expect(await redis.get(LEFT)).toBe('9'); // four are sold
  });

  test('shows a program in which the same is refused', async () => {
    await redis.set(LEFT, 10);
    const [printing, printed] = [closedDoor(), closedDoor()];
    const names = { redis, redisFence };
    const slow = await functionOf(after, 'sell', {
      ...names,
      client: clients[0],
      printLabel: () => (printing.open(), printed.opened),
    });
    const quick = await functionOf(after, 'sell', {
      ...names,
      client: clients[1],
      printLabel: () => undefined,
    });
    const first = slow('chair').catch((error: unknown) => error);
    await printing.opened;
    const token = (await clients[1]?.inspect('stock/chair'))?.holder?.token ?? 0;
    await clients[1]?.break('stock/chair', { token, reason: 'as if its lease had run out' });
    for (let sold = 0; sold < 3; sold++) expect(await quick('chair')).toBe('sold');
    printed.open();
    const lost = await first;
    expect(lost).toMatchObject({ code: 'LOCK_LOST', details: { error: { code: 'STALE_TOKEN' } } });
    expect(await redis.get(LEFT)).toBe('7');
  });

  test('shows a program that sells each piece once, to whoever waits', async () => {
    await redis.set(LEFT, 5);
    const labels: string[] = [];
    const sellers = await Promise.all(
      clients.map((client) =>
        functionOf(after, 'sell', {
          ...{ redis, redisFence, client },
          printLabel: (item: string) => void labels.push(item),
        }),
      ),
    );
    const answers = await Promise.all(
      sellers.flatMap((sell) => [1, 2, 3].map(() => sell('chair'))),
    );
    expect(answers.filter((answer) => answer === 'sold')).toHaveLength(5);
    expect(answers.filter((answer) => answer === 'sold out')).toHaveLength(4);
    expect([labels.length, await redis.get(LEFT)]).toEqual([5, '0']);
  });

  test('shows a program whose reading the holder before can no longer change', async () => {
    await redis.set(LEFT, 10);
    const [printing, printed] = [closedDoor(), closedDoor()];
    const former = await clients[0]?.lock('stock/chair').acquire();
    const token = former?.token ?? 0;
    await clients[1]?.break('stock/chair', { token, reason: 'as if its lease had run out' });
    const sell = await functionOf(after, 'sell', {
      ...{ redis, redisFence, client: clients[1] },
      printLabel: () => (printing.open(), printed.opened),
    });
    const second = sell('chair');
    await printing.opened;
    const late = redisFence(redis).write('stock/chair', { token }, [['SET', LEFT, 5]]);
    await expect(late).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    printed.open();
    expect(await second).toBe('sold');
    expect(await redis.get(LEFT)).toBe('9');
  });

  test('shows a version between that shares a stock with the old one, and with ours', async () => {
    const printLabel = (): void => undefined;
    const old = await functionOf(before, 'sellBefore', { redis, randomUUID, printLabel });
    const delay = nextTurn(() => undefined);
    const takeOne = async (): Promise<void> => {
      const left = Number(await redis.get(LEFT));
      await redis.set(LEFT, left - 1);
    };
    const betweens = await Promise.all(
      clients.map((client) => functionOf(both, 'withBoth', { redis, randomUUID, client, delay })),
    );
    const sellOld = async (): Promise<void> => {
      while ((await old('chair')) !== 'sold');
    };
    const sellBoth = betweens.map((withBoth) => () => withBoth('stock/chair', takeOne));
    const sellOurs = clients.map((client) => () => client.lock('stock/chair').do(takeOne));
    const tenTimes = async (sell: () => Promise<unknown>): Promise<void> => {
      for (let sold = 0; sold < 10; sold++) await sell();
    };
    await redis.set(LEFT, 100);
    await Promise.all([sellOld, sellOld, ...sellBoth].map(tenTimes));
    expect(await redis.get(LEFT)).toBe('50');
    await Promise.all([...sellOurs, ...sellBoth.slice(0, 2)].map(tenTimes));
    expect(await redis.get(LEFT)).toBe('0');
  });

  test('shows a version between that waits for the old one, and is waited for', async () => {
    const oldInside = [closedDoor(), closedDoor()];
    const old = await functionOf(before, 'sellBefore', {
      redis,
      randomUUID,
      printLabel: () => (oldInside[0]?.open(), oldInside[1]?.opened),
    });
    await redis.set(LEFT, 10);
    const polled = closedDoor();
    const names = { redis, randomUUID, client: clients[0], delay: nextTurn(polled.open) };
    const withBoth = await functionOf(both, 'withBoth', names);
    const selling = old('chair');
    await oldInside[0]?.opened;
    const inside: string[] = [];
    const [begun, go] = [closedDoor(), closedDoor()];
    const work = async (): Promise<void> => {
      inside.push('both');
      begun.open();
      await go.opened;
    };
    const between = withBoth('stock/chair', work);
    await polled.opened;
    expect(inside).toEqual([]);
    oldInside[1]?.open();
    expect(await selling).toBe('sold');
    await begun.opened;
    expect(await old('chair')).toBe('busy');

    // Ours alone waits as well.
    const alone = clients[1]?.lock('stock/chair').do(() => void inside.push('alone'));
    await expect.poll(waiters).toBe(1);
    expect(inside).toEqual(['both']);
    go.open();
    await Promise.all([between, alone]);
    expect(inside).toEqual(['both', 'alone']);
    expect(await redis.exists('lock:stock/chair')).toBe(0);
  });

  test('shows a version between that gives up when the old lock stays', async () => {
    await redis.set('lock:stock/chair', 'somebody');
    let polls = 0;
    const delay = nextTurn(() => polls++);
    const names = { redis, randomUUID, client: clients[0], delay };
    const withBoth = await functionOf(both, 'withBoth', names);
    const between = withBoth('stock/chair', () => expect.unreachable());
    await expect(between).rejects.toThrow('still locked in Redis');
    expect(polls).toBe(149);
    expect(await redis.get('lock:stock/chair')).toBe('somebody');
    expect(await clients[1]?.lock('stock/chair').tryAcquire()).not.toBeNull();
  });
});

/** In the place of a pause. */
function nextTurn(onCall: () => void): () => Promise<void> {
  return async () => {
    onCall();
  };
}
