import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { formatAddress } from '../adapters/address.ts';

const HOST = '127.0.0.1';

/**
 * Loopback addresses that nobody listens on, all different. Another process may take one before
 * it is used: whoever needs certainty starts again then.
 */
export async function freeAddresses(count: number): Promise<readonly string[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(servers.map(listen));
  } finally {
    await Promise.all(servers.map(close));
  }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port: 0 }, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') return reject(new Error('no port is free'));
      resolve(formatAddress({ host: HOST, port: bound.port }));
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}
