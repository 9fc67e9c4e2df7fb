// The contract of Host towards whoever carries requests to it (host-types.ts), on shipped hosts.

import { expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { Host } from '../../src/node/host-types.ts';
import { encodeBody } from '../../src/wire/command.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import { seeds, withLeader } from './scenario.ts';

type Ask = (host: Host, done: () => void) => void;

const close = encodeBody({ op: 'closeSession', session: '1-a', seq: 1 });

const QUESTIONS: readonly (readonly [string, Ask])[] = [
  ['execute', (host, done) => host.execute({ body: close, ackedBelow: 0 }, done)],
  ['keepAlive', (host, done) => host.keepAlive('1-a', done)],
  ['query', (host, done) => host.query({ kind: 'inspect', name: 'a' }, done)],
  ['status', (host, done) => host.query({ kind: 'status' }, done)],
  ['founding', (host, done) => host.founding({ step: 'ask' }, done)],
];

/** Asks a node everything at once: which answers came, and which came inside their call. */
function askAll(cluster: SimCluster, id: NodeId): { answered: string[]; inside: string[] } {
  const result: { answered: string[]; inside: string[] } = { answered: [], inside: [] };
  cluster.node(id).call((host) => {
    for (const [name, ask] of QUESTIONS) {
      let isInside = true;
      ask(host, () => {
        result.answered.push(name);
        if (isInside) result.inside.push(name);
      });
      isInside = false;
    }
  });
  return result;
}

const failure = { kind: 'io', message: 'I/O error' } as const;

/** Every question, answered once. */
function expectAll(answered: readonly string[]): void {
  expect(answered).toHaveLength(QUESTIONS.length);
  expect(new Set(answered)).toEqual(new Set(QUESTIONS.map(([name]) => name)));
}

test('LIV-6 every question is answered, and never inside its own call, whoever is asked', async () => {
  const { cluster, leader, rest } = await withLeader({ seed: 1 });
  const results = [leader, ...rest].map((id) => askAll(cluster, id));
  await cluster.runFor(1_000);
  for (const { answered, inside } of results) {
    expectAll(answered);
    expect(inside).toEqual([]);
  }
});

test('LIV-6 a host that has stopped, or is stopping, answers too', async () => {
  const { cluster, leader } = await withLeader({ seed: 2 });
  const before = askAll(cluster, leader);
  let isStopped = false;
  cluster.node(leader).call((host) => host.stop(() => (isStopped = true)));
  const during = askAll(cluster, leader);
  await cluster.until('the stop', () => isStopped);
  const after = askAll(cluster, leader);
  await cluster.runFor(1_000);
  for (const { answered } of [before, during, after]) expectAll(answered);
});

test('LIV-6 a host whose disk failed answers what was asked, and what comes later', async () => {
  const { cluster, leader } = await withLeader({ seed: 3 });
  const asked: { early: string[]; late: string[] } = { early: [], late: [] };
  cluster.node(leader).call((host) => {
    host.onExit = () => {
      for (const [name, ask] of QUESTIONS) ask(host, () => asked.late.push(name));
    };
    cluster.node(leader).disk.fail({ operation: 'batch', failure });
    for (const [name, ask] of QUESTIONS) ask(host, () => asked.early.push(name));
  });
  await cluster.runFor(2_000);
  expectAll(asked.early);
  expectAll(asked.late);
});

test('a host that is told to stop while it starts does not come up afterwards', async () => {
  for (const seed of seeds(5)) {
    const { cluster, leader, followers } = await withLeader({ seed });
    const [id] = followers;
    const node = cluster.node(id);
    node.crash();
    node.start();
    await cluster.runFor((seed - 1) / 2);
    expect(node.isStarted).toBe(false);
    node.call((host) => host.stop(() => {}));
    await cluster.runFor(3_000);
    const peer = cluster.status(leader).peers.find((each) => each.nodeId === id);
    expect([node.exit?.exitCode, peer?.isConnected]).toEqual([0, false]);
  }
});

test('a host that is told to stop while it is being founded does not take part afterwards', async () => {
  const cluster = await createSimCluster({ seed: 4, nodes: 1, isFounded: false });
  const node = cluster.node('n1');
  const { storeId } = cluster.status('n1');
  const members = [{ nodeId: 'n1', storeId, address: node.address }];
  const { limits } = cluster.settings;
  let isStopped = false;
  node.call((host) => {
    const mint = { step: 'mint', clusterName: 'sim', members, limits, origin: 0 } as const;
    host.founding(mint, () => {});
  });
  node.call((host) => host.stop(() => (isStopped = true)));
  await cluster.runFor(5_000);
  const lines = cluster.world.logLines.map((line) => line.message);
  expect([isStopped, node.exit, cluster.status('n1').role]).toEqual([true, null, 'stopped']);
  expect(lines.filter((line) => line.includes('Leads now') || line.includes('vote'))).toEqual([]);
});

test('INV-20 a disk that will not tell its free space is not taken for a broken one', async () => {
  const { cluster, followers } = await withLeader({ seed: 5 });
  const [id] = followers;
  cluster.node(id).disk.fail({ operation: 'freeBytes', failure });
  await cluster.runFor(3_000);
  const leader = await cluster.waitLeader();
  await cluster.openSession(leader);
  await cluster.converge();
  expect(cluster.node(id).exit).toBe(null);
  expect(cluster.living()).toHaveLength(3);
});
