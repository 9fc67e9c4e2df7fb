import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { ENTRY, cli, endAll, freePorts, startUp, writeConfig } from './cli.ts';
import { FullPipe } from './full-pipe.ts';
import { processEnd, scratchDirectory } from './scratch.ts';

const WAIT = { timeout: 20_000, interval: 20 } as const;

afterAll(endAll);

/** Starts the program with a standard error that takes nothing; its end as code or signal. */
function startUnread(args: readonly string[], nodes = '') {
  const pipe = new FullPipe(scratchDirectory());
  onTestFinished(() => {
    pipe.close();
  });
  return watch(
    spawn(process.execPath, [ENTRY, ...args], {
      stdio: ['ignore', 'pipe', pipe.writer],
      env: { ...process.env, HOLDFAST_NODES: nodes },
    }),
  );
}

function watch(child: ChildProcess) {
  const ended = new Promise<unknown>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal ?? code);
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    child.stderr?.destroy();
  });
  return { child, ended };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await vi.waitUntil(() => text.includes('\n'), WAIT);
  return text.trim();
}

test('A12 a node whose log nobody reads answers, and stops when it is told to', async () => {
  const [port = 0] = await freePorts(1);
  const config = await writeConfig(scratchDirectory(), [port]);
  const { child, ended } = startUnread(['node', '--id', 'n1', '--config', config]);
  const isOk = (path: string): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(() => isOk('/livez'), WAIT);
  await cli(['init', '--config', config]);
  // It has said by now, or tried to, that it asks for votes, leads, and is ready.
  await vi.waitUntil(() => isOk('/leaderz'), WAIT);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('A12 an error that nobody reads does not keep a command from ending', async () => {
  const { ended } = startUnread(['node', '--id', 'n1', '--config', '/nowhere/config.json']);
  expect(await ended).toBe(78);
});

test('A12 a lost lock ends its command, though nobody reads what run says of it', async () => {
  const cluster = await startUp(scratchDirectory(), 1);
  const sleeper = ['sh', '-c', 'echo $$ $HOLDFAST_FENCING_TOKEN; exec sleep 600'];
  const { child, ended } = startUnread(['run', 'job', '--', ...sleeper], cluster.nodes);
  const [pid = '', token = ''] = (await firstLine(child)).split(' ');
  await cluster.cli('break', 'job', '--token', token, '--reason', 'test');
  await processEnd(Number(pid));
  expect(await ended).toBe(79);
  await cluster.stop();
});
