// A node on the HTTP server of the program around it: each answers what is its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { connect } from '../../src/index.ts';
import { createNode } from '../../src/node.ts';
import type { HoldfastNode } from '../../src/node.ts';
import { until } from '../conformance/ws-world.ts';
import { call } from './http-client.ts';

let root = '';
let server: Server;
let address = '';
let node: HoldfastNode;
/** What the program itself was asked. */
let asked: string[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-guest-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end(JSON.stringify({ by: 'the program' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  address = `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
  node = nodeOn(server);
});

afterEach(async () => {
  await node.stop();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(root, { recursive: true });
});

function nodeOn(on: Server, dataDir = root): HoldfastNode {
  const config = { name: 'guest', nodes: [{ id: 'n1', address }], dataDir };
  return createNode({ config, id: 'n1', server: on });
}

function countListeners(): readonly number[] {
  return ['request', 'upgrade', 'error', 'close', 'connection', 'checkContinue'].map((event) =>
    server.listenerCount(event),
  );
}

async function upgrade(path: string): Promise<string> {
  const webSocket = new WebSocket(`ws://${address}${path}`);
  return new Promise((resolve) => {
    webSocket.on('error', (error) => resolve(error.message));
    webSocket.on('message', (data: Buffer) => {
      webSocket.close();
      resolve(data.toString());
    });
  });
}

interface Answer {
  text: string;
  isOver: boolean;
}

/** What the server says to these bytes, as it comes. */
function send(bytes: string): Answer {
  const [host = '', port = ''] = address.split(':');
  const socket = connectSocket({ host, port: Number(port) });
  const answer: Answer = { text: '', isOver: false };
  socket.on('data', (chunk) => (answer.text += chunk.toString('latin1')));
  socket.on('close', () => (answer.isOver = true));
  socket.write(bytes);
  return answer;
}

describe('a node on a server of the program around it', () => {
  test('answers its own paths, and the program all others', async () => {
    await node.start();
    expect((await call(address, 'GET /livez')).body).toEqual({ status: 'alive' });
    expect((await call(address, 'GET /v1/status')).status).toBe(200);
    expect((await call(address, 'GET /v1/nothing')).body['code']).toBe('INVALID');
    for (const path of ['GET /', 'GET /v1', 'GET /v10/x', 'GET /livezz', 'POST /users'] as const) {
      expect((await call(address, path)).body).toEqual({ by: 'the program' });
    }
    expect(asked).toEqual(['/', '/v1', '/v10/x', '/livezz', '/users']);
  });

  test('serves clients over that server, and is found by its own', async () => {
    await node.start();
    await node.found();
    await using far = await connect({ nodes: [address] });
    await using near = await node.client();
    const grant = await far.lock('x').acquire();
    expect(await near.lock('x').tryAcquire()).toBe(null);
    await grant.release();
    await near.lock('x').acquire();
    expect(asked).toEqual([]);
  });

  test('leaves the program its upgrades, made before its start or after', async () => {
    const chat = new WebSocketServer({ server, path: '/chat' });
    chat.on('connection', (webSocket) => webSocket.send('hello from the chat'));
    await node.start();
    await node.found();
    expect(await upgrade('/chat')).toBe('hello from the chat');
    const late = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url !== '/late') return;
      late.handleUpgrade(request, socket, head, (webSocket) => webSocket.send('late'));
    });
    // The chat ends what it does not know: its business, not ours.
    expect(await upgrade('/late')).not.toBe('hello from the chat');
    await using client = await connect({ nodes: [address] });
    await client.lock('x').acquire();
    chat.close();
  });

  test('refuses upgrades that nobody takes', async () => {
    await node.start();
    expect(await upgrade('/nobody')).toContain('400');
  });

  test('answers a body that waits for its "100 Continue", though the program looks at those', async () => {
    server.on('checkContinue', (_, response) => response.writeHead(417).end());
    await node.start();
    const head = ['Host: x', 'Expect: 100-continue', 'Content-Type: application/json'];
    const rest = ['Content-Length: 2', 'Connection: close', '', '{}'];
    const post = async (path: string): Promise<string> => {
      const answer = send([`POST ${path} HTTP/1.1`, ...head, ...rest].join('\r\n'));
      await until('the answer', () => answer.isOver);
      return answer.text;
    };
    expect(await post('/users')).toContain('417');
    const ours = await post('/v1/sessions');
    expect(ours).toContain('100 Continue');
    expect(ours).toContain('NOT_FOUNDED');
  });

  test('goes without a trace: the program answers everything again', async () => {
    const before = countListeners();
    for (let round = 0; round < 3; round++) {
      await node.start();
      expect((await call(address, 'GET /livez')).status).toBe(200);
      await node.stop();
      expect((await call(address, 'GET /livez')).body).toEqual({ by: 'the program' });
      expect(countListeners()).toEqual(before);
      expect(Object.hasOwn(server, 'emit')).toBe(false);
    }
    expect(server.listening).toBe(true);
  });

  test('lets all pass after its stop, if somebody stands before it by then', async () => {
    await node.start();
    const { emit } = server;
    const seen: unknown[] = [];
    const outer = (...args: unknown[]): unknown => {
      seen.push(args[0]);
      return Reflect.apply(emit, server, args);
    };
    Object.defineProperty(server, 'emit', { value: outer, configurable: true });
    await node.stop();
    expect((await call(address, 'GET /livez')).body).toEqual({ by: 'the program' });
    expect(seen).toContain('request');
    Reflect.deleteProperty(server, 'emit');
  });

  test('ends what waits for an answer when it stops, and no other connection', async () => {
    const pending: ServerResponse[] = [];
    server.removeAllListeners('request');
    server.on('request', (_, response) => void pending.push(response));
    await node.start();
    await node.found();
    await until('a leader', () => node.status()?.isReady === true);
    const theirs = call(address, 'GET /slow');
    const stream = send('GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('both', () => pending.length === 1 && stream.text.includes('200 OK'));
    await node.stop();
    await until('the end of the stream', () => stream.isOver);
    pending[0]?.end('{"at":"last"}');
    expect((await theirs).body).toEqual({ at: 'last' });
  });

  test('has it for itself among nodes', async () => {
    await node.start();
    const other = nodeOn(server, join(root, 'other'));
    await expect(other.start()).rejects.toMatchObject({ code: 'CONFIG' });
    expect((await call(address, 'GET /livez')).status).toBe(200);
    await node.stop();
    await other.start();
    await other.stop();
  });

  test('refuses a server with TLS, which no node and no client dials', async () => {
    const config = { name: 'guest', nodes: [{ id: 'n1', address }], dataDir: root };
    const other = createNode({ config, id: 'n1', server: createTlsServer() });
    await expect(other.start()).rejects.toMatchObject({ code: 'CONFIG' });
  });
});
