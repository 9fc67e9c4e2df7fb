import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli, cli, endAll, freePorts, startUp, writeConfig } from './cli.ts';
import type { UpCluster } from './cli.ts';
import { scratchDirectory, suiteDirectory } from './scratch.ts';

let cluster: UpCluster;

beforeAll(async () => {
  cluster = await startUp(suiteDirectory(), 1);
});
afterAll(async () => {
  await cluster.stop();
  await endAll();
});

describe('seeing locks', () => {
  test('acquire prints the token, holds until a signal, and gives the lock back', async () => {
    const holder = cluster.start('acquire', 'a/1');
    const token = Number(await holder.line(/^\d+$/));
    const shown = JSON.parse((await cluster.cli('inspect', 'a/1', '--json')).stdout);
    expect(shown).toMatchObject({
      name: 'a/1',
      holder: { token, sessionMeta: { pid: holder.pid } },
    });
    holder.signal('SIGTERM');
    expect(await holder.ended).toMatchObject({ code: 0, stdout: `${token}\n` });
    expect((await cluster.cli('inspect', 'a/1')).stdout).toBe('"a/1" is free\n');
  });

  test('that a lock is busy is an object with --json, and tells the holder', async () => {
    const holder = cluster.start('acquire', 'a/busy');
    const token = Number(await holder.line(/^\d+$/));
    const busy = await cluster.cli('acquire', 'a/busy', '--wait', '0s', '--json');
    expect(busy).toMatchObject({ code: 75, stdout: '' });
    expect(JSON.parse(busy.stderr)).toMatchObject({
      code: 'LOCK_BUSY',
      message: expect.stringContaining('"a/busy" is busy'),
      outcome: 'none',
      retryable: true,
      details: { names: ['a/busy'], holder: { token } },
    });
    holder.signal('SIGTERM');
    expect((await holder.ended).code).toBe(0);
  });

  test('acquire says as JSON what it holds', async () => {
    const holder = cluster.start('acquire', 'a/2', '--json');
    const facts = JSON.parse(await holder.line(/^\{/));
    expect(facts).toEqual({
      name: 'a/2',
      names: ['a/2'],
      token: expect.any(Number),
      slots: [[]],
      session: expect.stringMatching(/^\d+-/),
    });
    holder.signal('SIGINT');
    expect((await holder.ended).code).toBe(0);
  });

  test('acquire ends with 79 when its lock is broken', async () => {
    const holder = cluster.start('acquire', 'a/3');
    const token = await holder.line(/^\d+$/);
    await cluster.cli('break', 'a/3', '--token', token, '--reason', 'wanted');
    const { code, stderr } = await holder.ended;
    expect(code).toBe(79);
    const told = `LOCK_LOST: the lock "a/3" (token ${token}) is lost: broken by `;
    expect(stderr).toMatch(/^holdfast: [^\n]*: wanted\n$/);
    expect(stderr).toContain(`holdfast: ${told}`);
  });

  test('acquire --json tells by a code why its lock was lost', async () => {
    const holder = cluster.start('acquire', 'a/4', '--json');
    const { token } = JSON.parse(await holder.line(/^\{/));
    await cluster.cli('break', 'a/4', '--token', String(token), '--reason', 'wanted');
    const { stderr } = await holder.ended;
    expect(JSON.parse(stderr)).toMatchObject({ code: 'LOCK_LOST', details: { cause: 'BROKEN' } });
  });

  test('K2 list shows the locks of a prefix, as a table or one JSON object per line', async () => {
    const holders = ['l/b', 'l/a', 'm/c'].map((name) => cluster.start('acquire', name));
    for (const holder of holders) await holder.line(/^\d+$/);
    const { stdout } = await cluster.cli('list', 'l/');
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'NAME',
      'l/a',
      'l/b',
      '',
    ]);
    expect(stdout).toContain(`pid ${holders[1]?.pid}`);
    const lines = (await cluster.cli('list', '--json')).stdout.trim().split('\n');
    const names: unknown[] = lines.map((line) => JSON.parse(line).name);
    expect(names).toEqual(['l/a', 'l/b', 'm/c']);
    for (const holder of holders) holder.signal('SIGTERM');
    await Promise.all(holders.map((holder) => holder.ended));
  });

  test('a name that cannot be one ends with 64 and says why', async () => {
    for (const command of [['inspect'], ['acquire'], ['run'], ['break']]) {
      const rest = command[0] === 'run' ? ['--', 'true'] : [];
      const result = await cluster.cli(...command, '..', ...rest);
      expect(result).toMatchObject({ code: 64, stdout: '' });
      expect(result.stderr).toContain('no URL can carry it');
    }
  });

  test('a TTL out of range ends with 64 and names the limits', async () => {
    const result = await cluster.cli('run', 'x', '--ttl', '500ms', '--', 'true');
    expect(result).toMatchObject({ code: 64, stdout: '' });
    expect(result.stderr).toContain('from 1s to 24h');
  });
});

