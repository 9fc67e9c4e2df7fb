// What operators do to a cluster that runs: change its members and its limits, hand over
// leadership, back it up. One cluster for all of it, as in life.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { endAll } from './cli.ts';
import type { CliResult } from './cli.ts';
import { Nodes } from './nodes.ts';
import { startSilentProxy } from './silent-proxy.ts';
import { suiteDirectory } from './scratch.ts';

let directory: string;
let cluster: Nodes;

beforeAll(async () => {
  directory = suiteDirectory();
  cluster = await Nodes.start({ directory, ids: ['n1', 'n2', 'n3'] });
  await cluster.found();
});

afterAll(async () => {
  await endAll();
  await cluster.stop();
});

/** A node without a cluster, for as long as the file is tested. */
async function startBlank(id: string): Promise<string> {
  const blank = await Nodes.start({ directory, ids: [id] });
  afterTests.push(() => blank.stop());
  return blank.addresses[0] ?? '';
}

const afterTests: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(afterTests.map((stop) => stop()));
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

function votersOf({ stdout }: CliResult): string[] {
  const { members } = JSON.parse(stdout);
  const voters = members.filter(({ role }: { role: string }) => role === 'voter');
  return voters
    .map(({ id }: { id: string }) => id)
    .sort((a: string, b: string) => (a < b ? -1 : 1));
}

test('R-74 leadership goes where it is told, and an unknown target is refused', async () => {
  for (const id of ['n1', 'n2', 'n2']) {
    const { code, stdout } = await cluster.cli('transfer', id);
    expect([code, stdout]).toEqual([0, `${id} leads\n`]);
  }
  const other = await cluster.cli('transfer', '--json');
  expect(['n1', 'n3']).toContain(JSON.parse(other.stdout).leader);
  expect((await cluster.cli('transfer', 'n9')).code).toBe(64);
});

test('R-71 R-73 a learner is added and promoted; an address without a node changes nothing', async () => {
  const typo = await cluster.cli('member', 'add', 'n4=127.0.0.1:1');
  expect([typo.code, typo.stderr]).toEqual([64, expect.stringContaining('start the node first')]);
  const address = await startBlank('n4');
  const learner = await cluster.cli('member', 'add', `n4=${address}`, '--learner');
  expect(learner).toMatchObject({ code: 0, stdout: 'done: voters n1, n2, n3; learners n4\n' });
  expect((await cluster.cli('status')).stdout).toMatch(/^n4 +\S+ +learner/m);
  const voter = await cluster.cli('member', 'promote', 'n4');
  expect(voter).toMatchObject({ code: 0, stdout: 'done: voters n1, n2, n3, n4\n' });
  const removed = await cluster.cli('member', 'remove', 'n4', '--json');
  expect(votersOf(removed)).toEqual(['n1', 'n2', 'n3']);
});

/** An address where somebody accepts and says nothing: who is asked to join there takes seconds. */
async function startSilent(): Promise<string> {
  const blank = await startBlank('n8');
  const proxy = await startSilentProxy(blank);
  proxy.goSilent();
  return proxy.address;
}

test('R-66 a change that is in the way is named, and Ctrl-C tells what becomes of it', async () => {
  const address = await startSilent();
  const first = cluster.start('member', 'add', `n8=${address}`);
  await first.line(/n8 is asked to join/);
  const second = await cluster.cli('member', 'remove', 'n3', '--json');
  expect(second.code).toBe(1);
  const change = `n8 at ${address} is added`;
  expect(JSON.parse(lastLine(second.stderr))).toMatchObject({
    code: 'CHANGE_PENDING',
    message: expect.stringContaining(change),
    details: { change, sinceIndex: expect.any(Number) },
  });
  first.signal('SIGINT');
  const { code, stderr } = await first.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/CANCELLED: SIGINT while the change is under way: n8 is asked to join\. /);
  expect(stderr).toContain('the same command goes on from there');
});

test('R-64 a member is replaced while its lock is held, and asking again finds it done', async () => {
  const client = await cluster.connect();
  onTestFinished(() => client.close());
  const { token } = await client.lock('kept').acquire();
  const address = await startBlank('n6');
  for (let time = 0; time < 2; time++) {
    const done = await cluster.cli('member', 'replace', 'n3', `n6=${address}`, '--json');
    expect(done.code).toBe(0);
    expect(votersOf(done)).toEqual(['n1', 'n2', 'n6']);
  }
  const list = await cluster.cli('member', 'list');
  expect(list.stdout).toMatch(/^n6 +\S+ +voter +yes +yes/m);
  expect(list.stderr).toContain('never given again: n4, n3');
  const status = await cluster.cli('status');
  expect(status.stdout).toMatch(/^n3 +\S+ +removed/m);
  expect(status.stdout).toMatch(new RegExp(`^n6 +${address} +(follower|leader)`, 'm'));
  expect(status.stderr).toContain('taken out of the cluster');
  const outOfDate = cluster.warnings.filter((text) => text.includes('file is out of date'));
  expect(outOfDate.at(-1)).toMatch(/members are n1 at \S+, n2 at \S+, n6 at .*names n1 .* n3 at/);
  const kept = await client.inspect('kept');
  expect(kept.holder?.token).toBe(token);
  const again = await cluster.cli('member', 'add', `n3=${address}`);
  expect([again.code, again.stderr]).toEqual([64, expect.stringContaining('retired')]);
});

test('limits are shown and changed one by one; what they exclude is refused with their range', async () => {
  const shown = await cluster.cli('limits');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^ttl-max +10m +longest TTL/m);
  const changed = await cluster.cli('limits', '--ttl-max', '1h', '--names-per-request-max', '8');
  expect(changed.stdout).toMatch(/^ttl-max +1h /m);
  const { stdout } = await cluster.cli('limits', '--ttl-max', '2s', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ ttlMsMax: 2_000, namesPerRequestMax: 8 });
  const odd = await cluster.cli('limits', '--ttl-min', '3s');
  expect([odd.code, odd.stderr]).toEqual([
    64,
    expect.stringContaining('ttlMsMin must be at most ttlMsMax, which is 2000 (got 3000'),
  ]);
  const long = await cluster.cli('acquire', 'late', '--ttl', '5s');
  expect([long.code, long.stderr]).toEqual([64, expect.stringContaining('from 1s to 2s, or none')]);
  const client = await cluster.connect(5_000);
  onTestFinished(() => client.close());
  const acquiring = client.lock('late').acquire();
  await expect(acquiring).rejects.toThrow(/INVALID: ttlMs .* from 1000 to 2000/);
  expect((await cluster.cli('limits', '--ttl-max', '1')).code).toBe(64);
});

test('a backup is written whole or not at all, and replaces nothing unasked', async () => {
  const file = join(directory, 'backup');
  const done = await cluster.cli('backup', file, '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({ file, clusterName: 'test' });
  const again = await cluster.cli('backup', file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--force')]);
  expect((await cluster.cli('backup', file, '--force')).code).toBe(0);
  const nowhere = await cluster.cli('backup', join(directory, 'no', 'where'));
  expect(nowhere.code).not.toBe(0);
  expect(existsSync(join(directory, 'no'))).toBe(false);
  expect(readdirSync(directory).filter((name) => name.includes('backup'))).toEqual(['backup']);
});
