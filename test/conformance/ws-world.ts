// Two ws transports on loopback for the conformance suite and for the tests of ws alone.

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOwnDoor } from '../../src/adapters/http-door.ts';
import { createWsTransport } from '../../src/adapters/ws-transport.ts';
import type { WsLimits, WsTransport } from '../../src/adapters/ws-transport.ts';
import type { TransportWorld } from './transport.ts';

export interface WsWorld extends TransportWorld {
  readonly listener: WsTransport;
  readonly dialer: WsTransport;
  readonly server: Server;
}

const TURNS_MAX = 4_000;

/** Waits for a condition, turn by turn; rejects after about 20 s. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (condition()) return;
    await sleep(turn < 100 ? 0 : 5);
  }
  throw new Error(`never came: ${what}`);
}

/** A port that was free a moment ago. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  await new Promise((done) => server.close(done));
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return `127.0.0.1:${bound.port}`;
}

/** Fresh transports; those who listen allow the origin http://ui.example. */
export async function openWsWorld(limits: Partial<WsLimits> = {}): Promise<WsWorld> {
  const server = createServer((_, response) => response.end('http'));
  const door = createOwnDoor(server, '127.0.0.1:0');
  const listen = { door, allowedOrigins: ['http://ui.example'] };
  const listener = createWsTransport({ listen, limits });
  const dialer = createWsTransport({ limits });
  return {
    listener,
    dialer,
    server,
    address: () => listener.address() ?? 'nowhere',
    deadAddress: await freeAddress(),
    until,
    end: async () => {
      await new Promise<void>((done) => dialer.destroy(done));
      await new Promise<void>((done) => listener.destroy(done));
    },
  };
}
