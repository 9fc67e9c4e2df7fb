import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Cli, cli, endAll, startUp } from './cli.ts';
import { scratchDirectory } from './scratch.ts';

afterAll(endAll);

describe('a second cluster where one runs', () => {
  test('on the same data it ends with 81, calls nothing ready and touches nothing', async () => {
    const cluster = await startUp(scratchDirectory(), 1);
    const log = join(cluster.root, 'n1.log');
    const before = readFileSync(log, 'utf8');
    const second = await cli(['up', '--config', cluster.configFile]);
    expect(second).toMatchObject({ code: 81, stdout: '' });
    expect(second.stderr).toContain(`a node runs in ${join(cluster.root, 'n1')}`);
    expect(readFileSync(log, 'utf8').startsWith(before)).toBe(true);
    expect(await cluster.cli('run', 'x', '--', 'true')).toMatchObject({ code: 0 });
    await cluster.stop();
  });

  test('on the same ports it ends with 73 and does not call the other one ready', async () => {
    const cluster = await startUp(scratchDirectory());
    const elsewhere = scratchDirectory();
    const second = await cli(['up', '--config', cluster.configFile, '--data', elsewhere]);
    expect(second).toMatchObject({ code: 73, stdout: '' });
    // All three fail; whichever ends first is told of.
    const text =
      /PORT_IN_USE: the node (n[123]) of process \d+ listens on 127\.0\.0\.1:\d+.*\(\1\)/;
    expect(second.stderr).toMatch(text);
    await cluster.stop();
  });

  test('it waits a moment for a node of before that is stopping', async () => {
    const cluster = await startUp(scratchDirectory(), 1);
    await cluster.stop();
    const old = new Cli(['node', '--id', 'n1', '--config', cluster.configFile]);
    await expect.poll(async () => (await cluster.cli('status')).code).toBe(0);
    const next = new Cli(['up', '--config', cluster.configFile]);
    await next.line(/^holdfast: a node runs in .*n1; waiting a moment/);
    old.signal('SIGTERM');
    await next.line(/^ready leader=n1 /);
    next.signal('SIGTERM');
    expect((await next.ended).code).toBe(0);
  });

  test('--size does not make a part of a cluster that came from another file', async () => {
    const cluster = await startUp(scratchDirectory());
    await cluster.stop();
    const part = await cli(['up', '--size', '2', '--base-port', '1', '--data', cluster.root]);
    expect(part).toMatchObject({ code: 78, stdout: '' });
    expect(part.stderr).toContain(join(cluster.root, 'n1'));
    expect(existsSync(join(cluster.root, 'cluster.config.json'))).toBe(false);
  });
});

describe('the log of a node', () => {
  test('it is continued, and what an earlier run told is no reason for an end now', async () => {
    const cluster = await startUp(scratchDirectory(), 1);
    await cluster.stop();
    const taken = await startUp(scratchDirectory(), 1);
    const failed = new Cli(['up', '--config', taken.configFile, '--data', cluster.root]);
    expect(await failed.ended).toMatchObject({ code: 73 });
    await taken.stop();
    const again = new Cli(['up', '--config', cluster.configFile]);
    await again.line(/^ready /);
    expect(readFileSync(join(cluster.root, 'n1.log'), 'utf8')).toContain('PORT_IN_USE');
    const status = JSON.parse((await cluster.cli('status', '--json')).stdout);
    process.kill(status.nodes[0].pid, 'SIGKILL');
    expect(await again.line(/ended with SIGKILL/)).toBe(
      'holdfast: n1 ended with SIGKILL; start it again with',
    );
    expect((await again.ended).code).toBe(69);
  });
});