describe('founding', () => {
  test('init founds blank nodes once, and says so the second time', async () => {
    const directory = scratchDirectory();
    const config = await writeConfig(directory, await freePorts(3));
    const early = await cli(['status', '--config', config]);
    expect(early.code).toBe(69);
    expect(early.stdout.match(/unreachable/g)).toHaveLength(3);
    const nodes = ['n1', 'n2', 'n3'].map((id) => new Cli(['node', '--id', id, '--config', config]));
    const founded = await cli(['init', '--config', config]);
    expect(founded.code).toBe(0);
    // Nodes that start slowly are waited for, and nothing else is told.
    expect(founded.stderr).toMatch(/^(holdfast: waiting for n\d at \S+: .+\n)*$/);
    const clusterId = /^founded ([0-9a-f]{32}) on n1, n2, n3\n$/.exec(founded.stdout)?.[1];
    const again = await cli(['init', '--config', config, '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ clusterId, clusterName: 'test', founded: [] });
    const run = await cli(['run', 'x', '--config', config, '--', 'echo', 'done']);
    expect(run).toMatchObject({ code: 0, stdout: 'done\n' });
    for (const node of nodes) node.signal('SIGTERM');
    for (const node of nodes) expect((await node.ended).code).toBe(0);
  });
});

describe('what cannot be done', () => {
  test('nodes that are not there end with 69 and are named', async () => {
    const [port = 0] = await freePorts(1);
    const nodes = `127.0.0.1:${port}`;
    for (const command of [
      ['inspect', 'x'],
      ['run', 'x', '--wait', '0s'],
    ]) {
      const rest = command[0] === 'run' ? ['--', 'true'] : [];
      const result = await cli([...command, '--nodes', nodes, ...rest]);
      expect(result).toMatchObject({ code: 69, stdout: '' });
      expect(result.stderr).toMatch(new RegExp(`^holdfast: UNAVAILABLE: .*${nodes}`));
    }
  });

  test('a signal ends a wait for nodes that are not there', async () => {
    const [port = 0] = await freePorts(1);
    const run = new Cli(['run', 'x', '--nodes', `127.0.0.1:${port}`, '--wait', '1h', '--', 'true']);
    await expect.poll(() => hasOwnHandlers(run.pid)).toBe(true);
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
  });

  test('a wrong field of a configuration ends with 78, its path and its value', async () => {
    const directory = scratchDirectory();
    const file = join(directory, 'cluster.config.json');
    const nodes = [{ id: 'n1', address: 'somewhere' }];
    writeFileSync(file, JSON.stringify({ name: 'test', nodes }));
    for (const command of [['up'], ['node', '--id', 'n1'], ['init'], ['status']]) {
      const result = await cli([...command, '--config', file]);
      expect(result).toMatchObject({ code: 78, stdout: '' });
      expect(result.stderr).toMatch(/^holdfast: CONFIG: .* nodes\[0\]\.address: .*"somewhere"/);
    }
  });

  test('no addresses at all end with 78 and say where they may stand', async () => {
    const result = await cli(['list'], { directory: scratchDirectory() });
    expect(result.code).toBe(78);
    expect(result.stderr).toContain('HOLDFAST_NODES');
  });

  test.each([
    [['rum'], "unknown command 'rum' (Did you mean run?)"],
    [['run', 'x'], 'there is no command to run'],
    [['run', 'x', '--ttl', '15', '--', 'true'], 'write 15s'],
    [['run', 'x', '--kill-after', '10s', '--', 'true'], 'at most 7500ms'],
    [['up', '--size', '0'], 'a whole number from 1 to 7'],
    [['up', '--size', '3', '--config', 'x.json'], 'give them or --config'],
    [['inspect'], "missing required argument 'name'"],
  ])('%j ends with 64 and one line that helps', async (args, help) => {
    const { code, stdout, stderr } = await cli(args, { directory: scratchDirectory() });
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(help);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('help tells what --json does with errors', async () => {
    const { stdout } = await cli(['--help']);
    expect(stdout).toContain('{code, message, outcome, retryable, details}');
  });

  test.each(['init', 'inspect', 'list', 'status'])(
    'the help of %s names its exit codes',
    async (command) => {
      const { stdout } = await cli([command, '--help']);
      const told = /\nExit code: (0 .*)\.\n$/s.exec(stdout)?.[1] ?? '';
      for (const code of ['64 usage', '69', '78 configuration']) expect(told).toContain(code);
    },
  );

  test('help begins with examples', async () => {
    for (const command of [[], ['run'], ['up'], ['break'], ['status'], ['init'], ['node']]) {
      const { code, stdout } = await cli([...command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Examples:\n {2}holdfast /);
    }
  });
});

/** Whether a process handles SIGUSR2, which Node does not by itself. */
function hasOwnHandlers(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & (1n << 11n)) !== 0n;
}
