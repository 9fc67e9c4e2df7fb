// What every Transport must do, whichever network lies below. A world brings the network.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DialFailure, Door, Link, Transport } from '../../src/ports/transport.ts';

/** A network with one listening transport and one that dials. */
export interface TransportWorld {
  readonly listener: Transport;
  readonly dialer: Transport;
  /** Of `listener`, valid once it listens. */
  address(): string;
  /** An address of this network at which nobody listens. */
  readonly deadAddress: string;
  /** Lets things happen until the condition holds; rejects when it never does. */
  until(what: string, condition: () => boolean): Promise<void>;
  end(): Promise<void>;
}

/** Both ends of one connection, with everything that was told to their owners. */
export interface LinkPair {
  readonly dialled: Link;
  readonly accepted: Link;
  readonly door: Door;
  readonly atDialled: LinkRecord;
  readonly atAccepted: LinkRecord;
}

export interface LinkRecord {
  readonly frames: Uint8Array[];
  readonly closes: string[];
  drains: number;
}

/** Makes the transport listen; gives the list that accepted links are added to. */
export async function listening(world: TransportWorld) {
  const accepted: { link: Link; door: Door; record: LinkRecord }[] = [];
  let result: Error | null | undefined;
  world.listener.listen(
    (link, door) => accepted.push({ link, door, record: recordOf(link) }),
    (error) => (result = error),
  );
  expect(result).toBe(undefined);
  await world.until('listening', () => result !== undefined);
  expect(result).toBe(null);
  return accepted;
}

/** Dials and gives what came of it. */
export async function dialled(world: TransportWorld, address: string, door: Door = 'client') {
  const results: (Link | DialFailure)[] = [];
  world.dialer.dial(address, door, (result) => {
    if (typeof result !== 'string') recordOf(result);
    results.push(result);
  });
  expect(results).toEqual([]);
  await world.until('dialled', () => results.length > 0);
  return results[0] ?? 'failed';
}

/** A connection between the two transports of the world. */
export async function connected(world: TransportWorld, door: Door = 'client'): Promise<LinkPair> {
  const accepted = await listening(world);
  const near: { link: Link; record: LinkRecord }[] = [];
  world.dialer.dial(world.address(), door, (result) => {
    if (typeof result !== 'string') near.push({ link: result, record: recordOf(result) });
  });
  await world.until('connected', () => near.length > 0 && accepted.length > 0);
  const [here, there] = [near[0], accepted[0]];
  if (here === undefined || there === undefined) throw new Error('no connection');
  return {
    dialled: here.link,
    accepted: there.link,
    door: there.door,
    atDialled: here.record,
    atAccepted: there.record,
  };
}

/** Sets all handlers of a link to write down what they are told. */
function recordOf(link: Link): LinkRecord {
  const record: LinkRecord = { frames: [], closes: [], drains: 0 };
  link.onFrame = (frame) => record.frames.push(frame);
  link.onClose = (reason) => record.closes.push(reason);
  link.onDrain = () => record.drains++;
  return record;
}

/** A frame of this length that begins with its number. */
export function frameOf(number: number, length = 4): Uint8Array {
  const frame = new Uint8Array(length).fill(number & 0xff);
  new DataView(frame.buffer).setUint32(0, number);
  return frame;
}

/** The number that frameOf wrote. */
function numberOf(frame: Uint8Array): number {
  return new DataView(frame.buffer, frame.byteOffset).getUint32(0);
}

/** Runs the suite. `open` makes a fresh world for each test. */
export function testTransport(name: string, open: () => Promise<TransportWorld>): void {
  describe(`transport over ${name}`, () => {
    let world: TransportWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(async () => {
      await world.end();
    });

    testFrames(() => world);
    testPressure(() => world);
    testEnds(() => world);
  });
}

function testFrames(world: () => TransportWorld): void {
  test.for<Door>(['peer', 'client'])('the door %s is told to the listener', async (door) => {
    expect((await connected(world(), door)).door).toBe(door);
  });

  test('frames arrive whole and in order, in both directions', async () => {
    const pair = await connected(world());
    const numbers = Array.from({ length: 2_000 }, (_, at) => at);
    for (const number of numbers) {
      pair.dialled.send(frameOf(number));
      pair.accepted.send(frameOf(number, 300));
    }
    await world().until('all frames', () => pair.atAccepted.frames.length >= 2_000);
    await world().until('all frames', () => pair.atDialled.frames.length >= 2_000);
    expect(pair.atAccepted.frames.map(numberOf)).toEqual(numbers);
    expect(pair.atDialled.frames.map(numberOf)).toEqual(numbers);
    expect(pair.atDialled.frames.every((frame) => frame.length === 300)).toBe(true);
  });

  test('a frame of any size up to 256 KiB keeps its length and bytes, either way', async () => {
    const pair = await connected(world());
    const sizes = [4, 125, 126, 255, 256, 4_096, 4_097, 65_535, 65_536, 262_144];
    const ways = [
      { from: pair.dialled, at: pair.atAccepted },
      { from: pair.accepted, at: pair.atDialled },
    ];
    for (const { from, at } of ways) {
      sizes.forEach((size, each) => from.send(frameOf(each + 1, size)));
      await world().until('all sizes', () => at.frames.length === sizes.length);
      expect(at.frames.map((frame) => frame.length)).toEqual(sizes);
      at.frames.forEach((frame, each) => {
        expect(numberOf(frame)).toBe(each + 1);
        expect(frame.subarray(4).every((byte) => byte === each + 1)).toBe(true);
      });
    }
  });

  test('slicing a frame copies it, as it does for every Uint8Array', async () => {
    const pair = await connected(world());
    pair.dialled.send(frameOf(7));
    await world().until('the frame', () => pair.atAccepted.frames.length === 1);
    const frame = pair.atAccepted.frames[0] ?? new Uint8Array();
    frame.slice().fill(0);
    expect(numberOf(frame)).toBe(7);
  });

  test('no frame is handed over inside the call that sends it', async () => {
    const pair = await connected(world());
    pair.dialled.send(frameOf(1));
    expect(pair.atAccepted.frames).toEqual([]);
    await world().until('the frame', () => pair.atAccepted.frames.length === 1);
  });
}

