// Watches over HTTP on real nodes: events as they happen, going on elsewhere, ends.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { EventStream } from './event-stream.ts';
import { call, openSession } from './http-client.ts';

const WAIT = { timeout: 20_000, interval: 5 } as const;

let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await localCluster({ nodes: 3 });
});

afterAll(async () => {
  await cluster.stop();
});

function addressOf(id: string): string {
  return cluster.addresses[cluster.ids.indexOf(id)] ?? '';
}

async function leaderAddress(): Promise<string> {
  return addressOf(await cluster.ready());
}

/** Acquires and releases; gives the token and the revision of the release. */
async function cycle(address: string, name: string): Promise<{ token: number; end: number }> {
  const session = await openSession(address);
  const path = `POST /v1/locks/${encodeURIComponent(name)}` as const;
  const { token } = (await call(address, `${path}/acquire`, { body: { session } })).body;
  const { body } = await call(address, `${path}/release`, { body: { session, token } });
  return { token: Number(token), end: Number(body['revision']) };
}

async function openStream(query: string, lastId?: string): Promise<EventStream> {
  const headers: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
  const stream = new EventStream(`http://${await leaderAddress()}/v1/watch${query}`, headers);
  await stream.first(1);
  return stream;
}

describe('watching over HTTP', () => {
  test('tells the events of a prefix, or of one name, and no others', async () => {
    const [all, one] = [await openStream('?prefix=w%2F'), await openStream('?name=w%2Fb')];
    const address = await leaderAddress();
    const [a, , b] = [
      await cycle(address, 'w/a'),
      await cycle(address, 'v/a'),
      await cycle(address, 'w/b'),
    ];
    const granted = { type: 'granted', data: { name: 'w/b', token: b.token, revision: b.token } };
    const released = {
      type: 'released',
      lastId: `${b.end}`,
      data: { name: 'w/b', token: b.token },
    };
    expect(await one.first(3)).toMatchObject([{ type: 'watching' }, granted, released]);
    expect(await all.first(5)).toMatchObject([
      { type: 'watching' },
      { type: 'granted', data: { name: 'w/a', token: a.token } },
      { type: 'released', data: { name: 'w/a', cause: 'released' } },
      granted,
      released,
    ]);
  });

  test('goes on after the last id without a gap, whatever happened meanwhile', async () => {
    const before = await openStream('?name=resumed');
    const address = await leaderAddress();
    const first = await cycle(address, 'resumed');
    const lastId = (await before.first(3)).at(-1)?.lastId ?? '';
    expect(lastId).toBe(String(first.end));
    before.leave();
    const second = await cycle(address, 'resumed');
    const after = await openStream('?name=resumed', lastId);
    expect(await after.first(3)).toMatchObject([
      { type: 'watching', lastId },
      { type: 'granted', data: { token: second.token } },
      { type: 'released', lastId: String(second.end) },
    ]);
  });

  test('says that there is a gap when too much is asked for', async () => {
    const address = await leaderAddress();
    const { revision } = (await call(address, 'GET /v1/locks/x')).body;
    const stream = await openStream('?after=1');
    const [gap] = await stream.first(1);
    expect(gap).toMatchObject({ type: 'gap', data: { after: 1 } });
    expect(Number(gap?.lastId)).toBeGreaterThanOrEqual(Number(revision));
  });

  test('is the leader’s: others send there, query and all', async () => {
    const leader = await cluster.ready();
    const follower = addressOf(cluster.ids.find((id) => id !== leader) ?? '');
    const answer = await call(follower, 'GET /v1/watch?prefix=a%2F&after=3');
    expect(answer.status).toBe(307);
    const location = `http://${addressOf(leader)}/v1/watch?prefix=a%2F&after=3`;
    expect(answer.headers.get('Location')).toBe(location);
    expect(answer.body).toMatchObject({ code: 'NOT_LEADER', outcome: 'none' });
  });
});

describe('the end of a node', () => {
  test('that led and was killed: its streams go on at the next leader without a gap', async () => {
    const leader = await cluster.ready();
    const stream = await openStream('?name=moved');
    const { end } = await cycle(addressOf(leader), 'moved');
    await stream.first(3);
    await cluster.kill(leader);
    await stream.closed();
    expect(stream.isWhole).toBe(false);
    const next = await vi.waitUntil(() => cluster.leader(), WAIT);
    const { token } = await cycle(addressOf(next), 'moved');
    const resumed = await openStream('?name=moved', String(end));
    expect(await resumed.first(2)).toMatchObject([
      { type: 'watching', lastId: String(end) },
      { type: 'granted', data: { token } },
    ]);
    await cluster.restart(leader);
  });

  test('that is stopped ends its streams with a word', async () => {
    const own = await localCluster({ nodes: 1 });
    const stream = new EventStream(`http://${own.addresses[0] ?? ''}/v1/watch`);
    await stream.first(1);
    await own.stop();
    await stream.closed();
    expect(stream.isWhole).toBe(true);
    expect(stream.events.at(-1)).toMatchObject({ type: 'over', data: { code: 'UNAVAILABLE' } });
  });

  test('does not wait for streams that nobody reads', async () => {
    const own = await localCluster({ nodes: 1 });
    const address = own.addresses[0] ?? '';
    const streams = Array.from({ length: 20 }, () => new EventStream(`http://${address}/v1/watch`));
    for (const stream of streams) {
      await stream.first(1);
      stream.stopReading();
    }
    await own.stop();
    expect(own.status('n1')).toBe(null);
  });
});
