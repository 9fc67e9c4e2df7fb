import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisFence } from '../../src/fence.ts';
import type { RedisCaller, RedisClient, RedisSender } from '../../src/fence.ts';
import { expectStale, runFenceTable } from './conformance.ts';
import { findRedis, startRedis } from './services.ts';
import type { RedisServer } from './services.ts';

const program = findRedis();

describe.skipIf(program === null)('Redis', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  let server: RedisServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis(program ?? '', dir, true);
    redis = new Redis(server.path, { maxRetriesPerRequest: null });
    // It connects again after a restart.
    redis.on('error', () => undefined);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const world = (client: RedisClient) => async () => {
    await redis.call('FLUSHALL');
    const fence = redisFence(client);
    return {
      write: async (resource: string, claim: { token: number }, value: string) => {
        await fence.write(resource, claim, [['SET', `{${resource}}:value`, value]]);
      },
      read: (resource: string) => redis.get(`{${resource}}:value`),
      seen: fence.seen,
      setUp: fence.setUp,
      restart: server.restart,
      close: async () => undefined,
    };
  };
  const call: RedisCaller = {
    call: (command, ...words) => redis.call(command, ...words),
  };
  const sendCommand: RedisSender = {
    sendCommand: ([command = '', ...words]) => redis.call(command, ...words),
  };
  runFenceTable('redisFence over ioredis', world(call));
  runFenceTable('redisFence over a client that takes lists', world(sendCommand));

  test('ioredis is a client as it is, and several commands are one step', async () => {
    await redis.call('FLUSHALL');
    const fence = redisFence(redis);
    const both = [
      ['SET', 'a', 'x'],
      ['INCRBY', 'b', 7],
    ] as const;
    expect(await fence.write('orders', { token: 34 }, both)).toEqual(['OK', 7]);
    const stale = { resource: 'orders', claim: { token: 33 }, staleBy: 34 };
    await expectStale(fence.write('orders', { token: 33 }, both), stale);
    expect(await redis.mget('a', 'b')).toEqual(['x', '7']);
  });

  test('a script of the user sees its own keys and arguments', async () => {
    const fence = redisFence(redis);
    const script = `
      local left = tonumber(redis.call('GET', KEYS[1]) or '10') - tonumber(ARGV[1])
      if left < 0 then return 'none left' end
      redis.call('SET', KEYS[1], left)
      return left`;
    const take = (token: number, count: number): Promise<unknown> =>
      fence.write('stock', { token }, { script, keys: ['{stock}:left'], args: [count] });
    expect(await take(5, 3)).toBe(7);
    expect(await take(6, 8)).toBe('none left');
    const stale = { resource: 'stock', claim: { token: 5 }, staleBy: 6 };
    await expectStale(take(5, 1), stale);
    expect(await redis.get('{stock}:left')).toBe('7');
  });

  test('a server that forgot its scripts is sent them again', async () => {
    const fence = redisFence(redis);
    await fence.setUp();
    await redis.call('SCRIPT', 'FLUSH');
    expect(await fence.write('scripts', { token: 1 }, [['SET', 'c', '1']])).toEqual(['OK']);
  });

  test('a script that fails in words of its own is run once', async () => {
    const fence = redisFence(redis);
    const keys = ['{once}:n'];
    let count = 0;
    for (const end of [
      `return redis.error_reply('NOSCRIPT of mine')`,
      `error('NOSCRIPT of mine')`,
    ]) {
      const script = `redis.call('INCR', KEYS[1]) ${end}`;
      for (let n = 0; n < 3; n++) {
        const written = fence.write('once', { token: 1 }, { script, keys });
        await expect(written).rejects.toThrow('of mine');
        count += 1;
        expect(await redis.get('{once}:n')).toBe(String(count));
      }
    }
  });

  test('a command that fails leaves its token remembered', async () => {
    const fence = redisFence(redis);
    await redis.set('text', 'no list');
    const written = fence.write('failing', { token: 9 }, [['LPUSH', 'text', '1']]);
    await expect(written).rejects.toThrow('WRONGTYPE');
    expect(await fence.seen('failing')).toEqual({ maxExclusive: 9, maxShared: 0 });
  });

  test('what is no token where one should be is refused, not passed', async () => {
    const fence = redisFence(redis);
    await redis.hset('holdfast:fence:{damaged}', 'x:-1', 'seven');
    const written = fence.write('damaged', { token: 9 }, [['SET', 'd', '1']]);
    await expect(written).rejects.toThrow('is no token');
    await expect(fence.seen('damaged')).rejects.toMatchObject({ code: 'STORAGE' });
    expect(await redis.get('d')).toBe(null);
  });

  test('a function is told the key, by which it finds the node of a cluster', async () => {
    const keys: (string | undefined)[] = [];
    const fence = redisFence(([command = '', ...words], key) => {
      keys.push(key);
      return redis.call(command, ...words);
    });
    await fence.write('told', { token: 1 }, [['SET', '{told}:value', '1']]);
    await fence.write('told', { token: 2 }, []);
    await fence.seen('told');
    const own = 'holdfast:fence:{told}';
    // Between them the script is made known, which is about no key.
    expect(keys).toEqual([own, undefined, own, own]);
  });

  test('keys may be named otherwise', async () => {
    const fence = redisFence(redis, { key: (resource) => `tokens:{${resource}}` });
    await fence.write('named', { token: 9, slots: [2] }, []);
    expect(await redis.hgetall('tokens:{named}')).toEqual({ 'x:2': '9' });
  });

  test('what is no client or no command is refused before anything is sent', async () => {
    const wrong: { fence(client: unknown): unknown } = { fence: redisFence };
    expect(() => wrong.fence({})).toThrow(/INVALID.*ioredis/);
    const cluster = { sendCommand: () => undefined, masters: [] };
    expect(() => wrong.fence(cluster)).toThrow(/INVALID.*cluster of node-redis a function/);
    const silent = redisFence(() => Promise.reject(new Error('was asked')));
    const prefixed = new Redis(server.path, { keyPrefix: 'app:', lazyConnect: true });
    expect(() => redisFence(prefixed)).toThrow(/INVALID.*without keyPrefix/);
    for (const commands of [[[]], [['SET', null]], null, async () => undefined, 'SET a b', {}]) {
      const untyped: { write(...all: readonly unknown[]): Promise<unknown> } = silent;
      await expect(untyped.write('a', { token: 1 }, commands)).rejects.toThrow('INVALID');
    }
  });
});
