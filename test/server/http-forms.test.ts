// Shared locks, semaphores, several names, elections, lock-delays and sessions over HTTP.

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

function acquire(name: string, body: object): Promise<HttpAnswer> {
  return call(address, `POST /v1/locks/${name}/acquire`, { body });
}

function acquireAll(body: object): Promise<HttpAnswer> {
  return call(address, 'POST /v1/acquire', { body });
}

function release(name: string, body: object): Promise<HttpAnswer> {
  return call(address, `POST /v1/locks/${name}/release`, { body });
}

async function inspect(name: string): Promise<HttpAnswer['body']> {
  return (await call(address, `GET /v1/locks/${name}`)).body;
}

async function sessions(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => openSession(address)));
}

describe('shared locks', () => {
  test('are shared with others who say so, in strict order', async () => {
    const [first = '', second = '', writer = '', late = ''] = await sessions(4);
    const shared = { mode: 'shared' };
    const one = await acquire('s1', { session: first, ...shared });
    const two = await acquire('s1', { session: second, ...shared });
    expect([one.status, two.status]).toEqual([200, 200]);
    const seen = await inspect('s1');
    expect(seen['holders']).toMatchObject([{ mode: 'shared' }, { mode: 'shared' }]);
    expect(seen['holderCount']).toBe(2);
    const waiting = acquire('s1', { session: writer, seq: 1, waitMs: 60_000 });
    await expect.poll(async () => (await inspect('s1'))['waiterCount']).toBe(1);
    const passed = await acquire('s1', { session: late, ...shared });
    expect(passed.body['code']).toBe('LOCK_BUSY');
    await release('s1', { session: first, token: one.body['token'] });
    await release('s1', { session: second, token: two.body['token'] });
    expect((await waiting).status).toBe(200);
  });
});

describe('semaphores', () => {
  test('give the lowest free slots, and say what is in force to whoever disagrees', async () => {
    const [first = '', second = '', third = ''] = await sessions(3);
    const one = await acquire('gpu', { session: first, permits: [2, 4] });
    const two = await acquire('gpu', { session: second, permits: [1, 4] });
    expect([one.body['slots'], two.body['slots']]).toEqual([[0, 1], [2]]);
    const full = await acquire('gpu', { session: third, permits: [2, 4] });
    expect(full.body).toMatchObject({ code: 'LOCK_BUSY', status: 409 });
    const other = await acquire('gpu', { session: third, permits: [1, 5] });
    expect(other.body).toMatchObject({ code: 'INVALID', status: 400 });
    expect(other.body['detail']).toContain('4');
    await release('gpu', { session: first, token: one.body['token'] });
    const next = await acquire('gpu', { session: third, permits: [2, 4] });
    expect(next.body['slots']).toEqual([0, 1]);
    expect((await inspect('gpu'))['holders']).toMatchObject([
      { permits: [1, 4], slots: [2] },
      { permits: [2, 4], slots: [0, 1] },
    ]);
  });

  test.each([
    [{ permits: [0, 4] }, 'permits[0]: expected a whole number from 1'],
    [{ permits: [1] }, 'permits: expected a pair [taken, total]'],
    [{ permits: 3 }, 'permits: expected a pair [taken, total]'],
    [{ permits: [5, 4] }, 'permits'],
    [{ permits: [1, 4], mode: 'shared' }, 'mode'],
    [{ mode: 'both' }, 'mode: expected "exclusive" or "shared"'],
    [{ value: 7 }, 'value: expected a text'],
  ])('%j is refused', async (fields, text) => {
    const [session = ''] = await sessions(1);
    const answer = await acquire('refused', { session, ...fields });
    expect([answer.status, answer.body['code']]).toEqual([400, 'INVALID']);
    expect(answer.body['detail']).toContain(text);
    expect((await inspect('refused'))['holders']).toEqual([]);
  });
});

