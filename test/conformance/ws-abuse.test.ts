// Strangers and broken peers at a node's doors. Each costs its own connection and no other.

import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { HoldfastError } from '../../src/base/error.ts';
import { createOwnDoor } from '../../src/adapters/http-door.ts';
import { createWsTransport } from '../../src/adapters/ws-transport.ts';
import type { WsLimits } from '../../src/adapters/ws-transport.ts';
import { connected, dialled, frameOf, listening } from './transport.ts';
import { openWsWorld, until } from './ws-world.ts';
import type { WsWorld } from './ws-world.ts';

let worlds: WsWorld[] = [];

async function open(limits: Partial<WsLimits> = {}): Promise<WsWorld> {
  const world = await openWsWorld(limits);
  worlds.push(world);
  return world;
}

afterEach(async () => {
  for (const world of worlds) await world.end();
  worlds = [];
});

/** A raw socket to the world's listener and everything that it answers. */
function raw(world: WsWorld): { socket: Socket; text: () => string; isOver: () => boolean } {
  const [host, port] = world.address().split(':');
  const socket = connect({ host: host ?? '', port: Number(port) });
  let text = '';
  let isOver = false;
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  socket.on('error', () => (isOver = true));
  socket.on('close', () => (isOver = true));
  return { socket, text: () => text, isOver: () => isOver };
}

const HANDSHAKE = [
  'Host: node',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

function upgradeRequest(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, ...HANDSHAKE, ...headers, '', ''].join('\r\n');
}

/** A healthy link beside the trouble, and a check that it still works. */
async function bystander(world: WsWorld) {
  const pair = await connected(world);
  return async () => {
    const before = pair.atAccepted.frames.length;
    pair.dialled.send(frameOf(1));
    await until('a frame of the bystander', () => pair.atAccepted.frames.length > before);
    expect(pair.atDialled.closes).toEqual([]);
  };
}

/** A plain WebSocket to the door for clients. */
async function stranger(world: WsWorld): Promise<WebSocket> {
  const webSocket = new WebSocket(`ws://${world.address()}/v1/link`);
  webSocket.on('error', () => {});
  await until('the stranger is in', () => webSocket.readyState === WebSocket.OPEN);
  return webSocket;
}

describe('frames that are not ours', () => {
  test('an oversize frame ends that link and no other', async () => {
    const world = await open();
    const stillWorks = await bystander(world);
    const webSocket = await stranger(world);
    webSocket.send(new Uint8Array(262_145));
    await until('the end', () => webSocket.readyState === WebSocket.CLOSED);
    await stillWorks();
  });

  test('a text frame ends that link and no other', async () => {
    const world = await open();
    const stillWorks = await bystander(world);
    const webSocket = await stranger(world);
    let code = 0;
    webSocket.on('close', (closeCode) => (code = closeCode));
    webSocket.send('hello');
    await until('the end', () => webSocket.readyState === WebSocket.CLOSED);
    expect(code).toBe(1003);
    await stillWorks();
  });

  test('garbage after the handshake ends that link and no other', async () => {
    const world = await open();
    const stillWorks = await bystander(world);
    const { socket, text, isOver } = raw(world);
    socket.write(upgradeRequest('/v1/link'));
    await until('the upgrade', () => text().includes('101 Switching'));
    socket.write(Buffer.alloc(100, 0xff));
    await until('the end', isOver);
    await stillWorks();
  });

  test('the owner learns why its link ended', async () => {
    const world = await open();
    const accepted = await listening(world);
    const webSocket = await stranger(world);
    webSocket.send('hello');
    await until('the reason', () => (accepted[0]?.record.closes.length ?? 0) > 0);
    expect(accepted[0]?.record.closes).toEqual(['a text frame came; expected binary frames only']);
  });
});

