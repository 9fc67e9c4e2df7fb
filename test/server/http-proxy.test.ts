// H3: who a caller is stands in the request (session, token, seq), never in its connection.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { call, openSession } from './http-client.ts';
import { startRetryProxy } from './retry-proxy.ts';

let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await localCluster({ nodes: 3 });
  await cluster.ready();
});

afterAll(async () => {
  await cluster.stop();
});

test('H3 callers that share one connection to the nodes hold nothing of each other', async () => {
  const proxy = await startRetryProxy(cluster.addresses);
  const [first, second] = [await openSession(proxy.address), await openSession(proxy.address)];
  const path = 'POST /v1/locks/shared-socket' as const;
  const { token } = (await call(proxy.address, `${path}/acquire`, { body: { session: first } }))
    .body;
  const busy = await call(proxy.address, `${path}/acquire`, { body: { session: second } });
  expect(busy.body).toMatchObject({ code: 'LOCK_BUSY', token, holder: { session: first } });
  const strange = { body: { session: second, token } };
  const refused = await call(proxy.address, `${path}/release`, strange);
  expect([refused.status, refused.body['code']]).toEqual([409, 'NOT_HOLDER']);
  expect(proxy.connections()).toBeLessThanOrEqual(cluster.addresses.length);

  const other = await startRetryProxy(cluster.addresses);
  const released = await call(other.address, `${path}/release`, {
    body: { session: first, token },
  });
  expect(released.status).toBe(200);
});

test('H3 an acquire that a proxy sends again with its seq gives the same grant', async () => {
  const proxy = await startRetryProxy(cluster.addresses);
  const session = await openSession(proxy.address);
  const path = 'POST /v1/locks/again' as const;
  const sent = proxy.sent();
  proxy.loseAnswers(2);
  const granted = await call(proxy.address, `${path}/acquire`, { body: { session, seq: 1 } });
  expect(proxy.sent()).toBeGreaterThanOrEqual(sent + 3);
  expect(granted.status).toBe(200);
  const { token } = granted.body;
  const { holders } = (await call(proxy.address, 'GET /v1/locks/again')).body;
  expect(holders).toMatchObject([{ session, token, acquireSeq: 1 }]);
  const again = await call(proxy.address, `${path}/acquire`, { body: { session, seq: 1 } });
  expect(again.body['token']).toBe(token);

  proxy.loseAnswers(2);
  const release = { body: { session, token, seq: 2 } };
  expect((await call(proxy.address, `${path}/release`, release)).status).toBe(200);
  const over = await call(proxy.address, `${path}/release`, { body: { session, token, seq: 3 } });
  expect([over.status, over.body['code']]).toEqual([409, 'NOT_HOLDER']);
});

test('H3 a release without seq that a proxy sends again is an error, not a false success', async () => {
  const proxy = await startRetryProxy(cluster.addresses);
  const session = await openSession(proxy.address);
  const path = 'POST /v1/locks/twice' as const;
  const { token } = (await call(proxy.address, `${path}/acquire`, { body: { session } })).body;
  proxy.loseAnswers(1);
  const released = await call(proxy.address, `${path}/release`, { body: { session, token } });
  expect([released.status, released.body['code']]).toEqual([409, 'NOT_HOLDER']);
});

test('H3 C4 a grant survives the end of the connection and of the node that gave it', async () => {
  const proxy = await startRetryProxy(cluster.addresses);
  const session = await openSession(proxy.address);
  const path = 'POST /v1/locks/moved' as const;
  const body = { session, seq: 1 };
  const { token } = (await call(proxy.address, `${path}/acquire`, { body })).body;
  const leader = await cluster.ready();
  await cluster.kill(leader);
  await expect
    .poll(() => call(proxy.address, `${path}/acquire`, { body }))
    .toMatchObject({ status: 200, body: { token } });
  await cluster.restart(leader);
});
