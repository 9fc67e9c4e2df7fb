// Watches over HTTP before a host that tells what its test wants: ends, limits, leaks.

import { request } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import type { WatchEvent } from '../../src/wire/client-messages.ts';
import type { WatchListener } from '../../src/node/host-types.ts';
import { ManualClock } from '../node/manual-clock.ts';
import { connectionsOf, openDoor } from './door.ts';
import type { Door } from './door.ts';
import { EventStream } from './event-stream.ts';
import { call } from './http-client.ts';

const WAIT = { timeout: 20_000, interval: 5 } as const;
const HEARTBEAT_US = 15_000_000;

function event(fields: Partial<WatchEvent>): WatchEvent {
  const common = { type: 'granted', name: 'a', session: 's', acquireSeq: 1, token: 7 } as const;
  return { ...common, value: null, cause: '', reason: '', delayMs: 0, ...fields };
}

/** The watches that the door has asked the host for, once there are that many. */
async function watches({ host }: Door, count: number): Promise<WatchListener[]> {
  await vi.waitUntil(() => host.watches.size === count, WAIT);
  return [...host.watches];
}

/** A stream that has begun, with the watch behind it. */
async function openStream(door: Door): Promise<{ stream: EventStream; watch: WatchListener }> {
  const before = door.host.watches.size;
  const stream = new EventStream(`http://${door.address}/v1/watch`);
  const watch = (await watches(door, before + 1)).at(-1);
  if (watch === undefined) throw new Error('no watch');
  watch.onStart(40, true);
  await stream.first(1);
  return { stream, watch };
}

describe('a stream of events', () => {
  test('begins with its revision, and gives an id to the last event of an entry only', async () => {
    const { stream, watch } = await openStream(await openDoor());
    watch.onEvents(42, [
      event({ type: 'expired' }),
      event({ type: 'delayed', delayMs: 500 }),
      event({ type: 'left', token: 0, cause: 'withdrawn', session: 't' }),
    ]);
    expect(await stream.first(4)).toEqual([
      { type: 'watching', lastId: '40', data: { revision: 40 } },
      {
        type: 'expired',
        lastId: '40',
        data: { ...WHO, type: 'expired', token: 7, revision: 42 },
      },
      {
        type: 'delayed',
        lastId: '40',
        data: { ...WHO, type: 'delayed', token: 7, delayMs: 500, revision: 42 },
      },
      {
        type: 'left',
        lastId: '42',
        data: { ...WHO, session: 't', type: 'left', cause: 'withdrawn', revision: 42 },
      },
    ]);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(stream.headers['cache-control']).toBe('no-store');
  });

  test('of which nothing happens moves its id on, and tells its reader nothing', async () => {
    const { stream, watch } = await openStream(await openDoor());
    watch.onEvents(90, []);
    watch.onEvents(95, [event({ type: 'expired' }), event({ type: 'granted', token: 95 })]);
    const told = await stream.first(3);
    expect(told.map(({ type, lastId }) => [type, lastId])).toEqual([
      ['watching', '40'],
      ['expired', '90'],
      ['granted', '95'],
    ]);
  });

  test('says that there is a gap, from where to where', async () => {
    const door = await openDoor();
    const stream = new EventStream(`http://${door.address}/v1/watch?after=5`);
    (await watches(door, 1))[0]?.onStart(40, false);
    const gap = { type: 'gap', lastId: '40', data: { after: 5, revision: 40 } };
    expect(await stream.first(1)).toEqual([gap]);
  });

  test('an allowed origin may read it, and no text of a lock breaks its lines', async () => {
    const door = await openDoor({ allowedOrigins: ['http://ui.example'] });
    const origin = { Origin: 'http://ui.example' };
    const stream = new EventStream(`http://${door.address}/v1/watch`, origin);
    const [watch] = await watches(door, 1);
    watch?.onStart(1, true);
    const value = 'a\n\nid: 99\u2028\r\nevent: x';
    watch?.onEvents(2, [event({ value })]);
    expect(await stream.first(2)).toMatchObject([{}, { lastId: '2', data: { value } }]);
    expect(stream.headers['access-control-allow-origin']).toBe('http://ui.example');
  });

  test('carries a comment every 15 seconds, and none after its end', async () => {
    const clock = new ManualClock();
    const door = await openDoor({ clock });
    const { stream, watch } = await openStream(door);
    for (const count of [1, 2]) {
      clock.advance(HEARTBEAT_US);
      await vi.waitUntil(() => stream.comments === count, WAIT);
    }
    watch.onOver('NOT_LEADER', 'another leads');
    await stream.closed();
    expect(clock.timerCount()).toBe(0);
  });
});

const WHO = { name: 'a', session: 's', acquireSeq: 1 } as const;