describe('handshakes that are not ours', () => {
  test('bytes that are no HTTP are answered 400 and cut', async () => {
    const world = await open();
    const stillWorks = await bystander(world);
    const { socket, text, isOver } = raw(world);
    socket.write('\x16\x03\x01 this is not HTTP\r\n\r\n');
    await until('the end', isOver);
    expect(text()).toContain('400 Bad Request');
    await stillWorks();
  });

  test.for([
    ['another path', upgradeRequest('/v1/other'), '404 Not Found'],
    ['a path below a door', upgradeRequest('/v1/link/x'), '404 Not Found'],
    ['a foreign origin', upgradeRequest('/v1/link', 'Origin: http://evil.example'), '403 Forb'],
    ['no key', upgradeRequest('/v1/link').replace(/Sec-WebSocket-Key.*\r\n/, ''), '400 Bad'],
  ] as const)('%s is turned away', async ([, request, status]) => {
    const world = await open();
    await listening(world);
    const { socket, text, isOver } = raw(world);
    socket.write(request);
    await until('the end', isOver);
    expect(text()).toContain(status);
    expect(world.listener.counts().clientLinks).toBe(0);
  });

  test('an allowed origin and an absent one come in', async () => {
    const world = await open();
    await listening(world);
    for (const headers of [['Origin: http://ui.example'], []]) {
      const { socket, text } = raw(world);
      socket.write(upgradeRequest('/v1/link', ...headers));
      await until('the upgrade', () => text().includes('101 Switching'));
    }
  });

  test('a full door answers 503, and lets the next one in when somebody leaves', async () => {
    const world = await open({ clientLinksMax: 2 });
    await listening(world);
    const first = await stranger(world);
    await stranger(world);
    expect(await dialled(world, world.address(), 'client')).toBe('failed');
    expect(typeof (await dialled(world, world.address(), 'peer'))).toBe('object');
    first.close();
    await until('a place', () => world.listener.counts().clientLinks === 1);
    expect(typeof (await dialled(world, world.address(), 'client'))).toBe('object');
    expect(world.listener.counts()).toEqual({ peerLinks: 1, clientLinks: 2, refusedUpgrades: 1 });
  });

  test('plain HTTP on the same port goes to the listener of requests', async () => {
    const world = await open();
    await listening(world);
    expect(await (await fetch(`http://${world.address()}/v1/link`)).text()).toBe('http');
  });
});

describe('far ends that are silent, deaf or gone', () => {
  test('a link whose far end answers nothing is cut', async () => {
    const world = await open({ pingMs: 20 });
    const accepted = await listening(world);
    const { socket, text, isOver } = raw(world);
    socket.write(upgradeRequest('/v1/link'));
    await until('the upgrade', () => text().includes('101 Switching'));
    await until('the end', isOver);
    expect(accepted[0]?.record.closes).toEqual(['no sign of life']);
  });

  test('a quiet link between two transports lives on, a paused one too', async () => {
    const world = await open({ pingMs: 10 });
    const stillWorks = await bystander(world);
    const paused = await dialled(world, world.address());
    if (typeof paused === 'string') throw new Error(paused);
    let reason = '';
    paused.onClose = (why) => (reason = why);
    paused.pause();
    const { socket, text, isOver } = raw(world);
    socket.write(upgradeRequest('/v1/link'));
    await until('a silent link beside them is cut', () => text() !== '' && isOver());
    await stillWorks();
    expect(reason).toBe('');
  });

  test('a far end that leaves too much unread is cut', async () => {
    const world = await open({ sendMarkBytes: 65_536, sendCapBytes: 4_194_304 });
    const accepted = await listening(world);
    const { socket, text } = raw(world);
    socket.write(upgradeRequest('/v1/link'));
    await until('the upgrade', () => text().includes('101 Switching'));
    socket.pause();
    const link = accepted[0];
    for (let count = 0; count < 200; count++) link?.link.send(new Uint8Array(262_144));
    await until('the cut', () => (link?.record.closes.length ?? 0) > 0);
    expect(link?.record.closes[0]).toContain('left unread');
    expect(link?.link.bufferedBytes).toBeLessThan(8_388_608);
    socket.destroy();
  });

  test('a killed process shows as a lost connection, and its address as refused', async () => {
    const world = await open();
    const pair = await connected(world);
    await new Promise<void>((done) => world.listener.destroy(done));
    await until('the loss', () => pair.atDialled.closes.length === 1);
    expect(pair.atDialled.closes).toEqual(['connection lost']);
    expect(await dialled(world, world.address())).toBe('refused');
  });

  test('whoever accepts and never answers, or answers plain HTTP, is "failed"', async () => {
    const world = await open({ dialMs: 50 });
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await until('listening', () => silent.listening);
    const bound = silent.address();
    const port = bound !== null && typeof bound !== 'string' ? bound.port : 0;
    expect(await dialled(world, `127.0.0.1:${port}`)).toBe('failed');
    silent.close();
    expect(await dialled(world, 'no address at all')).toBe('failed');
  });

  test('a port in use is named', async () => {
    const world = await open();
    await listening(world);
    const { server } = await openWsWorld();
    const listen = { door: createOwnDoor(server, world.address()), allowedOrigins: [] };
    let error: Error | null | undefined;
    createWsTransport({ listen }).listen(
      () => {},
      (result) => (error = result),
    );
    await until('the answer', () => error !== undefined);
    expect(HoldfastError.is(error) && error.code).toBe('PORT_IN_USE');
    expect(error?.message).toContain(world.address());
  });
});
