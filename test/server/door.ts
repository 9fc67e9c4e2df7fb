// The HTTP door before a scripted host, on a real server: for moments that a real node passes too
// quickly.

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { createSystemRandom } from '../../src/adapters/system-random.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { createHttpListener } from '../../src/server/http.ts';
import { createScriptedHost } from './scripted-host.ts';
import type { ScriptedHost } from './scripted-host.ts';

export interface Door {
  readonly host: ScriptedHost;
  readonly server: Server;
  readonly address: string;
  /** What was logged above "info". */
  readonly lines: string[];
}

export interface DoorOptions {
  readonly clock?: Clock;
  readonly openMax?: number;
  readonly allowedOrigins?: readonly string[];
}

/** Opens a door that is closed after the test. */
export async function openDoor(options: DoorOptions = {}): Promise<Door> {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  const host = createScriptedHost();
  const server = createServer(
    createHttpListener({
      host,
      clock: options.clock ?? createSystemClock(),
      random: createSystemRandom(),
      logger: { ...silentLogger, warn: keep, error: keep },
      redirect: false,
      allowedOrigins: options.allowedOrigins ?? [],
      bodyBytesMax: 1_024,
      answerMs: 1_000,
      watches: { openMax: options.openMax ?? 10, unreadBytesMax: 65_536 },
      metrics: { contentType: 'text/plain', text: () => Promise.resolve('') },
      advertised: () => null,
    }),
  );
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return { host, server, address: `127.0.0.1:${port}`, lines };
}

/** How many connections a server has. */
export function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
