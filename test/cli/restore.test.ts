// A new cluster of blank nodes that begins with the state of a backup.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readBackup, writeBackup } from '../../src/cli/backup-file.ts';
import { withPorts } from '../../src/cli/node-ports.ts';
import { restoreCluster } from '../../src/client/restore.ts';
import type { Restored } from '../../src/client/restore.ts';
import { loadConfig } from '../../src/server/config.ts';
import { Cli, cli, endAll, freePorts, writeConfig } from './cli.ts';
import { Nodes } from './nodes.ts';
import { suiteDirectory } from './scratch.ts';

const IDS = ['n1', 'n2', 'n3'];
const LONG_AGO = new Date(Date.now() - 3_600_000).toISOString();
const PATIENCE_MS = 30_000;

let directory: string;
let file: string;
/** The last that the old cluster issued, after the backup. */
let lastToken: number;
let count = 0;

beforeAll(async () => {
  directory = suiteDirectory();
  file = join(directory, 'backup');
  const old = await Nodes.start({ directory, ids: ['n1'] });
  await old.found();
  const owner = await old.connect(null);
  await owner.lock('for-ever').acquire();
  expect((await old.cli('backup', file)).code).toBe(0);
  const late = await old.connect();
  ({ token: lastToken } = await late.lock('late').acquire());
  await late.close();
  await owner.close();
  await old.stop();
});

afterAll(endAll);

async function startBlanks(name = 'test'): Promise<Nodes> {
  const own = join(directory, String(count++));
  mkdirSync(own);
  const nodes = await Nodes.start({ directory: own, ids: IDS, name });
  onTestFinished(() => nodes.stop());
  return nodes;
}

/** As `holdfast restore` does it; `onNode` may throw, as if the command were killed there. */
async function restore(
  nodes: Nodes,
  { embargoMs, onNode }: { readonly embargoMs: number; readonly onNode: (id: string) => void },
): Promise<Restored> {
  const backup = await readBackup(file);
  const { name: clusterName, nodes: planned } = loadConfig(nodes.configFile);
  return withPorts((ports) =>
    restoreCluster(ports, {
      ...{ clusterName, nodes: planned, patienceMs: PATIENCE_MS, tokenFloor: null },
      ...{ backup: backup.meta, machine: backup.machine, embargoMs, onNode },
    }),
  );
}

/** The state of each node that can tell one. */
async function standings(nodes: Nodes): Promise<string[]> {
  const { stdout } = await nodes.cli('status', '--json');
  return JSON.parse(stdout).nodes.map(({ role }: { role: string }) => role);
}

