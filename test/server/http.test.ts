// What one node answers over HTTP. The node is a real one, founded alone.

import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { call, openSession } from './http-client.ts';

let cluster: LocalCluster;
let address = '';

beforeAll(async () => {
  cluster = await localCluster({
    nodes: 1,
    config: { allowedOrigins: ['http://ui.example'], sizeLimits: { httpBodyBytesMax: 2_048 } },
  });
  address = cluster.addresses[0] ?? '';
});

afterAll(async () => {
  await cluster.stop();
});

/** Asks for a path as it is: fetch would tidy it up. */
function raw(path: string): Promise<{ status: number; text: string }> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host, port: Number(port), path }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end();
  });
}

describe('requests that are wrong change nothing and are answered with a problem', () => {
  test('a problem has the media type, the code, the outcome and whether to try again', async () => {
    const { status, headers, body } = await call(address, 'POST /v1/sessions', { body: '{' });
    expect(status).toBe(400);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body).toMatchObject({ code: 'INVALID', outcome: 'none', retryable: false, status: 400 });
    expect(body['detail']).toContain('body: expected JSON');
  });

  test.for([
    ['an unknown field', { ttl: 5 }, 'ttl: expected no such field; got 5'],
    ['a text as number', { ttlMs: '5s' }, 'ttlMs: expected a whole number'],
    ['a nonce of another form', { nonce: 'abc' }, 'nonce: expected 16 characters'],
    ['no object', [1], 'expected an object; got an array'],
    ['a TTL below the minimum', { ttlMs: 999 }, '1000'],
    ['a TTL above the maximum', { ttlMs: 600_001 }, '600000'],
    ['a body that is too large', { name: 'x'.repeat(3_000) }, 'body: expected at most 2048 bytes'],
  ] as const)('%s', async ([, body, text]) => {
    const answer = await call(address, 'POST /v1/sessions', { body });
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toContain(text);
  });

  test('a body that is not declared as JSON', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    const answer = await call(address, 'POST /v1/sessions', { headers, body: '{}' });
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toContain('Content-Type: expected application/json');
  });

  test('an origin that is not allowed gets 403, an allowed one may read the answer', async () => {
    const evil = await call(address, 'GET /v1/status', { headers: { Origin: 'http://evil.ex' } });
    expect(evil.status).toBe(403);
    expect(evil.body['code']).toBe('NOT_AUTHORISED');
    const good = await call(address, 'GET /v1/status', {
      headers: { Origin: 'http://ui.example' },
    });
    expect(good.status).toBe(200);
    expect(good.headers.get('Access-Control-Allow-Origin')).toBe('http://ui.example');
  });

  test('404 is for unknown paths, and says so', async () => {
    const { status, body } = await call(address, 'GET /v1/lock/x');
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'INVALID', title: 'no such path', status: 404 });
    expect(body['detail']).toContain('there is no /v1/lock/x here');
  });

  test.each(['GET /v1/locks/a/b', 'POST /v1/locks/a/b/acquire', 'GET /v1/locks/a/'] as const)(
    '404 says how a slash in a name is written: %s',
    async (request) => {
      const { status, body } = await call(address, request);
      expect(status).toBe(404);
      expect(body['detail']).toContain('a slash in a name is written as %2F');
    },
  );

  test.each([
    ['GET /v1/locks?Prefix=a', 'query: expected prefix, after, limit; got "Prefix"'],
    ['GET /v1/locks/x?prefix=a', 'query: expected no query; got "prefix"'],
    ['POST /v1/locks/x/acquire?waitMs=5', 'query: expected no query; got "waitMs"'],
    ['GET /v1/sessions?prefix=a', 'query: expected after, limit; got "prefix"'],
    ['GET /v1/sessions/1-a?names', 'query: expected after, limit; got "names"'],
    ['GET /v1/watch?from=5', 'query: expected name, prefix, after; got "from"'],
    ['GET /v1/status?verbose=1', 'query: expected no query; got "verbose"'],
    ['GET /livez?verbose', 'query: expected no query; got "verbose"'],
  ] as const)('400 is for a query that the route does not read: %s', async (request, text) => {
    const { status, body } = await call(address, request);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'INVALID', outcome: 'none' });
    expect(body['detail']).toContain(text);
  });

  test.each([
    ['POST /v1/status', 'GET, HEAD'],
    ['DELETE /v1/locks', 'GET, HEAD'],
    ['POST /v1/locks/x', 'GET, HEAD'],
    ['GET /v1/locks/x/acquire', 'POST'],
    ['DELETE /v1/sessions', 'POST, GET, HEAD'],
    ['POST /v1/sessions/1-a', 'DELETE, GET, HEAD'],
    ['GET /v1/acquire', 'POST'],
    ['POST /v1/watch', 'GET, HEAD'],
  ] as const)('405 is for a wrong method: %s may be %s', async (request, allowed) => {
    const { status, headers, body } = await call(address, request);
    expect(status).toBe(405);
    expect(headers.get('Allow')).toBe(allowed);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body).toMatchObject({ code: 'INVALID', title: 'no such method', outcome: 'none' });
    expect(body['detail']).toContain(`expected ${allowed}; got ${request.split(' ')[0] ?? ''}`);
  });

  test('waiting needs a seq, and has an end', async () => {
    const session = await openSession(address);
    const path = 'POST /v1/locks/seq/acquire' as const;
    const without = await call(address, path, { body: { session, waitMs: 1 } });
    expect(without.body['detail']).toContain('seq: expected a number');
    const long = await call(address, path, { body: { session, seq: 1, waitMs: 60_001 } });
    expect(long.body['detail']).toContain('waitMs: expected a whole number from 0 to 60000');
  });
});

