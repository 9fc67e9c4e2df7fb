import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endAll, startUp } from './cli.ts';
import type { Cli, UpCluster } from './cli.ts';
import { isRunning, suiteDirectory } from './scratch.ts';

const TOKEN = ['sh', '-c', 'echo $HOLDFAST_FENCING_TOKEN'];
let cluster: UpCluster;
let names = 0;

beforeAll(async () => {
  cluster = await startUp(suiteDirectory(), 1);
});
afterAll(async () => {
  await cluster.stop();
  await endAll();
});

function freshName(): string {
  return `lost/${names++}`;
}

async function startShell(
  script: string,
  ...options: string[]
): Promise<{ run: Cli; pid: number }> {
  const run = cluster.start('run', ...options, '--', 'sh', '-c', `echo pid $$; ${script}`);
  return { run, pid: Number((await run.line(/^pid /)).slice('pid '.length)) };
}

/** Stops the only node from the outside, as a partition would, while `work` goes on. */
async function withoutCluster(work: () => Promise<void>): Promise<void> {
  const { stdout } = await cluster.cli('status', '--json');
  const pid: number = JSON.parse(stdout).nodes[0].pid;
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

async function firstWaiter(name: string): Promise<string | undefined> {
  const { waiters } = JSON.parse((await cluster.cli('inspect', name, '--json')).stdout);
  return waiters[0]?.session;
}

describe('a lock that is lost', () => {
  test('K1 breaking it shows the holder, ends its command with 79, and the next token is larger', async () => {
    const name = freshName();
    const { run, pid } = await startShell('exec sleep 600', name);
    const usage = await cluster.cli('break', name);
    expect(usage.code).toBe(64);
    const token = /held with token (\d+)/.exec(usage.stderr)?.[1] ?? '';
    const wrong = await cluster.cli('break', name, '--token', '1', '--reason', 'test');
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    const done = await cluster.cli('break', name, '--token', token, '--reason', 'it is stuck');
    expect(done).toMatchObject({ code: 0, stdout: `broke "${name}", token ${token}\n` });
    expect(done.stderr).toMatch(/since {4}20\d\d-/);
    expect(done.stderr).toContain(`pid      ${run.pid}`);
    const { code, stderr } = await run.ended;
    expect(code).toBe(79);
    expect(stderr).toContain(`holdfast: LOCK_LOST: the lock "${name}" (token ${token}) is lost: `);
    expect(stderr).toMatch(/is lost: broken by [^\n]*: it is stuck; the command was stopped\n/);
    expect(isRunning(pid)).toBe(false);
    const next = await cluster.cli('run', name, '--', ...TOKEN);
    expect(Number(next.stdout)).toBeGreaterThan(Number(token));
  });

  test('B4 a wrapper that slept past its lease ends the child at once, with --lost-code', async () => {
    const name = freshName();
    const { run, pid } = await startShell(
      'exec sleep 600',
      name,
      '--ttl',
      '1s',
      '--lost-code',
      '7',
    );
    run.signal('SIGSTOP');
    const next = await cluster.cli('run', name, '--', ...TOKEN);
    expect(next.code).toBe(0);
    run.signal('SIGCONT');
    expect((await run.ended).code).toBe(7);
    expect(isRunning(pid)).toBe(false);
  });

  test('B4 a child that cannot reach the cluster any more is told to end within the lease', async () => {
    const script = "trap 'echo told; exit 0' TERM; while :; do sleep 0.02; done";
    const { run } = await startShell(script, freshName(), '--ttl', '2s');
    await withoutCluster(async () => {
      await run.line(/^told$/);
      const { code, stderr } = await run.ended;
      expect(code).toBe(79);
      expect(stderr).toMatch(
        /^holdfast: LOCK_LOST: .* is over in \d+ ms; the command was stopped$/m,
      );
    });
  });

  test.each([
    ['run', ['--', 'true']],
    ['elect', ['--', 'true']],
    ['acquire', []],
  ] as const)('%s ends with 69 when its session ends while it waits', async (command, rest) => {
    const name = freshName();
    const holder = cluster.start('acquire', name);
    await holder.line(/^\d+$/);
    const waiting = cluster.start(command, name, '--wait', '10m', ...rest);
    const session = await vi.waitUntil(() => firstWaiter(name), { timeout: 20_000 });
    await cluster.cli('session', 'end', session, '--reason', 'test');
    const { code, stdout, stderr } = await waiting.ended;
    expect([code, stdout]).toEqual([69, '']);
    expect(stderr).toMatch(/^holdfast: SESSION_ENDED: [^\n]*\n$/);
    holder.signal('SIGTERM');
    expect((await holder.ended).code).toBe(0);
  });

  test('B4 a child that does not end when it is told is killed', async () => {
    const name = freshName();
    const script = "trap '' TERM; echo deaf; while :; do sleep 0.02; done";
    const { run, pid } = await startShell(script, name, '--ttl', '2s', '--kill-after', '100ms');
    await run.line(/^deaf$/);
    await withoutCluster(async () => {
      expect((await run.ended).code).toBe(79);
      expect(isRunning(pid)).toBe(false);
    });
    expect((await cluster.cli('run', name, '--', ...TOKEN)).code).toBe(0);
  });
});
