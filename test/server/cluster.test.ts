// Three real nodes in this process: real sockets, synced files, elections.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { until } from '../conformance/ws-world.ts';
import { call, openSession } from './http-client.ts';

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

function followerAddress(): string {
  const leader = cluster.leader();
  return addressOf(cluster.ids.find((id) => id !== leader && cluster.status(id) !== null) ?? '');
}

describe('locks over HTTP', () => {
  test('a lock goes from one session to the next with a larger token', async () => {
    const address = await leaderAddress();
    const [first, second] = [await openSession(address), await openSession(address)];
    const path = 'POST /v1/locks/orders%2F42' as const;
    const granted = await call(address, `${path}/acquire`, { body: { session: first } });
    expect(granted.status).toBe(200);
    const { token } = granted.body;

    const busy = await call(address, `${path}/acquire`, { body: { session: second } });
    expect(busy.status).toBe(409);
    expect(busy.body).toMatchObject({
      code: 'LOCK_BUSY',
      outcome: 'none',
      retryable: true,
      token,
      holder: { token, session: first, mode: 'exclusive' },
    });

    const released = await call(address, `${path}/release`, { body: { session: first, token } });
    expect(released.status).toBe(200);
    const next = await call(address, `${path}/acquire`, { body: { session: second } });
    expect(next.status).toBe(200);
    expect(Number(next.body['token'])).toBeGreaterThan(Number(token));
  });

  test('a waiting acquire is answered by the release', async () => {
    const address = await leaderAddress();
    const [first, second] = [await openSession(address), await openSession(address)];
    const held = await call(address, 'POST /v1/locks/w/acquire', { body: { session: first } });
    const waiting = call(address, 'POST /v1/locks/w/acquire', {
      body: { session: second, seq: 1, waitMs: 30_000 },
    });
    for (let look = 0; look < 200; look++) {
      const { body } = await call(address, 'GET /v1/locks/w');
      if (Array.isArray(body['waiters']) && body['waiters'].length === 1) break;
    }
    const { token } = held.body;
    await call(address, 'POST /v1/locks/w/release', { body: { session: first, token } });
    const granted = await waiting;
    expect(granted.status).toBe(200);
    expect(Number(granted.body['token'])).toBeGreaterThan(Number(token));
  });

  test('a follower sends callers to the leader', async () => {
    const address = await leaderAddress();
    const answer = await call(followerAddress(), 'GET /v1/locks?prefix=x%2F');
    expect(answer.status).toBe(307);
    expect(answer.headers.get('Location')).toBe(`http://${address}/v1/locks?prefix=x%2F`);
    expect(answer.body).toMatchObject({ code: 'NOT_LEADER', outcome: 'none' });
    expect((await call(followerAddress(), 'GET /leaderz')).status).toBe(503);
    expect((await call(address, 'GET /leaderz')).status).toBe(200);
    expect((await call(followerAddress(), 'GET /readyz')).status).toBe(200);
    const status = await call(followerAddress(), 'GET /v1/status');
    expect(status.body).toMatchObject({ role: 'follower', isReady: true });
  });
});

describe('garbage on either socket', () => {
  test.for(['/v1/peer', '/v1/link'])('on %s ends that connection; the node lives', async (path) => {
    const address = await leaderAddress();
    const term = cluster.status(cluster.leader() ?? 'n1')?.term;
    const frames = [new Uint8Array(0), new Uint8Array(1_000).fill(0xc1), new Uint8Array([0x93])];
    for (const frame of frames) {
      const webSocket = new WebSocket(`ws://${address}${path}`);
      webSocket.on('error', () => {});
      webSocket.on('open', () => webSocket.send(frame));
      await until('the end', () => webSocket.readyState === WebSocket.CLOSED);
    }
    const [host = '', port = ''] = address.split(':');
    const socket = connect({ host, port: Number(port) });
    let isOver = false;
    socket.on('close', () => (isOver = true));
    socket.write('no HTTP at all\r\n\r\n');
    socket.resume();
    await until('the end of the raw socket', () => isOver);
    expect((await call(address, 'GET /livez')).status).toBe(200);
    expect(cluster.status(cluster.leader() ?? 'n1')?.term).toBe(term);
  });
});

describe('nodes that come and go', () => {
  test('a killed leader is replaced, and tokens go on growing', async () => {
    const old = await cluster.ready();
    const before = await openSession(addressOf(old));
    const body = { session: before };
    const first = await call(addressOf(old), 'POST /v1/locks/k/acquire', { body });
    await cluster.kill(old);
    await until('another leader', () => cluster.leader() !== null);
    const address = await leaderAddress();
    const busy = await call(address, 'POST /v1/locks/k/acquire', {
      body: { session: await openSession(address) },
    });
    expect(busy.body).toMatchObject({ code: 'LOCK_BUSY', token: first.body['token'] });
    const broken = await call(address, 'POST /v1/locks/k/break', {
      body: { token: first.body['token'], reason: 'its holder is gone' },
    });
    expect(broken.status).toBe(200);
    const next = await call(address, 'POST /v1/locks/k/acquire', {
      body: { session: await openSession(address) },
    });
    expect(Number(next.body['token'])).toBeGreaterThan(Number(first.body['token']));

    await cluster.restart(old);
    const applied = cluster.status(await cluster.ready())?.appliedIndex ?? 0;
    await until('it caught up', () => (cluster.status(old)?.appliedIndex ?? 0) >= applied);
    expect(cluster.status(old)?.bootCount).toBe(2);
  });
});

test('a throw-away cluster with a wrong option leaves no directory behind', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'cluster-test-'));
  vi.stubEnv('TMPDIR', scratch);
  try {
    const wrong = localCluster({ nodes: 1, config: { heartbeatMs: -1 } });
    await expect(wrong).rejects.toMatchObject({ code: 'CONFIG' });
    expect(readdirSync(scratch)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(scratch, { recursive: true });
  }
});
