// The real clock, randomness and network, against addresses where no node is.

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { failureOf } from './fake-world.ts';

async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = addressOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address;
}

test('connect rejects with UNAVAILABLE, naming the addresses and the last cause', async () => {
  const nodes = [await closedAddress(), await closedAddress()];
  const error = await failureOf(connect({ nodes, connectMs: 200 }));
  expect(error.code).toBe('UNAVAILABLE');
  for (const node of nodes) expect(error.message).toContain(`${node} (connection refused)`);
});

test('D8 connect refuses a wrong option before it dials', async () => {
  const nodes = [await closedAddress()];
  expect((await failureOf(connect({ nodes, ttlMs: 123.45 }))).code).toBe('INVALID');
  expect((await failureOf(connect({ nodes, connectMs: 0 }))).message).toContain('connectMs');
  expect((await failureOf(connect({ nodes: [] }))).code).toBe('INVALID');
});