describe('where a watch begins', () => {
  test.each([
    ['', {}, { name: null, prefix: '' }, null],
    ['?prefix=a%2F&after=7', {}, { name: null, prefix: 'a/' }, 7],
    ['?name=a&after=7', { 'Last-Event-ID': '9' }, { name: 'a', prefix: '' }, 9],
    ['?after=7', { 'Last-Event-ID': '' }, { name: null, prefix: '' }, 7],
  ] as const)('%j with %j', async (query, headers, target, after) => {
    const door = await openDoor();
    const asked = vi.spyOn(door.host, 'watch');
    const stream = new EventStream(`http://${door.address}/v1/watch${query}`, headers);
    await watches(door, 1);
    expect(asked.mock.calls[0]?.slice(0, 2)).toEqual([target, after]);
    stream.leave();
  });

  test.each([
    ['?after=x', {}, 'after: expected a revision'],
    ['?after=-1', {}, 'after: expected a revision'],
    ['?after=9007199254740992', {}, 'after: expected a revision'],
    ['', { 'Last-Event-ID': '1.5' }, 'Last-Event-ID: expected a revision'],
    ['?name=..', {}, 'no URL can carry it'],
    ['?name=a&prefix=b', {}, 'expected a name or a prefix; got both'],
  ])('%j with %j is refused', async (query, headers, text) => {
    const door = await openDoor();
    const answer = await call(door.address, `GET /v1/watch${query}`, { headers });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID', outcome: 'none' });
    expect(answer.body['detail']).toContain(text);
    expect(door.host.watches.size).toBe(0);
  });
});

describe('the end of a stream', () => {
  test('a node that does not lead refuses it with a problem', async () => {
    const door = await openDoor();
    const answer = call(door.address, 'GET /v1/watch');
    (await watches(door, 1))[0]?.onOver('NOT_LEADER', 'another leads');
    expect((await answer).status).toBe(503);
    expect((await answer).headers.get('Retry-After')).toBe('1');
    expect((await answer).body).toMatchObject({ code: 'NOT_LEADER', outcome: 'none' });
    expect(door.host.watches.size).toBe(0);
  });

  test('the end of leadership ends it with a word', async () => {
    const door = await openDoor();
    const { stream, watch } = await openStream(door);
    watch.onEvents(41, [event({})]);
    watch.onOver('NOT_LEADER', 'another leads');
    await stream.closed();
    expect(stream.isWhole).toBe(true);
    const over = { type: 'over', data: { code: 'NOT_LEADER', detail: 'another leads' } };
    expect(stream.events.at(-1)).toEqual({ ...over, lastId: '41' });
    expect(door.host.watches.size).toBe(0);
  });

  test('G3 a caller that vanishes leaves nothing behind', async () => {
    const door = await openDoor({ openMax: 2 });
    for (let round = 0; round < 5; round++) {
      const streams = [await openStream(door), await openStream(door)];
      for (const { stream } of streams) stream.leave();
      await watches(door, 0);
    }
    const { stream, watch } = await openStream(door);
    watch.onEvents(41, [event({})]);
    expect(await stream.first(2)).toHaveLength(2);
    expect(door.lines).toEqual([]);
  });

  test('a caller that vanishes before the watch has begun leaves nothing behind', async () => {
    const door = await openDoor();
    const stream = new EventStream(`http://${door.address}/v1/watch`);
    const [watch] = await watches(door, 1);
    stream.leave();
    await vi.waitUntil(async () => (await connectionsOf(door.server)) === 0, WAIT);
    watch?.onStart(40, true);
    await watches(door, 0);
    expect(door.lines).toEqual([]);
  });

  test('a HEAD gets the headers and leaves no stream open', async () => {
    const door = await openDoor();
    const answer = headOf(`http://${door.address}/v1/watch`);
    (await watches(door, 1))[0]?.onStart(40, true);
    expect(await answer).toEqual([200, 'text/event-stream']);
    expect(door.host.watches.size).toBe(0);
  });

  test('more streams than the limit are refused, and there is room again after one', async () => {
    const door = await openDoor({ openMax: 1 });
    const { stream } = await openStream(door);
    const refused = await call(door.address, 'GET /v1/watch');
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'OVERLOADED', outcome: 'none', retryable: true });
    stream.leave();
    await watches(door, 0);
    await openStream(door);
  });

  test('a reader that does not read is cut, while another gets all, entries above the limit too', async () => {
    const door = await openDoor();
    const [slow, quick] = [await openStream(door), await openStream(door)];
    slow.stream.stopReading();
    const reason = 'x'.repeat(400_000);
    let revision = 41;
    while (door.host.watches.has(slow.watch) && revision < 1_000) {
      slow.watch.onEvents(revision, [event({ reason })]);
      quick.watch.onEvents(revision, [event({ reason })]);
      await quick.stream.first(revision - 39);
      revision++;
    }
    expect(door.host.watches.has(slow.watch)).toBe(false);
    await vi.waitUntil(async () => (await connectionsOf(door.server)) === 1, WAIT);
    quick.watch.onEvents(revision, [event({ name: 'last' })]);
    const events = await quick.stream.first(revision - 39);
    expect(events.at(-1)).toMatchObject({ data: { name: 'last' } });
    expect(door.lines).toEqual([]);
  });
});

function headOf(url: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const head = request(url, { method: 'HEAD', agent: false }, (response) => {
      response.resume();
      resolve([response.statusCode ?? 0, response.headers['content-type'] ?? '']);
    });
    head.on('error', reject);
    head.end();
  });
}
