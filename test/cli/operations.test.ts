// What operators do to a cluster that runs: change its members, hand over leadership, back it up,
// and make a new one of the backup.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Cli, cli, endAll, freePorts, startUp, writeConfig } from './cli.ts';
import type { CliResult } from './cli.ts';
import { scratchDirectory } from './scratch.ts';

afterAll(endAll);

/** Starts a blank node of these ids and addresses. */
async function startBlank(directory: string, id: string): Promise<{ node: Cli; address: string }> {
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const file = join(directory, `${id}.json`);
  writeFileSync(
    file,
    JSON.stringify({ name: 'test', nodes: [{ id, address }], dataDir: './data' }),
  );
  const node = new Cli(['node', '--id', id, '--config', file]);
  await node.line(/belongs to no cluster yet/);
  return { node, address };
}

function votersOf({ stdout }: CliResult): string[] {
  const { members } = JSON.parse(stdout);
  const voters = members.filter(({ role }: { role: string }) => role === 'voter');
  return voters
    .map(({ id }: { id: string }) => id)
    .sort((a: string, b: string) => (a < b ? -1 : 1));
}

test('R-64 a member is replaced while its lock is held, and asking again finds it done', async () => {
  const directory = scratchDirectory();
  const cluster = await startUp(directory);
  const holder = cluster.start('acquire', 'kept', '--json');
  const { token } = JSON.parse(await holder.line(/^\{/));
  const { node, address } = await startBlank(directory, 'n6');
  for (let time = 0; time < 2; time++) {
    const done = await cluster.cli('member', 'replace', 'n3', `n6=${address}`, '--json');
    expect(done.code).toBe(0);
    expect(votersOf(done)).toEqual(['n1', 'n2', 'n6']);
  }
  const list = await cluster.cli('member', 'list');
  expect(list.stdout).toMatch(/^n6 +\S+ +voter +yes +yes/m);
  expect(list.stderr).toContain('never given again: n3');
  const status = await cluster.cli('status');
  expect(status.stdout).toMatch(/^n3 +\S+ +removed/m);
  expect(status.stdout).toMatch(new RegExp(`^n6 +${address} +follower`, 'm'));
  expect(status.stderr).toContain('taken out of the cluster');
  const kept = await cluster.cli('inspect', 'kept', '--json');
  expect(JSON.parse(kept.stdout).holder.token).toBe(token);
  const again = await cluster.cli('member', 'add', `n3=${address}`);
  expect(again.code).toBe(64);
  expect(again.stderr).toContain('retired');
  holder.signal('SIGTERM');
  expect(await holder.ended).toMatchObject({ code: 0 });
  node.signal('SIGTERM');
  await cluster.stop();
});

test('R-71 R-73 a learner is added and promoted; an address without a node changes nothing', async () => {
  const directory = scratchDirectory();
  const cluster = await startUp(directory, 1);
  const { node, address } = await startBlank(directory, 'n2');
  const typo = await cluster.cli('member', 'add', 'n2=127.0.0.1:1');
  expect(typo.code).toBe(64);
  expect(typo.stderr).toContain('start the node first');
  const learner = await cluster.cli('member', 'add', `n2=${address}`, '--learner');
  expect(learner).toMatchObject({ code: 0, stdout: 'done: voters n1; learners n2\n' });
  expect((await cluster.cli('status')).stdout).toMatch(/^n2 +\S+ +learner/m);
  const voter = await cluster.cli('member', 'promote', 'n2');
  expect(voter).toMatchObject({ code: 0, stdout: 'done: voters n1, n2\n' });
  const removed = await cluster.cli('member', 'remove', 'n2', '--json');
  expect(votersOf(removed)).toEqual(['n1']);
  node.signal('SIGTERM');
  await cluster.stop();
});

test('R-74 leadership goes where it is told, and an unknown target is refused', async () => {
  const cluster = await startUp(scratchDirectory());
  for (const id of ['n1', 'n2', 'n2', 'n3']) {
    const { code, stdout } = await cluster.cli('transfer', id);
    expect([code, stdout]).toEqual([0, `${id} leads\n`]);
  }
  const other = await cluster.cli('transfer', '--json');
  expect(['n1', 'n2']).toContain(JSON.parse(other.stdout).leader);
  expect((await cluster.cli('transfer', 'n9')).code).toBe(64);
  await cluster.stop();
});

/** A directory with a configuration, and its nodes running, blank. */
async function startBlanks(name = 'test') {
  const configFile = await writeConfig(scratchDirectory(), await freePorts(3));
  const text = readFileSync(configFile, 'utf8').replace('"test"', JSON.stringify(name));
  writeFileSync(configFile, text);
  const ids = ['n1', 'n2', 'n3'];
  const nodes = ids.map((id) => new Cli(['node', '--id', id, '--config', configFile]));
  await Promise.all(nodes.map((node) => node.line(/belongs to no cluster yet/)));
  return {
    cli: (...args: string[]) => cli([...args, '--config', configFile]),
    run: (...args: string[]) => cli(['run', 'late', '--config', configFile, '--', ...args]),
    stop: async () => {
      for (const node of nodes) node.signal('SIGTERM');
      for (const node of nodes) expect((await node.ended).code).toBe(0);
    },
  };
}

/** A cluster that is gone, its backup, and a token that it issued afterwards. */
async function backUp(directory: string): Promise<{ file: string; lastToken: number }> {
  const cluster = await startUp(directory);
  const holder = cluster.start('acquire', 'for-ever', '--ttl', 'none', '--json');
  await holder.line(/^\{/);
  const file = join(directory, 'backup');
  expect((await cluster.cli('backup', file)).code).toBe(0);
  const again = await cluster.cli('backup', file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--force')]);
  expect((await cluster.cli('backup', file, '--force')).code).toBe(0);
  expect(readdirSync(directory)).not.toContain('backup.part');
  const late = cluster.start('acquire', 'late', '--json');
  const { token: lastToken } = JSON.parse(await late.line(/^\{/));
  for (const each of [holder, late]) each.signal('SIGKILL');
  await cluster.stop();
  return { file, lastToken };
}

test('J2 each restore of one backup is a cluster of its own, whose tokens are larger', async () => {
  const { file, lastToken } = await backUp(scratchDirectory());
  const longAgo = new Date(Date.now() - 3_600_000).toISOString();
  const clusterIds: string[] = [];
  let token = lastToken;
  for (let time = 0; time < 2; time++) {
    const nodes = await startBlanks();
    const done = await nodes.cli('restore', file, '--dead-since', longAgo, '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ embargoMs: 0, restored: ['n1', 'n2', 'n3'] });
    clusterIds.push(JSON.parse(done.stdout).clusterId);
    const again = await nodes.cli('restore', file);
    expect([again.code, again.stdout]).toEqual([0, `already restored: ${clusterIds[time]}\n`]);
    const kept = await nodes.cli('inspect', 'for-ever', '--json');
    expect(JSON.parse(kept.stdout).holder.token).toBeLessThan(lastToken);
    const { code, stdout } = await nodes.run('sh', '-c', 'echo "$HOLDFAST_FENCING_TOKEN"');
    expect(code).toBe(0);
    expect(Number(stdout)).toBeGreaterThan(token);
    token = Number(stdout);
    await nodes.stop();
  }
  expect(new Set(clusterIds).size).toBe(2);
});

test('J2 under the embargo nothing is granted, and nobody is told that it is busy', async () => {
  const { file } = await backUp(scratchDirectory());
  const nodes = await startBlanks();
  const done = await nodes.cli('restore', file, '--max-ttl', '1h');
  expect(done.stderr).toContain('nothing is granted for 1h 0m');
  const atOnce = await nodes.cli('acquire', 'late', '--wait', '0s');
  expect([atOnce.code, atOnce.stderr]).toEqual([69, expect.stringContaining('restored')]);
  expect((await nodes.cli('acquire', 'late', '--wait', '1s')).code).toBe(75);
  await nodes.stop();
});

test('what is no whole backup, or not of this cluster, changes nothing', async () => {
  const { file } = await backUp(scratchDirectory());
  const nodes = await startBlanks();
  const bytes = readFileSync(file);
  const cut = `${file}.cut`;
  writeFileSync(cut, bytes.subarray(0, bytes.length - 20));
  const damaged = `${file}.damaged`;
  writeFileSync(damaged, bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1));
  const other = `${file}.other`;
  writeFileSync(other, '{}');
  for (const [path, told] of [
    [cut, 'cut off'],
    [damaged, 'damaged at byte'],
    [other, 'no backup of holdfast'],
  ]) {
    const { code, stderr } = await nodes.cli('restore', String(path));
    expect([code, stderr]).toEqual([65, expect.stringContaining(String(told))]);
  }
  const future = await nodes.cli('restore', file, '--dead-since', '2100-01-01T00:00:00Z');
  expect([future.code, future.stderr]).toEqual([64, expect.stringContaining('in the future')]);
  expect((await nodes.cli('init')).code).toBe(0);
  const founded = await nodes.cli('restore', file);
  expect([founded.code, founded.stderr]).toEqual([80, expect.stringContaining('not restored')]);
  await nodes.stop();
  const named = await startBlanks('another');
  expect((await named.cli('restore', file)).code).toBe(78);
  await named.stop();
});