describe('several names in one request', () => {
  test('are granted together with one token, and released by any of them', async () => {
    const [session = '', other = ''] = await sessions(2);
    const items = [{ name: 'm/b' }, { name: 'm/a', permits: [1, 2] }];
    const granted = await acquireAll({ session, items });
    expect(granted.body).toMatchObject({ slots: [[], [0]] });
    const { token } = granted.body;
    for (const name of ['m%2Fa', 'm%2Fb']) {
      expect((await inspect(name))['holder']).toMatchObject({ session, token });
    }
    const half = await acquireAll({ session: other, items: [{ name: 'free' }, { name: 'm/b' }] });
    expect(half.body).toMatchObject({ code: 'LOCK_BUSY', name: 'm/b', token, ghost: null });
    expect((await inspect('free'))['holder']).toBe(null);
    expect((await release('m%2Fa', { session, token })).status).toBe(200);
    expect((await inspect('m%2Fb'))['holder']).toBe(null);
  });

  test('wait together, and a retry with the same seq finds the place', async () => {
    const [holder = '', session = ''] = await sessions(2);
    const { token } = (await acquire('w2', { session: holder })).body;
    const body = { session, seq: 1, waitMs: 60_000, items: [{ name: 'w1' }, { name: 'w2' }] };
    const first = acquireAll(body);
    await expect.poll(async () => (await inspect('w1'))['waiterCount']).toBe(1);
    const again = acquireAll(body);
    await release('w2', { session: holder, token });
    const tokens = [(await first).body['token'], (await again).body['token']];
    expect(tokens[0]).toBeGreaterThan(Number(token));
    expect(tokens[1]).toBe(tokens[0]);
  });

  test.each([
    ['no list', {}, 'items: expected a list of names; got nothing'],
    ['an empty list', { items: [] }, 'items: expected a list of 1 to 64 names'],
    ['no name', { items: [{ name: 'a' }, { name: '..' }] }, 'items[1].name: ".." cannot be a name'],
    [
      'a field of no item',
      { items: [{ name: 'a', seq: 1 }] },
      'items[0].seq: expected no such field',
    ],
    ['a name twice', { items: [{ name: 'a' }, { name: 'a' }] }, 'each lock once'],
    [
      '65 names',
      { items: Array.from({ length: 65 }, (_, at) => ({ name: `n${at}` })) },
      '1 to 64 names',
    ],
    ['a wait without seq', { items: [{ name: 'a' }], waitMs: 1 }, 'seq: expected a number'],
  ] as const)('%s is refused', async (_, fields, text) => {
    const [session = ''] = await sessions(1);
    const answer = await acquireAll({ session, ...fields });
    expect([answer.status, answer.body['code']]).toEqual([400, 'INVALID']);
    expect(answer.body['detail']).toContain(text);
  });
});

describe('elections', () => {
  test('a leader proclaims another value, and nobody else does', async () => {
    const [session = '', other = ''] = await sessions(2);
    const { token } = (await acquire('lead', { session, value: 'n1:7000' })).body;
    expect((await inspect('lead'))['holder']).toMatchObject({ value: 'n1:7000' });
    const path = 'POST /v1/locks/lead/proclaim' as const;
    const done = await call(address, path, { body: { session, token, value: 'n1:8000' } });
    expect(done.status).toBe(200);
    const seen = await inspect('lead');
    expect(seen['holder']).toMatchObject({ value: 'n1:8000', token });
    const stranger = { session: other, token, value: 'mine' };
    const refused = await call(address, path, { body: stranger });
    expect([refused.status, refused.body['code']]).toEqual([409, 'NOT_HOLDER']);
    const bare = await call(address, path, { body: { session, token } });
    expect(bare.body['detail']).toContain('value: expected a text; got nothing');
  });

  test('the same seq proclaims once', async () => {
    const [session = ''] = await sessions(1);
    const { token } = (await acquire('lead2', { session, value: 'a' })).body;
    const path = 'POST /v1/locks/lead2/proclaim' as const;
    const numbered = { session, token, value: 'b', seq: 1 };
    expect((await call(address, path, { body: numbered })).status).toBe(200);
    await call(address, path, { body: { session, token, value: 'c', seq: 2 } });
    expect((await call(address, path, { body: numbered })).status).toBe(200);
    expect((await inspect('lead2'))['holder']).toMatchObject({ value: 'c' });
  });
});

describe('C15 D12 lock-delay', () => {
  test('keeps a lock closed after an expiry, says so, and can be broken', async () => {
    const session = await openSession(address, { ttlMs: 1_000, lockDelayMs: 60_000, name: 'dead' });
    const other = await openSession(address);
    const { token } = (await acquire('delay', { session })).body;
    await expect.poll(async () => (await inspect('delay'))['holder']).toBe(null);
    const ghost = { token, session, sessionName: 'dead', lockDelayMs: 60_000 };
    const seen = await inspect('delay');
    expect(seen).toMatchObject({ holders: [], ghosts: [ghost] });
    const [{ delayLeftMs }] = Object(seen['ghosts']);
    expect(delayLeftMs).toBeGreaterThan(0);
    expect(delayLeftMs).toBeLessThanOrEqual(60_000);
    const busy = await acquire('delay', { session: other });
    expect(busy.status).toBe(409);
    expect(busy.body).toMatchObject({ code: 'LOCK_BUSY', token, holder: null, ghost });
    expect(busy.body['revision']).toBeGreaterThan(Number(token));
    const path = 'POST /v1/locks/delay/break' as const;
    expect((await call(address, path, { body: { token, reason: 'seen dead' } })).status).toBe(200);
    expect((await acquire('delay', { session: other })).status).toBe(200);
  });

  test('is none after a close', async () => {
    const session = await openSession(address, { lockDelayMs: 60_000 });
    await acquire('closed', { session });
    await call(address, `DELETE /v1/sessions/${session}`);
    expect(await inspect('closed')).toMatchObject({ holders: [], ghosts: [] });
  });
});

