// Acquire, wait, release, break over HTTP: retries, callers that go away, ends of waits.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { call, openSession } from './http-client.ts';
import type { HttpAnswer } from './http-client.ts';

let cluster: LocalCluster;
let address = '';

beforeAll(async () => {
  cluster = await localCluster({ nodes: 1 });
  address = cluster.addresses[0] ?? '';
});

afterAll(async () => {
  await cluster.stop();
});

function acquire(name: string, body: object, signal?: AbortSignal): Promise<HttpAnswer> {
  const extra = signal === undefined ? {} : { signal };
  return call(address, `POST /v1/locks/${name}/acquire`, { body, ...extra });
}

function release(name: string, body: object): Promise<HttpAnswer> {
  return call(address, `POST /v1/locks/${name}/release`, { body });
}

/** Asks until the lock has so many waiters. */
async function waitForWaiters(name: string, count: number): Promise<void> {
  for (let look = 0; look < 2_000; look++) {
    const { body } = await call(address, `GET /v1/locks/${name}`);
    if (Array.isArray(body['waiters']) && body['waiters'].length === count) return;
  }
  throw new Error(`${name} never had ${count} waiters`);
}

describe('retries', () => {
  test('C4 the same seq is granted once, with the same token', async () => {
    const session = await openSession(address);
    const first = await acquire('retry', { session, seq: 1 });
    const again = await acquire('retry', { session, seq: 1 });
    expect(again.body['token']).toBe(first.body['token']);
    const other = await acquire('other', { session, seq: 1 });
    expect(other.body['code']).toBe('INVALID');
  });

  test('C1 a repeated release does not free what was acquired since', async () => {
    const session = await openSession(address);
    const first = await acquire('twice', { session, seq: 1 });
    const body = { session, token: first.body['token'], seq: 2 };
    expect((await release('twice', body)).status).toBe(200);
    const second = await acquire('twice', { session, seq: 3 });
    expect((await release('twice', body)).status).toBe(200);
    const seen = await call(address, 'GET /v1/locks/twice');
    expect(seen.body['holder']).toMatchObject({ session, token: second.body['token'] });
  });

  test('a release without seq that comes twice finds nothing to release', async () => {
    const session = await openSession(address);
    const { token } = (await acquire('once', { session })).body;
    expect((await release('once', { session, token })).status).toBe(200);
    const late = await release('once', { session, token });
    expect(late.status).toBe(409);
    expect(late.body['code']).toBe('NOT_HOLDER');
  });

  test('requests with and without seq mix in one session', async () => {
    const session = await openSession(address);
    for (let round = 1; round <= 5; round++) {
      const granted = await acquire('mix', round % 2 === 0 ? { session } : { session, seq: round });
      const { token, acquireSeq } = granted.body;
      expect((await release('mix', { session, token, acquireSeq })).status).toBe(200);
    }
  });

  test('an acknowledged seq is stale, by default one thousand below the newest', async () => {
    const session = await openSession(address);
    const { token } = (await acquire('stale', { session, seq: 1 })).body;
    await release('stale', { session, token, seq: 2 });
    await acquire('stale', { session, seq: 1_100 });
    const late = await acquire('stale', { session, seq: 1 });
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ code: 'STALE_SEQ', outcome: 'unknown' });
  });
});

