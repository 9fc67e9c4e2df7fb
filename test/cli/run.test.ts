import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endAll, startUp } from './cli.ts';
import type { Cli, UpCluster } from './cli.ts';
import { isRunning, processEnd, scratchDirectory, suiteDirectory } from './scratch.ts';

const TOKEN = ['sh', '-c', 'echo $HOLDFAST_FENCING_TOKEN'];
let cluster: UpCluster;
let names = 0;

beforeAll(async () => {
  cluster = await startUp(suiteDirectory());
});
afterAll(async () => {
  expect(await cluster.stop()).toMatchObject({ code: 0 });
  await endAll();
});

function freshName(): string {
  return `run/${names++}`;
}

/** Starts a child that says its pid and goes on for long, and waits until it runs. */
async function startSleeper(...options: string[]): Promise<{ run: Cli; pid: number }> {
  const run = cluster.start('run', ...options, '--', 'sh', '-c', 'echo pid $$; exec sleep 600');
  return { run, pid: Number((await run.line(/^pid /)).slice('pid '.length)) };
}

async function holdersOf(name: string): Promise<unknown[]> {
  const lock: unknown = JSON.parse((await cluster.cli('inspect', name, '--json')).stdout);
  expect(lock).toMatchObject({ name });
  const { holders, waiters } = Object(lock);
  return [...holders, ...waiters];
}

describe('holdfast run', () => {
  test('a command gets a token, and the next one a larger', async () => {
    const name = freshName();
    const first = await cluster.cli('run', name, '--', ...TOKEN);
    const second = await cluster.cli('run', name, '--', ...TOKEN);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(Number(first.stdout)).toBeGreaterThan(0);
    expect(Number(second.stdout)).toBeGreaterThan(Number(first.stdout));
  });

  test('a command is told the lock and the session that holds it', async () => {
    const name = freshName();
    const result = await cluster.cli(
      ...['run', name, '--', 'sh', '-c', 'echo "$HOLDFAST_LOCK $HOLDFAST_SESSION"'],
    );
    expect(result.stdout).toMatch(new RegExp(`^${name} \\d+-[\\w-]{16}\\n$`));
  });

  test('a second run waits its turn and gets a larger token', async () => {
    const name = freshName();
    const go = join(scratchDirectory(), 'go');
    const script = `echo $HOLDFAST_FENCING_TOKEN; until [ -e ${go} ]; do sleep 0.02; done`;
    const first = cluster.start('run', name, '--', 'sh', '-c', script);
    const token = Number(await first.line(/^\d+$/));
    const second = cluster.start('run', name, '--', ...TOKEN);
    await expect.poll(() => holdersOf(name)).toHaveLength(2);
    expect(second.stdout).toBe('');
    writeFileSync(go, '');
    expect(Number((await second.ended).stdout)).toBeGreaterThan(token);
  });

  test('a wait that is over is told as it was typed, whatever connecting took of it', async () => {
    const name = freshName();
    await startSleeper(name);
    const result = await cluster.cli('run', name, '--wait', '1s', '--', 'true');
    expect(result).toMatchObject({ code: 75, stdout: '' });
    expect(result.stderr).toContain(`WAIT_OVER: "${name}" was not granted within 1s (--wait); `);
  });

  test.each([
    [['sh', '-c', 'exit 0'], 0],
    [['sh', '-c', 'exit 1'], 1],
    [['sh', '-c', 'exit 3'], 3],
    [['sh', '-c', 'exit 124'], 124],
    [['sh', '-c', 'exit 255'], 255],
    [['sh', '-c', 'kill -SEGV $$'], 139],
    [['/no/such/program'], 127],
    [['/etc/passwd'], 126],
  ])('F6 %j ends with %i', async (argv, code) => {
    expect(await cluster.cli('run', freshName(), '--', ...argv)).toMatchObject({ code });
  });

  test('arguments after -- are not looked at, not even a second --', async () => {
    const odd = ['--json', '-h', '--', '$HOME', ''];
    const result = await cluster.cli('run', freshName(), '--', 'printf', '<%s>', ...odd);
    expect(result.stdout).toBe(odd.map((text) => `<${text}>`).join(''));
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)(
    'F1 F2 %s to the wrapper ends the child, then frees the lock',
    async (signal) => {
      const name = freshName();
      const { run, pid } = await startSleeper(name);
      run.signal(signal);
      const { code } = await run.ended;
      const numbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15 };
      expect(code).toBe(128 + numbers[signal]);
      expect(isRunning(pid)).toBe(false);
      expect(await holdersOf(name)).toEqual([]);
    },
  );

  test('F2 a wrapper that is killed takes its child along', async () => {
    const { run, pid } = await startSleeper(freshName(), '--ttl', '3s');
    run.signal('SIGKILL');
    await processEnd(pid);
  });

  test('F1 what a command leaves running is ended before the lock is free', async () => {
    const name = freshName();
    const script = 'sleep 600 >&- 2>&- & echo $!';
    const { stdout, code } = await cluster.cli('run', name, '--', 'sh', '-c', script);
    expect(code).toBe(0);
    expect(isRunning(Number(stdout))).toBe(false);
  });

  test('F3 a signal while waiting ends the wrapper, and the queue forgets it', async () => {
    const name = freshName();
    const holder = await startSleeper(name);
    const mark = join(scratchDirectory(), 'ran');
    const waiting = cluster.start('run', name, '--', 'touch', mark);
    await expect.poll(() => holdersOf(name)).toHaveLength(2);
    waiting.signal('SIGINT');
    expect((await waiting.ended).code).toBe(130);
    expect(await holdersOf(name)).toHaveLength(1);
    holder.run.signal('SIGTERM');
    await holder.run.ended;
    expect(existsSync(mark)).toBe(false);
  });

  test('F6 F8 a busy lock ends with 75 and says who has it, or with --busy-code', async () => {
    const name = freshName();
    const { run } = await startSleeper(name);
    const busy = await cluster.cli('run', name, '--wait', '0s', '--', 'true');
    expect(busy.code).toBe(75);
    expect(busy.stderr).toMatch(/^holdfast: LOCK_BUSY: .* holds it with token \d+/);
    const other = await cluster.cli('run', name, '--wait', '1ms', '--busy-code', '9', '--', 'true');
    expect(other.code).toBe(9);
    run.signal('SIGTERM');
    await run.ended;
  });
});
