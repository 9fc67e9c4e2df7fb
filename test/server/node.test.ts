// Starting and ending a node: what stands in its way is named and changes nothing.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { createWsTransport } from '../../src/adapters/ws-transport.ts';
import { HoldfastError } from '../../src/base/error.ts';
import { foundCluster } from '../../src/client/founding.ts';
import { createNode } from '../../src/node.ts';
import type { HoldfastNode, NodeConfigInput } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { parseConfig } from '../../src/server/config.ts';
import { exitCodeOf } from '../../src/server/exit.ts';
import { freeAddresses } from '../../src/server/free-addresses.ts';
import { startNode } from '../../src/server/server.ts';
import { waitForEnd } from '../../src/server/shutdown.ts';
import { call } from './http-client.ts';

let root = '';
let config: NodeConfigInput & { nodes: { id: string; address: string }[] };
let nodes: HoldfastNode[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-node-'));
  const [address = ''] = await freeAddresses(1);
  config = { name: 'one', nodes: [{ id: 'n1', address }], dataDir: root };
});

afterEach(async () => {
  for (const node of nodes) await node.stop();
  nodes = [];
  rmSync(root, { recursive: true, force: true });
});

function create(changes: Partial<NodeConfigInput> = {}, id = 'n1'): HoldfastNode {
  const node = createNode({ config: { ...config, ...changes }, id });
  nodes.push(node);
  return node;
}

function addressOf(): string {
  return config.nodes[0]?.address ?? '';
}

/** The error with which a start is refused. */
async function refusal(node: HoldfastNode): Promise<HoldfastError> {
  try {
    await node.start();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error('it started');
}

async function found(): Promise<void> {
  const transport = createWsTransport({});
  const { name: clusterName, nodes: planned, sessionLimits: limits } = parseConfig(config);
  await foundCluster(
    { clock: createSystemClock(), transport },
    { clusterName, nodes: planned, limits, origin: null, patienceMs: 10_000 },
  );
  await new Promise<void>((done) => transport.close(done));
}

describe('a node that was not founded', () => {
  test('says which command founds it, and is not ready', async () => {
    const node = create();
    await node.start();
    const ready = await call(addressOf(), 'GET /readyz');
    expect(ready.status).toBe(503);
    expect(ready.headers.get('Retry-After')).toBe('1');
    expect(ready.body).toMatchObject({ code: 'NOT_FOUNDED' });
    expect(ready.body['detail']).toContain('holdfast init');
    expect((await call(addressOf(), 'GET /livez')).status).toBe(200);
    const opening = await call(addressOf(), 'POST /v1/sessions', { body: {} });
    expect(opening.body['code']).toBe('NOT_FOUNDED');
    expect(node.status()?.role).toBe('blank');
  });
});

describe('callers that take their time', () => {
  test('are cut when their headers do not come', async () => {
    await create({ sizeLimits: { httpHeadersMs: 100, httpRequestMs: 100 } }).start();
    const [host = '', port = ''] = addressOf().split(':');
    const sockets = ['', 'GET /livez HT'].map((text) => {
      const socket = connect({ host, port: Number(port) });
      socket.write(text);
      return socket.resume();
    });
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.on('close', done))));
    expect((await call(addressOf(), 'GET /livez')).status).toBe(200);
  });
});

describe('a start that is refused', () => {
  test('names the port in use (73)', async () => {
    const other = createServer();
    const [host, port] = addressOf().split(':');
    await new Promise<void>((done) => other.listen(Number(port), host, done));
    const error = await refusal(create());
    await new Promise((done) => other.close(done));
    expect(error.code).toBe('PORT_IN_USE');
    expect(error.message).toContain(addressOf());
    expect(exitCodeOf(error)).toBe(73);
  });

  test('names the node that has the port, of this process or another (73)', async () => {
    await create().start();
    const error = await refusal(create({ dataDir: join(root, 'other') }));
    expect(error.code).toBe('PORT_IN_USE');
    expect(error.message).toContain(`the node n1 of this process (${process.pid}) listens on`);
    expect(error.details).toMatchObject({ address: addressOf(), nodeId: 'n1', pid: process.pid });
  });

  test('names the directory of another cluster (80), which stays what it is', async () => {
    await create().start();
    await found();
    const clusterId = nodes[0]?.status()?.clusterId;
    await nodes[0]?.stop();
    const error = await refusal(create({ name: 'another' }));
    expect(error.message).toContain('one of cluster "one", but this cluster is "another"');
    expect(error.code).toBe('CLUSTER_CHANGED');
    expect(exitCodeOf(error)).toBe(80);
    const again = create();
    await again.start();
    expect(again.status()?.clusterId).toBe(clusterId);
    expect(again.status()?.bootCount).toBe(2);
  });

  test('names the directory of another node (80)', async () => {
    await create().start();
    await nodes[0]?.stop();
    renameSync(join(root, 'n1'), join(root, 'n2'));
    const error = await refusal(create({ nodes: [{ id: 'n2', address: addressOf() }] }, 'n2'));
    expect(error.message).toContain('n1');
    expect(exitCodeOf(error)).toBe(80);
  });

  test('names the directory in use (81), and leaves the node that uses it alone', async () => {
    await create().start();
    const [address = ''] = await freeAddresses(1);
    const error = await refusal(create({ nodes: [{ id: 'n1', address }] }));
    expect(error.code).toBe('DIRECTORY_IN_USE');
    expect(error.message).toContain(`${join(root, 'n1')} is in use by a node of this process`);
    expect(error.details).toMatchObject({ directory: join(root, 'n1'), pid: process.pid });
    expect(exitCodeOf(error)).toBe(81);
    expect((await call(addressOf(), 'GET /livez')).status).toBe(200);
  });

  test('tells damaged hard state (82)', async () => {
    await create().start();
    await nodes[0]?.stop();
    for (const slot of ['slot-a', 'slot-b']) writeFileSync(join(root, 'n1', slot), 'garbage');
    const error = await refusal(create());
    expect(error.code).toBe('STORAGE');
    expect(exitCodeOf(error)).toBe(82);
  });

  test('tells that the directory cannot be made (78)', async () => {
    writeFileSync(join(root, 'file'), '');
    const error = await refusal(create({ dataDir: join(root, 'file') }));
    expect(error.code).toBe('CONFIG');
    expect(exitCodeOf(error)).toBe(78);
  });

  test('names the ids that exist, before anything begins', () => {
    expect(() => create({}, 'n7')).toThrow('(n1); got "n7"');
  });
});

describe('a node that ends', () => {
  test('frees its port and directory, and stops twice', async () => {
    const first = create();
    await first.start();
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    await create().start();
    expect(nodes[1]?.status()?.bootCount).toBe(2);
  });

  test('starts again, but not twice at once', async () => {
    const node = create();
    await node.start();
    await expect(node.start()).rejects.toMatchObject({ code: 'INVALID' });
    await Promise.all([node.stop(), node.start(), node.stop(), node.start()]);
    expect(node.status()).toMatchObject({ role: 'blank', bootCount: 3 });
    await node.stop();
    expect(node.status()?.role).toBe('stopped');
    await expect(call(addressOf(), 'GET /livez')).rejects.toThrow();
  });

  test('stops cleanly on SIGTERM, and leaves no listener for signals behind', async () => {
    const listeners = process.listenerCount('SIGTERM');
    const node = await startNode({ config: parseConfig(config), id: 'n1', logger: silentLogger });
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
    const end = waitForEnd(node);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await end).toEqual({ exitCode: 0, message: 'stopped by SIGTERM' });
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
    await create().start();
  });
});
