import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { Cli, cli, endAll, freePorts, startUp, writeConfig } from './cli.ts';
import type { UpCluster } from './cli.ts';
import { processEnd, scratchDirectory } from './scratch.ts';

afterAll(endAll);

const TOKEN = ['--', 'sh', '-c', 'echo $HOLDFAST_FENCING_TOKEN'];

interface StatusNode {
  readonly id: string;
  readonly pid: number;
  readonly role: string;
  readonly isReachable: boolean;
  readonly clusterId: string;
}

async function statusOf(cluster: UpCluster): Promise<readonly StatusNode[]> {
  const { stdout } = await cluster.cli('status', '--json');
  return JSON.parse(stdout).nodes;
}

function nodeOf(list: readonly StatusNode[], role: string): StatusNode {
  const node = list.find((each) => each.role === role);
  if (node === undefined) throw new Error(`no ${role} in ${JSON.stringify(list)}`);
  return node;
}

async function token(cluster: UpCluster): Promise<number> {
  const { stdout, stderr } = await cluster.cli('run', 'x', ...TOKEN);
  expect(stderr).toBe('');
  return Number(stdout);
}

describe('a local cluster', () => {
  test('it warns of an even number of nodes, which survive no more than one fewer', async () => {
    const cluster = await startUp(scratchDirectory(), 2);
    expect(cluster.up.stderr).toContain('2 nodes survive the loss of 0, as many as 1 do\n');
    expect((await cluster.stop()).code).toBe(0);
  });

  test('it says who leads, and where the nodes are for other terminals', async () => {
    const cluster = await startUp(scratchDirectory());
    expect(cluster.up.stdout).toMatch(/^ready leader=n[123] nodes=(127\.0\.0\.1:\d+,?){3}\n$/);
    expect(await cluster.up.line(/^export /)).toBe(`export HOLDFAST_NODES=${cluster.nodes}`);
    const { stdout, code } = await cluster.cli('status');
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(
      /^ID +ADDRESS +ROLE +TERM +LEADER +COMMIT +APPLIED +CHECKPOINT +PID$/,
    );
    expect(stdout.match(/ follower /g)).toHaveLength(2);
    expect(await cluster.stop()).toMatchObject({ code: 0 });
  });

  test('it goes on without a leader that was killed, and says how to start that again', async () => {
    const cluster = await startUp(scratchDirectory());
    const before = await token(cluster);
    const leader = nodeOf(await statusOf(cluster), 'leader');
    process.kill(leader.pid, 'SIGKILL');
    const after = await token(cluster);
    expect(after).toBeGreaterThan(before);
    const told = await cluster.up.line(new RegExp(`^holdfast: ${leader.id} ended with SIGKILL`));
    expect(told).toContain('start it again with');
    const command = (await cluster.up.line(/^ {2}npx holdfast node/)).trim().split(' ').slice(2);
    expect(await statusOf(cluster)).toContainEqual(expect.objectContaining({ isReachable: false }));
    const node = new Cli(command);
    await expect
      .poll(async () => (await statusOf(cluster)).filter((each) => each.isReachable))
      .toHaveLength(3);
    node.signal('SIGTERM');
    expect((await node.ended).code).toBe(0);
    await cluster.stop();
  });

  test('it goes on with its data, and takes its nodes along when it is killed', async () => {
    const directory = scratchDirectory();
    const first = await startUp(directory);
    const before = await token(first);
    const old = await statusOf(first);
    first.up.signal('SIGKILL');
    await Promise.all(old.map((node) => processEnd(node.pid)));
    const second = await startUp(directory);
    expect(await token(second)).toBeGreaterThan(before);
    expect((await statusOf(second))[0]?.clusterId).toBe(old[0]?.clusterId);
    second.up.signal('SIGINT');
    expect((await second.up.ended).code).toBe(0);
  });

  test('--fresh founds another cluster whose tokens are larger all the same', async () => {
    const directory = scratchDirectory();
    const first = await startUp(directory);
    const before = await token(first);
    const [old] = await statusOf(first);
    const inUse = await cli(['up', '--fresh', '--config', first.configFile]);
    expect(inUse.stderr).toContain('DIRECTORY_IN_USE');
    expect(inUse).toMatchObject({ code: 81, stdout: '' });
    expect(inUse.stderr).toContain(join(first.root, 'n1'));
    await first.stop();
    writeFileSync(join(first.root, 'keep.txt'), 'of somebody else');
    const second = await startUp(directory, 3, ['--fresh']);
    expect((await statusOf(second))[0]?.clusterId).not.toBe(old?.clusterId);
    expect(await token(second)).toBeGreaterThan(before);
    expect(existsSync(join(first.root, 'keep.txt'))).toBe(true);
    await second.stop();
  });

  test('--size and --base-port make a configuration that the next start finds', async () => {
    const data = join(scratchDirectory(), 'data');
    const [basePort = 0] = await freePorts(1);
    const made = new Cli(['up', '--size', '1', '--base-port', `${basePort}`, '--data', data]);
    await made.line(new RegExp(`^ready leader=n1 nodes=127.0.0.1:${basePort}$`));
    made.signal('SIGTERM');
    await made.ended;
    const again = new Cli(['up', '--data', data]);
    await again.line(new RegExp(`^ready leader=n1 nodes=127.0.0.1:${basePort}$`));
    again.signal('SIGTERM');
    await again.ended;
    const other = await cli(['up', '--size', '3', '--base-port', `${basePort}`, '--data', data]);
    expect(other).toMatchObject({ code: 78 });
  });
});