describe('waiting', () => {
  test('C10 a caller that goes away leaves no waiter behind', async () => {
    const [holder, leaver, next] = [
      await openSession(address),
      await openSession(address),
      await openSession(address),
    ];
    const { token } = (await acquire('gone', { session: holder })).body;
    const controller = new AbortController();
    const leaving = acquire('gone', { session: leaver, seq: 1, waitMs: 60_000 }, controller.signal);
    await waitForWaiters('gone', 1);
    const waiting = acquire('gone', { session: next, seq: 1, waitMs: 60_000 });
    await waitForWaiters('gone', 2);
    controller.abort();
    await expect(leaving).rejects.toThrow();
    await waitForWaiters('gone', 1);
    await release('gone', { session: holder, token });
    expect((await waiting).status).toBe(200);
  });

  test('the wait ends, and an open request kept its session alive meanwhile', async () => {
    const holder = await openSession(address);
    await acquire('over', { session: holder });
    const session = await openSession(address, { ttlMs: 1_000 });
    const over = await acquire('over', { session, seq: 1, waitMs: 3_000 });
    expect(over.status).toBe(409);
    expect(over.body).toMatchObject({ code: 'WAIT_OVER', outcome: 'none' });
  });

  test('the end of the session ends its waits', async () => {
    const [holder, waiter] = [await openSession(address), await openSession(address)];
    await acquire('ended', { session: holder });
    const waiting = acquire('ended', { session: waiter, seq: 1, waitMs: 60_000 });
    await waitForWaiters('ended', 1);
    await call(address, `DELETE /v1/sessions/${waiter}`);
    const answer = await waiting;
    expect(answer.status).toBe(410);
    expect(answer.body['code']).toBe('SESSION_GONE');
  });

  test('stopping the node answers those who wait', async () => {
    const own = await localCluster({ nodes: 1 });
    const [at = ''] = own.addresses;
    const [holder, waiter] = [await openSession(at), await openSession(at)];
    await call(at, 'POST /v1/locks/x/acquire', { body: { session: holder } });
    const body = { session: waiter, seq: 1, waitMs: 60_000 };
    const waiting = call(at, 'POST /v1/locks/x/acquire', { body });
    for (let look = 0; look < 2_000; look++) {
      const seen = await call(at, 'GET /v1/locks/x');
      if (Array.isArray(seen.body['waiters']) && seen.body['waiters'].length > 0) break;
    }
    await own.stop();
    const answer = await waiting;
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
    expect(answer.headers.get('Retry-After')).toBe('1');
  });
});

describe('looking and breaking', () => {
  test('a holder shows what was said about it', async () => {
    const session = await openSession(address, { name: 'billing', meta: { host: 'h1' } });
    await acquire('seen', { session, meta: { job: 7 } });
    const { body } = await call(address, 'GET /v1/locks/seen');
    expect(body['holder']).toMatchObject({
      sessionName: 'billing',
      sessionMeta: { host: 'h1' },
      meta: { job: 7 },
    });
    expect((await call(address, 'GET /v1/locks/unseen')).body).toMatchObject({
      holder: null,
      holders: [],
      waiters: [],
      waiterCount: 0,
    });
  });

  test('lists come in pages and in byte order', async () => {
    const session = await openSession(address);
    for (const name of ['l-c', 'l-a', 'l-b']) await acquire(name, { session });
    const page = await call(address, 'GET /v1/locks?prefix=l-&limit=2');
    expect(page.body).toMatchObject({ locks: [{ name: 'l-a' }, { name: 'l-b' }], hasMore: true });
    const rest = await call(address, 'GET /v1/locks?prefix=l-&after=l-b');
    expect(rest.body).toMatchObject({ locks: [{ name: 'l-c' }], hasMore: false });
    expect((await call(address, 'GET /v1/locks?limit=1001')).status).toBe(400);
    expect((await call(address, 'GET /v1/locks?limit=x')).status).toBe(400);
  });

  test('break frees exactly the grant with that token', async () => {
    const [holder, next] = [await openSession(address), await openSession(address)];
    const { token } = (await acquire('broken', { session: holder })).body;
    const path = 'POST /v1/locks/broken/break' as const;
    const wrong = await call(address, path, { body: { token: Number(token) + 1, reason: 'no' } });
    expect(wrong.body['code']).toBe('NOT_HOLDER');
    expect((await call(address, path, { body: { token } })).status).toBe(400);
    expect((await call(address, path, { body: { token, reason: 'stuck' } })).status).toBe(200);
    const granted = await acquire('broken', { session: next });
    expect(Number(granted.body['token'])).toBeGreaterThan(Number(token));
  });
});