describe('sessions as operators see them', () => {
  test('D12 one shows what it holds and waits for, and when it would expire', async () => {
    const fields = { name: 'billing', meta: { host: 'h1' }, ttlMs: 30_000, lockDelayMs: 500 };
    const [session, holder] = [await openSession(address, fields), await openSession(address)];
    await acquire('o%2Ftaken', { session: holder });
    const { token } = (
      await acquireAll({
        session,
        seq: 1,
        items: [{ name: 'o/a' }, { name: 'o/b', permits: [2, 3] }],
      })
    ).body;
    const waiting = acquire('o%2Ftaken', { session, seq: 2, waitMs: 60_000, mode: 'shared' });
    await expect
      .poll(async () => (await call(address, `GET /v1/sessions/${session}`)).body['waiting'])
      .toBe(1);
    const { body } = await call(address, `GET /v1/sessions/${session}`);
    expect(body).toMatchObject({
      session,
      name: 'billing',
      meta: { host: 'h1' },
      ttlMs: 30_000,
      lockDelayMs: 500,
      held: 3,
      hasMore: false,
      holdings: [
        { acquireSeq: 1, token, names: ['o/a', 'o/b'], mode: 'exclusive', slots: [[], [0, 1]] },
        { acquireSeq: 2, token: null, names: ['o/taken'], mode: 'shared' },
      ],
    });
    expect(body['leaseLeftMs']).toBeGreaterThan(0);
    expect(body['leaseLeftMs']).toBeLessThanOrEqual(30_000);
    const page = await call(address, `GET /v1/sessions/${session}?limit=1`);
    expect(page.body).toMatchObject({ holdings: [{ acquireSeq: 1 }], hasMore: true });
    const rest = await call(address, `GET /v1/sessions/${session}?after=1`);
    expect(rest.body).toMatchObject({ holdings: [{ acquireSeq: 2 }], hasMore: false });
    await call(address, `DELETE /v1/sessions/${session}`);
    expect((await waiting).status).toBe(410);
  });

  test('all are listed in pages, oldest first', async () => {
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push(await openSession(address));
    const from = `GET /v1/sessions?after=${ids[0] ?? ''}` as const;
    const rest = await call(address, from);
    expect(Object(rest.body['sessions']).slice(0, 2)).toMatchObject([
      { session: ids[1] },
      { session: ids[2] },
    ]);
    const page = await call(address, `${from}&limit=1`);
    expect(page.body).toMatchObject({ sessions: [{ session: ids[1] }], hasMore: true });
    const wrong = await call(address, 'GET /v1/sessions?after=x');
    expect(wrong.body['detail']).toContain('after: expected the id of a session; got "x"');
  });

  test('ending one frees what it holds at once, and tells nobody else', async () => {
    const [session = '', next = ''] = await sessions(2);
    await acquire('held', { session });
    const path = `POST /v1/sessions/${session}/end` as const;
    const bare = await call(address, path, { body: {} });
    expect(bare.body['detail']).toContain('reason: expected a text: why; got nothing');
    const ended = await call(address, path, { body: { reason: 'host is gone', by: 'ops' } });
    expect(ended.status).toBe(200);
    expect((await acquire('held', { session: next })).status).toBe(200);
    const late = await call(address, path, { body: { reason: 'again' } });
    const gone = await call(address, `GET /v1/sessions/${session}`);
    expect([late.status, late.body['code']]).toEqual([410, 'SESSION_GONE']);
    expect([gone.status, gone.body['code']]).toEqual([410, 'SESSION_GONE']);
  });

  test('one without TTL never expires, as the answers say', async () => {
    const { body } = await call(address, 'POST /v1/sessions', { body: { ttlMs: null } });
    const session = String(body['session']);
    expect(body['ttlMs']).toBe(null);
    await acquire('forever', { session });
    expect((await inspect('forever'))['holder']).toMatchObject({ leaseLeftMs: null });
    const alive = await call(address, `POST /v1/sessions/${session}/keepalive`);
    expect(alive.body).toEqual({ ttlMs: null });
    const seen = await call(address, `GET /v1/sessions/${session}`);
    expect(seen.body).toMatchObject({ ttlMs: null, leaseLeftMs: null });
  });
});