function testPressure(world: () => TransportWorld): void {
  test('a paused link hands nothing over until it is resumed, then all of it in order', async () => {
    const pair = await connected(world());
    pair.accepted.onFrame = (frame) => {
      pair.atAccepted.frames.push(frame);
      if (pair.atAccepted.frames.length === 10) pair.accepted.pause();
    };
    for (let number = 0; number < 100; number++) pair.dialled.send(frameOf(number));
    pair.dialled.onFrame = () => pair.atDialled.drains++;
    pair.accepted.send(frameOf(0));
    await world().until('an answer', () => pair.atDialled.drains === 1);
    await world().until('ten frames', () => pair.atAccepted.frames.length >= 10);
    expect(pair.atAccepted.frames.length).toBe(10);
    pair.accepted.resume();
    expect(pair.atAccepted.frames.length).toBe(10);
    await world().until('the rest', () => pair.atAccepted.frames.length >= 100);
    expect(pair.atAccepted.frames.map(numberOf)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  test('send says false when the far end does not read, and onDrain follows when it does', async () => {
    const pair = await connected(world());
    pair.accepted.pause();
    let sent = 0;
    while (sent < 200 && pair.dialled.send(frameOf(sent, 65_536))) sent++;
    expect(sent).toBeLessThan(200);
    expect(pair.dialled.bufferedBytes).toBeGreaterThan(0);
    expect(pair.atDialled.drains).toBe(0);
    pair.accepted.resume();
    await world().until('the drain', () => pair.atDialled.drains > 0);
    expect(pair.dialled.bufferedBytes).toBe(0);
    await world().until('all frames', () => pair.atAccepted.frames.length === sent + 1);
  });
}

function testEnds(world: () => TransportWorld): void {
  test('nobody listening is "refused"', async () => {
    expect(await dialled(world(), world().deadAddress)).toBe('refused');
  });

  test('a cancelled dial calls nobody', async () => {
    await listening(world());
    let isCalled = false;
    world()
      .dialer.dial(world().address(), 'client', () => (isCalled = true))
      .cancel();
    expect(typeof (await dialled(world(), world().address()))).toBe('object');
    expect(isCalled).toBe(false);
  });

  test('the far end learns of a close once; the closing side hears nothing more', async () => {
    const pair = await connected(world());
    pair.dialled.close('done here');
    pair.dialled.close('again');
    expect(pair.dialled.send(frameOf(1))).toBe(false);
    await world().until('the close', () => pair.atAccepted.closes.length > 0);
    expect(pair.atAccepted.closes.length).toBe(1);
    expect(pair.atAccepted.closes[0]).toContain('done here');
    expect(pair.atDialled.closes).toEqual([]);
    expect(pair.atAccepted.frames).toEqual([]);
  });

  test('frames sent before a close arrive, none after it', async () => {
    const pair = await connected(world());
    for (let number = 0; number < 50; number++) pair.dialled.send(frameOf(number));
    pair.dialled.close('done');
    await world().until('the close', () => pair.atAccepted.closes.length > 0);
    expect(pair.atAccepted.frames.length).toBe(50);
  });

  test('an oversize frame ends the link at both ends instead of reaching the far one', async () => {
    const pair = await connected(world());
    pair.dialled.send(frameOf(1));
    expect(pair.dialled.send(frameOf(2, 262_145))).toBe(false);
    expect(pair.dialled.send(frameOf(3))).toBe(false);
    expect(pair.atDialled.closes).toEqual([]);
    await world().until('both ends know', () => pair.atAccepted.closes.length === 1);
    expect(pair.atDialled.closes).toEqual(['a frame of 262145 bytes was to be sent']);
    expect(pair.atAccepted.closes[0]).toContain('a frame of 262145 bytes was to be sent');
    expect(pair.atAccepted.frames.map(numberOf)).toEqual([1]);
  });

  test('closing the listener ends its links and refuses later dials', async () => {
    const pair = await connected(world());
    let isDone = false;
    world().listener.close(() => (isDone = true));
    expect(isDone).toBe(false);
    await world().until('closed', () => isDone && pair.atDialled.closes.length === 1);
    expect(pair.atAccepted.closes).toEqual([]);
    expect(await dialled(world(), world().address())).toBe('refused');
  });
}
