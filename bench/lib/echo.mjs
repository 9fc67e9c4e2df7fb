// A process that sends back what it gets, over TCP and over a WebSocket: what a round trip between
// two processes costs when nothing else is done. Started by lib/limits.mjs.

import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { WebSocketServer } from 'ws';

const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });

const tcp = createTcpServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => socket.write(chunk));
});
const http = createServer();
const ws = new WebSocketServer({ server: http, perMessageDeflate: false });
ws.on('connection', (socket) => {
  socket.on('error', () => socket.terminate());
  socket.on('message', (data) => socket.send(data));
});
process.on('disconnect', () => process.exit());
process.send({ tcpPort: await listen(tcp), wsPort: await listen(http) });
