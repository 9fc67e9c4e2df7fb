import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { until } from '../conformance/ws-world.ts';
import { openDoor } from './door.ts';
import { call } from './http-client.ts';

test('a caller that goes away in the middle of its body is no bug of the node', async () => {
  const { address, server, lines } = await openDoor();
  let requests = 0;
  server.on('request', () => requests++);
  const [host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host);
  const head = 'POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 100\r\n\r\n{"ttlMs":`);
  await until('the request', () => requests === 1);
  let connections = 1;
  socket.destroy();
  await until('the end of the connection', () => {
    server.getConnections((_error, count) => (connections = count));
    return connections === 0;
  });
  expect((await call(address, 'GET /livez')).status).toBe(200);
  expect(lines).toEqual([]);
});
