// Directories of a real cluster with durable data, to be damaged in copies: that of a node that was
// stopped, and that of one that was killed. Both know on disk that their whole log is durable.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { readStore } from '../../scripts/lib/level-reader.mjs';
import { decodeTail, ROW } from '../../src/node/storage/layout.ts';
import { slotPaths } from '../../src/server/data-directory.ts';
import { freeAddresses } from '../../src/server/free-addresses.ts';
import type { SlotRecord } from '../../src/wire/slot-record.ts';
import { decodeSlot, encodeSlot } from '../../src/wire/slots.ts';
import { cli, Cli } from '../cli/cli.ts';
import { call, openSession } from '../server/http-client.ts';
import type { HttpAnswer } from '../server/http-client.ts';
import type { LogEnd, ObservedCluster } from './observer.ts';

/** Name of the cluster in its configuration. */
export const CLUSTER_NAME = 'damaged';
/** Of each of two sessions. Each is one batch of the log at least. */
const LOCKS = 15;
const WAIT = { timeout: 30_000, interval: 20 } as const;

/** Where what is. */
export interface Directories {
  /** n1, stopped by SIGTERM, and n2, killed. */
  readonly stopped: string;
  readonly killed: string;
  readonly cluster: ObservedCluster;
}

/** Runs a cluster of three processes, has locks taken, stops one node and kills the others. */
export async function makeDirectories(root: string): Promise<Directories> {
  const addresses = await freeAddresses(3);
  const nodes = addresses.map((address, at) => ({ id: `n${at + 1}`, address }));
  const config = writeConfigFile(root, { nodes });
  const data = join(root, 'data');
  const processes = nodes.map(({ id }) => spawnNode({ config, data, id }));
  await foundCluster(config, processes);
  const directories = nodes.map(({ id }) => join(data, id));
  const giveBack = await takeLocks(addresses, 'early-');
  await vi.waitUntil(() => directories.every(isDurableToItsEnd), WAIT);
  await giveBack();
  await takeLocks(addresses, 'late-');
  await vi.waitUntil(() => directories.every(isDurableToItsEnd), WAIT);
  processes[0]?.signal('SIGTERM');
  processes[1]?.signal('SIGKILL');
  processes[2]?.signal('SIGKILL');
  await Promise.all(processes.map(({ ended }) => ended));
  const [stopped = '', killed = ''] = directories;
  return { stopped, killed, cluster: clusterOf(nodes, directories) };
}

/** One node as a process of its own. */
export function spawnNode(node: {
  readonly config: string;
  readonly data: string;
  readonly id: string;
}): Cli {
  return new Cli(['node', '--id', node.id, '--config', node.config, '--data', node.data]);
}

/** Writes a configuration into this directory; its path. */
export function writeConfigFile(
  directory: string,
  config: { readonly nodes: readonly object[]; readonly name?: string },
): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'cluster.config.json');
  writeFileSync(file, JSON.stringify({ name: CLUSTER_NAME, ...config }));
  return file;
}

/** A copy of a node's directory, in the place where node `id` looks for it below `data`. */
export function copyDirectory(from: string, data: string, id: string): string {
  const copy = join(data, id);
  cpSync(from, copy, { recursive: true });
  return copy;
}

/** The record in a slot file. Throws when it is damaged. */
export function readSlot(path: string): SlotRecord {
  const file = readFileSync(path);
  return decodeSlot(file.subarray(4, 4 + file.readUInt32LE(0)));
}

/** Replaces the record in a slot file. */
export function writeSlot(path: string, record: SlotRecord): void {
  const content = encodeSlot(record);
  const file = Buffer.alloc(4_096);
  file.writeUInt32LE(content.length, 0);
  file.set(content, 4);
  writeFileSync(path, file);
}

/** Where the log of this directory ends, by its own word, and what its checkpoint covers. */
export function logEnd(directory: string): LogEnd & { readonly applied: number } {
  const row = readStore(join(directory, 'log')).live.get(ROW.tail);
  if (row === undefined) return { index: 0, term: 0, applied: 0 };
  const { lastIndex, lastTerm, applied } = decodeTail(row.value);
  return { index: lastIndex, term: lastTerm, applied };
}

async function foundCluster(config: string, processes: readonly Cli[]): Promise<void> {
  const waiting = Promise.all(processes.map((node) => node.line(/holdfast init/)));
  await Promise.race([waiting, failureOf(processes)]);
  const founded = await cli(['init', '--config', config]);
  if (founded.code !== 0) throw new Error(`init: ${founded.stderr}`);
}

async function failureOf(processes: readonly Cli[]): Promise<never> {
  const { stderr } = await Promise.race(processes.map(({ ended }) => ended));
  throw new Error(`a node ended: ${stderr}`);
}

// Nobody closes the session: what it holds stays in the state. The result gives back the last lock,
// whose row is deleted then.
async function takeLocks(addresses: readonly string[], prefix: string) {
  const leader = await vi.waitUntil(() => findLeader(addresses), WAIT);
  const session = await openSession(leader, { ttlMs: 600_000 });
  const post = async (name: string, body: object): Promise<HttpAnswer> => {
    const answer = await call(leader, `POST /v1/locks/${name}`, { body: { session, ...body } });
    if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  let token: unknown = null;
  for (let seq = 1; seq <= LOCKS; seq++) {
    const meta = { note: `${seq} `.repeat(1_000) };
    ({ token } = (await post(`${prefix}${seq}/acquire`, { seq, meta })).body);
  }
  return () => post(`${prefix}${LOCKS}/release`, { seq: LOCKS + 1, token });
}

async function findLeader(addresses: readonly string[]): Promise<string | undefined> {
  const statuses = await Promise.all(addresses.map((address) => call(address, 'GET /v1/status')));
  return addresses[statuses.findIndex(({ body }) => body['role'] === 'leader' && body['isReady'])];
}

function isDurableToItsEnd(directory: string): boolean {
  const end = logEnd(directory);
  if (end.index === 0 || end.applied !== end.index) return false;
  return slotPaths(directory).every((path) => readSlot(path).durableFloor.index === end.index);
}

function clusterOf(
  nodes: readonly { readonly id: string; readonly address: string }[],
  directories: readonly string[],
): ObservedCluster {
  const slots = directories.map((directory) => readSlot(slotPaths(directory)[0]));
  const clusterId = slots[0]?.clusterId ?? '';
  const members = nodes.map(({ id, address }, at) => ({
    nodeId: id,
    storeId: slots[at]?.storeId ?? '',
    address,
  }));
  return { clusterId, members, heartbeatMs: 50, electionMs: 500 };
}
