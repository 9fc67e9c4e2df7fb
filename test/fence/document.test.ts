import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Level } from 'level';
import { afterAll, expect, test } from 'vitest';
import * as fence from '../../src/fence.ts';
import { blocksOf, execute } from '../docs/snippets.ts';
import { findRedis, startRedis } from './services.ts';

const text = readFileSync(new URL('../../docs/fencing.md', import.meta.url), 'utf8');
const [ofMemory = '', ofLevel = '', ofFiles = '', ofRedis = '', ofHttp = ''] = blocksOf(text, 'ts');
const [ofLua = ''] = blocksOf(text, 'lua');
const dir = mkdtempSync(join(tmpdir(), 'holdfast-fencing-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const program = findRedis();

test('docs/fencing.md shows a guard in memory that runs as it stands', async () => {
  const lines: string[] = [];
  await execute(ofMemory, { ...fence, console: { log: (line: string) => lines.push(line) } });
  expect(lines).toEqual(['turns']);
});

test('docs/fencing.md shows a guard in Level that runs as it stands', async () => {
  const db = new Level(join(dir, 'level'));
  await execute(ofLevel, { ...fence, db });
  expect(await db.get('orders/42')).toBe('paid');
  await db.close();
});

test('docs/fencing.md shows a guard of files that runs as it stands', async () => {
  expect(ofFiles).toContain("'data/orders'");
  const root = join(dir, 'orders');
  const here = ofFiles.replace("'data/orders'", JSON.stringify(root));
  await execute(here, { ...fence, fs });
  const content = await fence.fileFence(fs, root).read('orders/42');
  expect(Buffer.from(content ?? []).toString()).toBe('paid twice');
});

test.skipIf(program === null)('docs/fencing.md shows Redis as it is', async () => {
  const server = await startRedis(program ?? '', dir);
  const redis = new Redis(server.path);
  await execute(ofRedis, { ...fence, redis });
  expect(await redis.mget('{orders/42}:state', '{stock}:left')).toEqual(['paid', '-3']);
  const keys = ['holdfast:fence:{orders/42}', '{orders/42}:state'];
  const write = (token: number, value: string): Promise<unknown> =>
    redis.eval(ofLua, 2, ...keys, token, value);
  expect(await write(40, 'sent')).toBe('OK');
  await expect(write(39, 'lost')).rejects.toThrow('STALE_TOKEN');
  await expect(fence.redisFence(redis).write('orders/42', { token: 39 }, [])).rejects.toThrow('40');
  expect(await redis.get('{orders/42}:state')).toBe('sent');
  redis.disconnect();
  await server.stop();
});

test('docs/fencing.md shows a guard of HTTP that runs as it stands', async () => {
  const tell = 'globalThis.answerOfFencing = answer;';
  const told: { answerOfFencing?: (request: Request) => Promise<Response> } = {};
  await execute(`${ofHttp}\n${tell}`, { ...fence, globalThis: told });
  const ask = (token: number): Promise<Response> | undefined => {
    const headers = fence.claimHeaders({ token });
    return told.answerOfFencing?.(new Request('http://a/o', { method: 'PUT', headers, body: 'x' }));
  };
  expect(await (await ask(34))?.text()).toBe('written under 34: x');
  expect((await ask(33))?.status).toBe(409);
});
