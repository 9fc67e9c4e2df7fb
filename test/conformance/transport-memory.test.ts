// Clients reach a node of their own process without a socket; other nodes reach it as ever.

import { describe, expect, test } from 'vitest';
import { MemoryDoor, throughMemoryDoors, withMemoryDoor } from '../../src/adapters/memory-door.ts';
import type { WsTransport } from '../../src/adapters/ws-transport.ts';
import type { Link } from '../../src/ports/transport.ts';
import { connected, dialled, frameOf, listening, testTransport } from './transport.ts';
import type { TransportWorld } from './transport.ts';
import { openWsWorld } from './ws-world.ts';

interface MemoryWorld extends TransportWorld {
  readonly listener: WsTransport;
  readonly memoryDoor: MemoryDoor;
}

async function openMemoryWorld(door = new MemoryDoor()): Promise<MemoryWorld> {
  const world = await openWsWorld();
  const at = (address: string): MemoryDoor | null => (address === world.address() ? door : null);
  return {
    ...world,
    listener: withMemoryDoor(world.listener, door),
    dialer: throughMemoryDoors(world.dialer, at),
    memoryDoor: door,
  };
}

testTransport('memory', () => openMemoryWorld());

describe('a link within the process', () => {
  async function withWorld(
    run: (world: MemoryWorld) => Promise<void>,
    door?: MemoryDoor,
  ): Promise<void> {
    const world = await openMemoryWorld(door);
    try {
      await run(world);
    } finally {
      await world.end();
    }
  }

  test('uses no socket', () =>
    withWorld(async (world) => {
      const pair = await connected(world);
      expect(world.listener.counts().clientLinks).toBe(0);
      expect(world.memoryDoor.linkCount).toBe(1);
      pair.dialled.close('done');
      await world.until('the end', () => world.memoryDoor.linkCount === 0);
    }));

  test('shares no bytes: what the sender writes afterwards changes nothing', () =>
    withWorld(async (world) => {
      const pair = await connected(world);
      const [plain, buffer] = [frameOf(7), Buffer.from(frameOf(8))];
      pair.dialled.send(plain);
      pair.dialled.send(buffer);
      plain.fill(0);
      buffer.fill(0);
      await world.until('both', () => pair.atAccepted.frames.length === 2);
      expect(pair.atAccepted.frames).toEqual([frameOf(7), frameOf(8)]);
      expect(pair.atAccepted.frames.map((frame) => frame.constructor)).toEqual([
        Uint8Array,
        Uint8Array,
      ]);
    }));

  test('is cut when the far end leaves too much unread', () =>
    withWorld(
      async (world) => {
        const pair = await connected(world);
        pair.accepted.pause();
        let isTaken = true;
        for (let number = 0; number < 5; number++) isTaken = pair.dialled.send(frameOf(1, 1_000));
        expect(isTaken).toBe(false);
        expect(pair.atDialled.closes).toEqual([]);
        await world.until('both ends know', () => pair.atAccepted.closes.length === 1);
        expect(pair.atDialled.closes).toEqual(['5000 bytes left unread']);
        expect(pair.atAccepted.closes).toEqual(['connection lost']);
        expect(pair.atAccepted.frames).toEqual([]);
      },
      new MemoryDoor({ sendMarkBytes: 2_000, sendCapBytes: 4_000 }),
    ));

  test('tells each side what the socket would: going away, or nothing but the loss', () =>
    withWorld(async (world) => {
      const pair = await connected(world);
      const second = await dialled(world, world.address());
      const closes: string[] = [];
      if (typeof second === 'object') second.onClose = (reason) => closes.push(reason);
      world.memoryDoor.close();
      await world.until('the word', () => closes.length === 1);
      expect([...pair.atDialled.closes, ...closes]).toEqual(
        Array(2).fill('closed by the far end: 1001 going away'),
      );
      expect(await dialled(world, world.address())).toBe('refused');
    }));

  test('is dropped with all that lies in it when the node is killed', () =>
    withWorld(async (world) => {
      const pair = await connected(world);
      pair.accepted.send(frameOf(1));
      await new Promise<void>((done) => world.listener.destroy(done));
      await world.until('the loss', () => pair.atDialled.closes.length === 1);
      expect(pair.atDialled.closes).toEqual(['connection lost']);
      expect(pair.atDialled.frames).toEqual([]);
      expect(pair.atAccepted.closes).toEqual([]);
    }));

  test('is one of a limited number', () =>
    withWorld(
      async (world) => {
        await listening(world);
        const first = await dialled(world, world.address());
        expect(await dialled(world, world.address())).toBe('failed');
        if (typeof first === 'object') first.close('done');
        await world.until('room', () => world.memoryDoor.linkCount === 0);
        expect(typeof (await dialled(world, world.address()))).toBe('object');
      },
      new MemoryDoor({ clientLinksMax: 1 }),
    ));

  test('ends when the transport of the client is closed', () =>
    withWorld(async (world) => {
      const pair = await connected(world);
      await new Promise<void>((done) => world.dialer.close(done));
      await world.until('the end', () => pair.atAccepted.closes.length === 1);
      expect(pair.atAccepted.closes).toEqual(['closed by the far end: 1001 going away']);
    }));

  test('an owner that closes while it is handed frames is handed no more', () =>
    withWorld(async (world) => {
      const pair = await connected(world);
      const taken: number[] = [];
      const { accepted } = pair;
      accepted.onFrame = (frame) => {
        taken.push(frame.length);
        accepted.close('enough');
      };
      const far: Link = pair.dialled;
      for (const length of [4, 5, 6]) far.send(frameOf(1, length));
      await world.until('the close', () => pair.atDialled.closes.length === 1);
      expect(taken).toEqual([4]);
    }));
});
