import { expect, test } from 'vitest';
import { openDoor } from './door.ts';
import { call } from './http-client.ts';

test.each([
  ['leader', { isReady: true }, 200, ''],
  ['leader', { isReady: false }, 503, 'leads but has not applied its log yet'],
  ['leader', { isReady: false, stuckMs: 800 }, 503, 'applied nothing of what is committed for 800'],
  ['follower', { isReady: true, leaderId: 'n2' }, 200, ''],
  ['follower', { isReady: false }, 503, 'knows of no leader'],
  [
    'follower',
    { isReady: false, leaderId: 'n2', stuckMs: 900 },
    503,
    'applied nothing of what is committed for 900 ms',
  ],
] as const)('A12 a %s that is %j is ready: %i', async (role, reported, status, detail) => {
  const door = await openDoor();
  door.host.role = role;
  door.host.reported = reported;
  const answer = await call(door.address, 'GET /readyz');
  expect(answer.status).toBe(status);
  expect(answer.body['detail'] ?? '').toContain(detail);
});
