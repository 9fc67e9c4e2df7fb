import { afterAll, beforeAll, expect, test } from 'vitest';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { call } from './http-client.ts';

let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await localCluster({ nodes: 3, config: { redirect: false } });
});

afterAll(async () => {
  await cluster.stop();
});

test('with redirect: false a follower answers 503 and when to try again', async () => {
  const leader = await cluster.ready();
  const at = cluster.ids.findIndex((id) => id !== leader);
  const answer = await call(cluster.addresses[at] ?? '', 'POST /v1/sessions', { body: {} });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('1');
  expect(answer.headers.get('Location')).toBe(null);
  expect(answer.body).toMatchObject({ code: 'NOT_LEADER', outcome: 'none', retryable: true });
});

test('reads and renewals are the leader’s too', async () => {
  const leader = await cluster.ready();
  const at = cluster.ids.findIndex((id) => id !== leader);
  const address = cluster.addresses[at] ?? '';
  const answers = [
    await call(address, 'GET /v1/locks/x'),
    await call(address, 'GET /v1/locks'),
    await call(address, 'POST /v1/sessions/any/keepalive'),
  ];
  expect(answers.map(({ body }) => body['code'])).toEqual(Array(3).fill('NOT_LEADER'));
});
