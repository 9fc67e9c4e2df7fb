// Nodes inside a program: what it has of them, and what it keeps for itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import type { Client } from '../../src/index.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createNode, localCluster } from '../../src/node.ts';
import type { HoldfastNode } from '../../src/node.ts';
import { freeAddresses } from '../../src/server/free-addresses.ts';
import { until } from '../conformance/ws-world.ts';

let root = '';
const nodes: HoldfastNode[] = [];
const clients: Client[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-embedded-'));
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop({ transfer: false })));
  rmSync(root, { recursive: true });
});

/** Three nodes of one cluster, started and founded. */
async function three(
  electionMs = 500,
): Promise<readonly [HoldfastNode, HoldfastNode, HoldfastNode]> {
  const addresses = await freeAddresses(3);
  const config = {
    name: 'embedded',
    electionMs,
    nodes: addresses.map((address, at) => ({ id: `n${at + 1}`, address })),
    dataDir: root,
  };
  const [one, two, three] = [1, 2, 3].map((at) => createNode({ config, id: `n${at}` }));
  if (one === undefined || two === undefined || three === undefined) throw new Error('no nodes');
  nodes.push(one, two, three);
  await Promise.all(nodes.map((node) => node.start()));
  await one.found();
  await until('a leader', () => leader() !== undefined);
  return [one, two, three];
}

function leader(): HoldfastNode | undefined {
  return nodes.find((node) => node.status()?.role === 'leader' && node.status()?.isReady);
}

async function clientOf(node: HoldfastNode): Promise<Client> {
  const client = await node.client({ ttlMs: 5_000 });
  clients.push(client);
  return client;
}

describe('a client of an embedded node', () => {
  test('takes locks, whoever leads, and exclude one another', async () => {
    await three();
    const [first, second] = [
      await clientOf(nodes[0] ?? fail()),
      await clientOf(nodes[1] ?? fail()),
    ];
    const grant = await first.lock('a').acquire();
    expect(await second.lock('a').tryAcquire()).toBe(null);
    await grant.release();
    const next = await second.lock('a').acquire();
    expect(next.token).toBeGreaterThan(grant.token);
    expect(first.nodes().map(({ state }) => state)).toEqual(['up', 'up', 'up']);
  });

  test('keeps its lock while its node stops, and comes back to it', async () => {
    await three();
    const node = leader() ?? fail();
    const client = await clientOf(node);
    const grant = await client.lock('kept').acquire();
    await node.stop();
    await until('another leader', () => leader() !== undefined && leader() !== node);
    await client.lock('another').acquire();
    expect(grant.held()).toBe(true);
    const down = client.nodes().find(({ state }) => state !== 'up');
    expect(down?.address).toBe(addressOf(node));
    await node.start();
    await until('the link', () => client.nodes().every(({ state }) => state === 'up'));
    await grant.release();
  });

  test('of a node alone works, before and after its stop', async () => {
    const [address = ''] = await freeAddresses(1);
    const config = { name: 'alone', nodes: [{ id: 'n1', address }], dataDir: root };
    const node = createNode({ config, id: 'n1' });
    nodes.push(node);
    await node.start();
    await node.found();
    await node.found();
    const client = await clientOf(node);
    const before = await client.lock('x').acquire();
    await node.stop();
    await node.start();
    await before.release();
    expect((await client.lock('x').acquire()).token).toBeGreaterThan(before.token);
  });

  test('rejects for a wrong option like connect', async () => {
    const [address = ''] = await freeAddresses(1);
    const config = { name: 'alone', nodes: [{ id: 'n1', address }], dataDir: root };
    const node = createNode({ config, id: 'n1' });
    await expect(node.client({ ttlMs: -1 })).rejects.toMatchObject({ code: 'INVALID' });
    const none = node.client({ connectMs: 100 });
    await expect(none).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a leader that stops', () => {
  test('lets another node lead, unless it is told not to', async () => {
    // A transfer is given up after electionMs: long enough for a machine with other work.
    await three(3_000);
    const old = leader() ?? fail();
    const term = old.status()?.term ?? 0;
    await old.stop();
    // It heard of the next one's office before it was gone.
    expect(old.status()?.term).toBeGreaterThan(term);
    await old.start();
    await until('a leader', () => leader() !== undefined);
    const next = leader() ?? fail();
    const nextTerm = next.status()?.term ?? 0;
    await next.stop({ transfer: false });
    expect(next.status()?.term).toBe(nextTerm);
  });
});

test('a node reads the clock that it is given, and sets its alarms there', async () => {
  const own = createSystemClock();
  const used = { monoUs: 0, bootUs: 0, after: 0, soon: 0 };
  const clock: Clock = {
    monoUs: () => (used.monoUs++, own.monoUs()),
    bootUs: () => (used.bootUs++, own.bootUs()),
    // Two hours ahead: for display, as in `since`.
    wallMs: () => own.wallMs() + 7_200_000,
    after: (delayUs, callback) => (used.after++, own.after(delayUs, callback)),
    soon: (callback) => (used.soon++, own.soon(callback)),
  };
  const [address = ''] = await freeAddresses(1);
  const config = { name: 'clocked', nodes: [{ id: 'n1', address }], dataDir: root };
  const node = createNode({ config, id: 'n1', clock });
  nodes.push(node);
  await node.start();
  await node.found();
  const client = await clientOf(node);
  await client.lock('a').acquire();
  const [holder] = (await client.inspect('a')).holders;
  expect(holder?.sinceMs).toBeGreaterThan(Date.now() + 3_600_000);
  expect(Math.min(used.monoUs, used.after, used.soon)).toBeGreaterThan(0);
});

test('clients of a throw-away cluster need no sockets', async () => {
  await using cluster = await localCluster({ nodes: 3 });
  await using client = await cluster.client();
  const grant = await client.lock('x').acquire();
  const first = await cluster.ready();
  await cluster.kill(first);
  await until('another leader', () => cluster.leader() !== null);
  await client.lock('y').acquire();
  expect(grant.held()).toBe(true);
  await cluster.restart(first);
  await until('the link', () => client.nodes().every(({ state }) => state === 'up'));
});

function addressOf(node: HoldfastNode): string {
  const id = node.status()?.nodeId;
  const others = nodes.flatMap((each) => each.status()?.peers ?? []);
  return others.find(({ nodeId }) => nodeId === id)?.address ?? '';
}

function fail(): never {
  throw new Error('there is none');
}