describe('names travel as one path segment', () => {
  const names = [
    'a/b',
    '%',
    '%41',
    '%2F',
    'ä€😀',
    'a b',
    'a+b',
    '?',
    '#',
    'a//b/',
    'x'.repeat(512),
  ];
  test.for(names)('%s', async (name) => {
    const session = await openSession(address);
    const path = `/v1/locks/${encodeURIComponent(name)}` as const;
    const granted = await call(address, `POST ${path}/acquire`, { body: { session } });
    expect(granted.status).toBe(200);
    const seen = await call(address, `GET ${path}`);
    expect(seen.body).toMatchObject({ name, holder: { session, token: granted.body['token'] } });
    const listed = await call(address, `GET /v1/locks?prefix=${encodeURIComponent(name)}`);
    expect(listed.body['locks']).toMatchObject([{ name }]);
    expect((await call(address, `DELETE /v1/sessions/${session}`)).status).toBe(200);
  });

  test.for([
    ['%zz', 400],
    ['%ff', 400],
    ['%00', 400],
    ['a%0Ab', 400],
    ['%C2%85', 400],
    [`${'x'.repeat(513)}`, 400],
    ['%2e', 400],
    ['%2E%2e', 400],
  ] as const)('%s is no name', async ([segment, status]) => {
    expect([status, 404]).toContain((await raw(`/v1/locks/${segment}`)).status);
    expect((await call(address, 'GET /v1/locks')).body['locks']).toEqual([]);
  });
});

describe('paths that could be read in two ways', () => {
  test('name no lock but the one that the request line shows', async () => {
    // One that never expires, so that two looks show the same.
    const session = await openSession(address, { ttlMs: null });
    await call(address, 'POST /v1/locks/real/acquire', { body: { session } });
    const straight = await raw('/v1/locks/real');
    expect(straight.text).toContain(`"session":"${session}"`);
    expect((await raw(`http://somewhere/v1/locks/real`)).text).toBe(straight.text);
    const crooked = [
      '/v1/./locks/real',
      '/v1/locks/x/../real',
      '/v1//locks/real',
      '/v1/locks/real/',
    ];
    for (const path of crooked) expect([400, 404]).toContain((await raw(path)).status);
    await call(address, `DELETE /v1/sessions/${session}`);
  });
});

describe('sessions', () => {
  test('the same nonce opens one session', async () => {
    const body = { nonce: 'abcdefghijklmnop', ttlMs: 5_000, name: 'billing', meta: { job: 7 } };
    const first = await call(address, 'POST /v1/sessions', { body });
    const again = await call(address, 'POST /v1/sessions', { body });
    expect(first.body).toMatchObject({ ttlMs: 5_000 });
    expect(again.body['session']).toBe(first.body['session']);
  });

  test('a session lives until it is deleted, then everything says SESSION_GONE', async () => {
    const session = await openSession(address, { ttlMs: 7_000 });
    const alive = await call(address, `POST /v1/sessions/${session}/keepalive`);
    expect(alive.body).toEqual({ ttlMs: 7_000 });
    expect((await call(address, `DELETE /v1/sessions/${session}`)).status).toBe(200);
    const answers = [
      await call(address, `POST /v1/sessions/${session}/keepalive`),
      await call(address, `DELETE /v1/sessions/${session}`),
      await call(address, 'POST /v1/locks/a/acquire', { body: { session } }),
      await call(address, 'POST /v1/sessions/made-up/keepalive'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([410, 410, 410, 410]);
    expect(answers.map(({ body }) => body['code'])).toEqual(Array(4).fill('SESSION_GONE'));
  });
});

describe('status', () => {
  test('a node describes itself', async () => {
    const { body } = await call(address, 'GET /v1/status');
    expect(body).toMatchObject({ id: 'n1', role: 'leader', leader: 'n1', pid: process.pid });
    expect(body).toMatchObject({ bootCount: 1, peers: [], isReady: true });
    expect(Number(body['applied'])).toBeGreaterThan(0);
  });

  test('it is alive, ready and leads', async () => {
    for (const path of ['/livez', '/readyz', '/leaderz'] as const) {
      expect((await call(address, `GET ${path}`)).status).toBe(200);
    }
  });
});
