// Several names, shared locks and semaphores from the command line.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli, endAll, startUp } from './cli.ts';
import type { UpCluster, Cli } from './cli.ts';
import { scratchDirectory, suiteDirectory } from './scratch.ts';

const SHOW = ['sh', '-c', 'echo "$HOLDFAST_LOCK|$HOLDFAST_LOCKS|$HOLDFAST_SLOTS"'];
let cluster: UpCluster;

beforeAll(async () => {
  cluster = await startUp(suiteDirectory(), 1);
});
afterAll(async () => {
  await cluster.stop();
  await endAll();
});

async function inspect(name: string) {
  return JSON.parse((await cluster.cli('inspect', name, '--json')).stdout);
}

/** Runs a command that goes on until a file is there, and tells when it runs. */
function startUntil(file: string, ...options: string[]): Cli {
  const script = `echo slots $HOLDFAST_SLOTS.; until [ -e ${file} ]; do sleep 0.02; done`;
  return cluster.start('run', ...options, '--', 'sh', '-c', script);
}

describe('holdfast run', () => {
  test('takes several names together, and tells the command all of them', async () => {
    const result = await cluster.cli('run', 'f/a', 'f/b c', '--', ...SHOW);
    expect(result).toMatchObject({ code: 0, stdout: 'f/a|["f/a","f/b c"]|\n', stderr: '' });
    const go = join(scratchDirectory(), 'go');
    const run = startUntil(go, 'f/a', 'f/b');
    await run.line(/^slots/);
    const locks = [await inspect('f/a'), await inspect('f/b')];
    expect(locks[0].holder.token).toBe(locks[1].holder.token);
    const busy = await cluster.cli('run', 'f/b', 'f/c', '--wait', '0s', '--', 'true');
    expect(busy).toMatchObject({ code: 75, stdout: '' });
    expect((await inspect('f/c')).holder).toBe(null);
    writeFileSync(go, '');
    expect((await run.ended).code).toBe(0);
    expect((await inspect('f/b')).holder).toBe(null);
  });

  test('--shared runs beside others that share, and nobody else', async () => {
    const go = join(scratchDirectory(), 'go');
    const runs = [startUntil(go, 's', '--shared'), startUntil(go, 's', '--shared')];
    for (const run of runs) await run.line(/^slots/);
    const lock = await inspect('s');
    expect(lock.holders.map(({ mode }: { mode: string }) => mode)).toEqual(['shared', 'shared']);
    const table = (await cluster.cli('list', 's')).stdout;
    const tokens = lock.holders.map(({ token }: { token: number }) => token).join(',');
    expect(table).toContain(` ${tokens} `);
    expect(table).toContain(' and 1 more\n');
    expect((await cluster.cli('run', 's', '--wait', '0s', '--', 'true')).code).toBe(75);
    writeFileSync(go, '');
    for (const run of runs) expect((await run.ended).code).toBe(0);
  });

  test('--permits takes slots of a semaphore, and tells the command which', async () => {
    const go = join(scratchDirectory(), 'go');
    const run = startUntil(go, 'gpu', '--permits', '2/4');
    await run.line(/^slots 0,1\.$/);
    const other = await cluster.cli('run', 'gpu', '--permits', '1/4', '--', ...SHOW);
    expect(other).toMatchObject({ code: 0, stdout: 'gpu|["gpu"]|2\n' });
    const full = ['run', 'gpu', '--permits', '3/4', '--wait', '0s', '--', 'true'];
    expect((await cluster.cli(...full)).code).toBe(75);
    const wrong = await cluster.cli('run', 'gpu', '--permits', '1/5', '--', 'true');
    expect(wrong.code).toBe(64);
    expect(wrong.stderr).toContain('INVALID');
    const seen = (await cluster.cli('inspect', 'gpu')).stdout;
    expect(seen).toMatch(/ {2}permits {2}2 of 4\n {2}slots {4}0, 1\n/);
    writeFileSync(go, '');
    expect((await run.ended).code).toBe(0);
    const both = await cluster.cli('run', 'gpu', 'tpu', '--permits', '2/4', '--', ...SHOW);
    expect(both.stdout).toBe('gpu|["gpu","tpu"]|0,1;0,1\n');
  });

  test('what an outer command holds does not pass for what an inner one holds', async () => {
    const environment = { HOLDFAST_NODES: cluster.nodes, HOLDFAST_SLOTS: '7' };
    const inner = await cli(['run', 'inner', '--', ...SHOW], { environment });
    expect(inner.stdout).toBe('inner|["inner"]|\n');
  });

  test('--ttl beyond what the cluster takes is told in the words of the command line', async () => {
    const { code, stderr } = await cluster.cli('run', 'long', '--ttl', '11m', '--', 'true');
    expect(code).toBe(64);
    const told = '--ttl: this cluster takes a duration from 1s to 10m, or none; got 11m';
    expect(stderr).toBe(`holdfast: INVALID: ${told}\n`);
  });

  test('--wait none waits without limit', async () => {
    const holder = cluster.start('acquire', 'patient');
    await holder.line(/^\d+$/);
    const next = cluster.start('run', 'patient', '--wait', 'none', '--', 'true');
    await expect.poll(async () => (await inspect('patient')).waiterCount).toBe(1);
    holder.signal('SIGTERM');
    expect((await next.ended).code).toBe(0);
    expect((await holder.ended).code).toBe(0);
  });

  test('--ttl none holds until it is given back, or broken', async () => {
    const holder = cluster.start('acquire', 'forever', 'ever', '--ttl', 'none', '--json');
    const facts = JSON.parse(await holder.line(/^\{/));
    expect(facts).toMatchObject({ name: 'forever', names: ['forever', 'ever'], slots: [[], []] });
    expect((await inspect('ever')).holder).toMatchObject({ leaseLeftMs: null });
    expect((await cluster.cli('inspect', 'ever')).stdout).toContain('  expires  never\n');
    const token = String(facts.token);
    await cluster.cli('break', 'ever', '--token', token, '--reason', 'test');
    expect((await holder.ended).code).toBe(79);
    expect((await inspect('forever')).holder).toBe(null);
    expect((await cluster.cli('session', 'show', facts.session)).code).toBe(1);
  });
});

describe('what cannot be asked for', () => {
  test.each([
    [['run', 'a', 'a', '--', 'true'], 'expected each name once; got "a" twice'],
    [['run', 'a', '--shared', '--permits', '1/2', '--', 'true'], '--shared'],
    [['run', 'a', '--permits', '2', '--', 'true'], 'expected K/N, such as 1/4'],
    [['acquire', 'a', '--permits', '3/2'], '1 ≤ K ≤ N'],
    [['acquire', 'a', '--permits', '0/2'], '1 ≤ K ≤ N'],
    [['acquire', 'a', '--ttl', 'never'], '; or none.'],
    [['run', '--', 'true'], "missing required argument 'names'"],
    [['run', 'a', 'b'], 'the command to run comes after "--"; got "b" before it'],
    [['elect', 'a'], 'there is no command to run; expected: holdfast elect NAME'],
    [['elect', 'a', 'b', '--', 'true'], 'got "b" before it'],
    [['acquire', 'a', '--', 'true'], 'acquire runs no command; got "true" after "--"'],
    [['acquire', 'a', '--'], 'acquire runs no command'],
    [['elect', 'a', '--observe', '--', 'true'], '--observe runs no command'],
    [['elect', 'a', '--json', '--', 'true'], '--json is for --observe'],
    [['watch', 'a', '--name', 'b'], 'expected a prefix or --name; got both'],
    [['watch', '--after', 'x'], 'expected a whole number from 0'],
    [['session', 'end', '1-a'], "required option '--reason <text>' not specified"],
    [['session', 'ends', '1-a'], "unknown command 'ends'"],
  ])('%j ends with 64 before any node is asked', async (args, told) => {
    const environment = { HOLDFAST_NODES: '127.0.0.1:1' };
    const result = await cli(args, { environment, directory: scratchDirectory() });
    expect(result).toMatchObject({ code: 64, stdout: '' });
    expect(result.stderr).toMatch(/^[^\n]*USAGE: [^\n]*\n$/);
    expect(result.stderr).toContain(told);
  });

  test.each(['run', 'acquire', 'elect', 'watch', 'session list', 'session show', 'session end'])(
    'the help of %s begins with examples and names its exit codes',
    async (command) => {
      const { code, stdout } = await cli([...command.split(' '), '--help']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Examples:\n {2}holdfast /);
      expect(stdout).toMatch(/\nExit code: /);
    },
  );
});