test('J2 each restore of one backup is a cluster of its own, whose tokens are larger', async () => {
  const clusterIds = new Set<string>();
  let token = lastToken;
  for (let time = 0; time < 2; time++) {
    const nodes = await startBlanks();
    const done = await nodes.cli('restore', file, '--dead-since', LONG_AGO, '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ embargoMs: 0, restored: IDS });
    const { clusterId } = JSON.parse(done.stdout);
    clusterIds.add(clusterId);
    const again = await nodes.cli('restore', file);
    expect([again.code, again.stdout]).toEqual([0, `already restored: ${clusterId}\n`]);
    expect(again.stderr).not.toContain('changed nothing');
    const client = await nodes.connect();
    const kept = await client.inspect('for-ever');
    expect(kept.holder?.token).toBeLessThan(lastToken);
    const grant = await client.lock('late').acquire();
    expect(grant.token).toBeGreaterThan(token);
    ({ token } = grant);
    await client.close();
  }
  expect(clusterIds.size).toBe(2);
});

test('J2 R-70 a restore that was cut off between two nodes is completed as it was begun', async () => {
  const nodes = await startBlanks();
  const cut = restore(nodes, {
    embargoMs: 5_000,
    onNode: (id) => {
      throw new Error(`killed after ${id}`);
    },
  });
  await expect(cut).rejects.toThrow('killed after n1');
  expect((await standings(nodes)).slice(1)).toEqual(['blank', 'blank']);
  // The embargo is that of the first run, whatever the second one was asked for.
  const done = await nodes.cli('restore', file, '--dead-since', LONG_AGO, '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({ embargoMs: 5_000, restored: ['n2', 'n3'] });
  expect(done.stderr).toContain('--dead-since changed nothing: an earlier run has restored');
  expect(done.stderr).toContain('with an embargo of 5.0s');
  const again = await restore(nodes, { embargoMs: 1, onNode: () => {} });
  const { clusterId, origin } = JSON.parse(done.stdout);
  expect(again).toEqual({ clusterId, origin, embargoMs: 5_000, isContinued: true, restored: [] });
  const client = await nodes.connect();
  expect((await client.lock('late').acquire()).token).toBeGreaterThan(origin);
  await client.close();
});

test('J2 under the embargo nothing is granted, nobody is told that it is busy, and all are told why', async () => {
  const nodes = await startBlanks();
  const done = await nodes.cli('restore', file, '--max-ttl', '1h');
  expect(done.stderr).toContain('nothing is granted for 1h 0m');
  const atOnce = await nodes.cli('acquire', 'late', '--wait', '0s');
  expect([atOnce.code, atOnce.stderr]).toEqual([69, expect.stringContaining('restored')]);
  // Long enough to come to its queue on a busy machine: who has no time left is told as above.
  const run = await nodes.cli('acquire', 'late', '--wait', '5s');
  expect([run.code, run.stderr]).toEqual([
    75,
    expect.stringMatching(/restored from a backup: nothing is granted yet, at most for 1h 0m/),
  ]);
  const status = await nodes.cli('status');
  expect([status.code, status.stderr]).toEqual([
    0,
    expect.stringMatching(/nothing is granted yet, at most for 1h 0m if the leader stays/),
  ]);
});

test('who waits is told at once for which nodes, and why', async () => {
  const own = join(directory, 'nobody');
  mkdirSync(own);
  const config = await writeConfig(own, await freePorts(2));
  const commands = [
    { args: ['restore', file], told: /waiting for n2 at \S+: nobody listened there$/ },
    { args: ['init'], told: /waiting for n1 at \S+: nobody listened there$/ },
    { args: ['member', 'list'], told: /waiting for a leader.*: \S+ \(connection refused\), / },
  ];
  for (const { args, told } of commands) {
    const command = new Cli([...args, '--config', config]);
    await command.line(told);
    command.signal('SIGKILL');
    await command.ended;
  }
});

test('a backup that is cut off while it is written leaves nothing, also of its temporary file', async () => {
  const { header, meta } = await readBackup(file);
  const own = join(directory, 'cut-off');
  mkdirSync(own);
  async function* pages() {
    yield [];
    throw new Error(`interrupted beside ${readdirSync(own).join()}`);
  }
  const writing = writeBackup(join(own, 'backup'), { header, meta, pages: pages() });
  await expect(writing).rejects.toThrow('interrupted beside backup.part');
  expect(readdirSync(own)).toEqual([]);
});

describe('nothing is changed anywhere by', () => {
  let nodes: Nodes;

  beforeAll(async () => {
    const own = join(directory, 'untouched');
    mkdirSync(own);
    nodes = await Nodes.start({ directory: own, ids: IDS });
  });

  afterAll(() => nodes.stop());

  const whole = (): Uint8Array => readFileSync(file);
  test.each([
    ['a file that is cut off', 'cut off', () => whole().subarray(0, -20)],
    ['a file of nothing', 'no backup of holdfast', () => new Uint8Array()],
    ['a damaged file', 'damaged at byte', () => flipped(whole(), whole().length >> 1)],
    [
      'a file with more behind its end',
      'there is more behind its end',
      () => Buffer.concat([whole(), whole()]),
    ],
    ['a file of another program', 'no backup of holdfast', () => Buffer.from('{}')],
    ['a file of a newer format', 'has format 2, and this program reads 1', () => newer(whole())],
  ])('%s', async (what, told, content) => {
    const path = join(directory, what.replaceAll(' ', '-'));
    writeFileSync(path, content());
    const { code, stderr } = await nodes.cli('restore', path);
    expect([code, stderr]).toEqual([65, expect.stringContaining(told)]);
    expect(await standings(nodes)).toEqual(['blank', 'blank', 'blank']);
  });

  test.each([
    ['a file that is not there', 'nowhere', 'no such file'],
    ['a directory', '.', 'is no file'],
  ])('%s', async (_what, path, told) => {
    const { code, stderr } = await nodes.cli('restore', path);
    expect([code, stderr]).toEqual([64, expect.stringContaining(told)]);
  });

  test('a death in the future', async () => {
    const future = await nodes.cli('restore', file, '--dead-since', '2100-01-01T00:00:00Z');
    expect([future.code, future.stderr]).toEqual([64, expect.stringContaining('in the future')]);
    expect(await standings(nodes)).toEqual(['blank', 'blank', 'blank']);
  });

  test('the backup of a cluster of another name', async () => {
    const named = await startBlanks('another');
    const { code, stderr } = await named.cli('restore', file);
    expect([code, stderr]).toEqual([78, expect.stringContaining('the cluster "test"')]);
  });

  test('a node that is not blank: the others stay so', async () => {
    const other = await startBlanks();
    await other.found();
    const config = JSON.parse(readFileSync(nodes.configFile, 'utf8'));
    config.nodes[2].address = other.addresses[2];
    const mixed = join(directory, 'mixed.json');
    writeFileSync(mixed, JSON.stringify(config));
    const { code, stderr } = await cli(['restore', file, '--config', mixed]);
    expect(code).toBe(80);
    expect(stderr).toContain('was not restored: a restore needs nodes without data');
    expect(await standings(nodes)).toEqual(['blank', 'blank', 'blank']);
  });
});

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, (bytes[at] ?? 0) ^ 1);
}

/** The version comes after the magic text, which ends with a line feed. */
function newer(bytes: Uint8Array): Uint8Array {
  return bytes.with(bytes.indexOf(10) + 1, 2);
}