describe('a local cluster that cannot start', () => {
  async function stoppedCluster(): Promise<UpCluster> {
    const cluster = await startUp(scratchDirectory());
    await cluster.stop();
    return cluster;
  }

  test('a missing directory of a node is named, ends with 87 and is not made', async () => {
    const cluster = await stoppedCluster();
    rmSync(join(cluster.root, 'n2'), { recursive: true });
    const result = await cli(['up', '--config', cluster.configFile]);
    expect(result).toMatchObject({ code: 87, stdout: '' });
    expect(result.stderr).toContain(`missing: ${join(cluster.root, 'n2')}`);
    expect(readdirSync(cluster.root)).not.toContain('n2');
  });

  test("a directory that is not a node's is left alone by --fresh, with 80", async () => {
    const directory = scratchDirectory();
    const config = await writeConfig(directory, await freePorts(3));
    mkdirSync(join(directory, 'data', 'n1'), { recursive: true });
    writeFileSync(join(directory, 'data', 'n1', 'thesis.txt'), 'all of it');
    const result = await cli(['up', '--fresh', '--config', config]);
    expect(result).toMatchObject({ code: 80, stdout: '' });
    expect(existsSync(join(directory, 'data', 'n1', 'thesis.txt'))).toBe(true);
  });

  test('the directory of another node ends with 80', async () => {
    const cluster = await stoppedCluster();
    rmSync(join(cluster.root, 'n1'), { recursive: true });
    renameSync(join(cluster.root, 'n3'), join(cluster.root, 'n1'));
    const result = await cli(['node', '--id', 'n1', '--config', cluster.configFile]);
    expect(result.code).toBe(80);
    expect(result.stderr).toMatch(/^holdfast: /m);
  });

  test('a port in use is named and ends with 73, and nothing is left running', async () => {
    const directory = scratchDirectory();
    const ports = await freePorts(3);
    const config = await writeConfig(directory, ports);
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(ports[1], '127.0.0.1', resolve));
    const result = await cli(['up', '--config', config]);
    expect(result).toMatchObject({ code: 73, stdout: '' });
    expect(result.stderr).toContain(`127.0.0.1:${ports[1]}`);
  });

  test('a directory in use ends with 81', async () => {
    const directory = scratchDirectory();
    const cluster = await startUp(directory, 1);
    const elsewhere = scratchDirectory();
    const config = await writeConfig(elsewhere, await freePorts(1));
    const result = await cli(['node', '--id', 'n1', '--config', config, '--data', cluster.root]);
    expect(result.code).toBe(81);
    await cluster.stop();
  });
});
