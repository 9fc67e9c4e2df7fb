import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { createSystemRandom } from '../../src/adapters/system-random.ts';
import type { Logger } from '../../src/ports/logger.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { createHttpListener } from '../../src/server/http.ts';
import { until } from '../conformance/ws-world.ts';
import { call } from './http-client.ts';
import { createScriptedHost } from './scripted-host.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A door whose log lines above "info" are kept. */
async function openDoor(lines: string[]): Promise<{ port: number; server: Server }> {
  const keep = (message: string): void => void lines.push(message);
  const logger: Logger = { ...silentLogger, warn: keep, error: keep };
  const server = createServer(
    createHttpListener({
      host: createScriptedHost(),
      clock: createSystemClock(),
      random: createSystemRandom(),
      logger,
      redirect: false,
      allowedOrigins: [],
      bodyBytesMax: 1_024,
      answerMs: 1_000,
      watches: { openMax: 10, unreadBytesMax: 65_536 },
      advertised: () => null,
    }),
  );
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  return { server, port: typeof bound === 'object' && bound !== null ? bound.port : 0 };
}

test('a caller that goes away in the middle of its body is no bug of the node', async () => {
  const lines: string[] = [];
  const { port, server } = await openDoor(lines);
  let requests = 0;
  server.on('request', () => requests++);
  const socket = connect(port, '127.0.0.1');
  const head = 'POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 100\r\n\r\n{"ttlMs":`);
  await until('the request', () => requests === 1);
  let connections = 1;
  socket.destroy();
  await until('the end of the connection', () => {
    server.getConnections((_error, count) => (connections = count));
    return connections === 0;
  });
  expect((await call(`127.0.0.1:${port}`, 'GET /livez')).status).toBe(200);
  expect(lines).toEqual([]);
});
