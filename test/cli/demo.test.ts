import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { lookForProgram } from '../../src/cli/program-path.ts';
import { Cli, ENTRY, cli, endAll } from './cli.ts';
import { scratchDirectory } from './scratch.ts';
import { elementsOf } from './svg.ts';

const PAUSE = ['demo', 'pause', '--ttl', '1s'];
const STOPPED = /worker-1 is stopped/;
const WAIT = { timeout: 20_000, interval: 20 } as const;
const canDieWithParent =
  process.platform === 'linux' && lookForProgram('setpriv', process.env['PATH'] ?? '') !== null;

afterAll(endAll);

/** A place for the demo's files, which marks its processes as well. */
function stage(): { directory: string; environment: { TMPDIR: string } } {
  const directory = scratchDirectory();
  return { directory, environment: { TMPDIR: directory } };
}

/** Processes that were started with these files, the demo itself included. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${directory}\0`);
    } catch {
      return false; // it has ended, or is somebody else's
    }
  });
}

/** What util-linux' `script` shows of a command that it gives a terminal. */
function onTerminal(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    ...{ env, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  let screen = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (screen += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(screen));
  });
}

describe('demo pause', () => {
  test('with a guard the late write is refused with both tokens, and nothing is left', async () => {
    const { directory, environment } = stage();
    const { code, stdout } = await cli(PAUSE, { environment });
    expect(stdout).not.toContain('\u001b');
    expect(code).toBe(0);
    const tokens = [...stdout.matchAll(/worker-(\d) has the lock: token (\d+)/g)];
    const [[, , first], [, , second]] = [tokens[0] ?? [], tokens[1] ?? []];
    expect(Number(first)).toBeLessThan(Number(second));
    expect(stdout).toContain(`worker-2 wrote with token ${second}: taken\n`);
    expect(stdout).toContain(
      `worker-1 wrote with token ${first}: refused, STALE_TOKEN: ${second} was seen\n`,
    );
    expect(stdout).toMatch(/the database holds what worker-2 wrote: the late write was refused\n$/);
    expect(readdirSync(directory)).toEqual([]);
    expect(processesOf(directory)).toEqual([]);
  });

  test('--both shows the overwrite first, as JSON and as a picture', async () => {
    const { directory, environment } = stage();
    const svg = join(scratchDirectory(), 'story.svg');
    const { code, stdout } = await cli([...PAUSE, '--both', '--json', '--svg', svg], {
      environment,
    });
    expect(code).toBe(0);
    const acts: unknown[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(acts).toMatchObject([
      { isGuarded: false, value: 'worker-1', isAsTold: true, problems: [], ttlMs: 1_000 },
      { isGuarded: true, value: 'worker-2', isAsTold: true, problems: [], ttlMs: 1_000 },
    ]);
    const isOfEvents = (kind: string, who: string) =>
      expect.arrayContaining([expect.objectContaining({ kind, who })]);
    expect(acts).toMatchObject([
      { events: isOfEvents('taken', 'worker-1') },
      { events: isOfEvents('refused', 'worker-1') },
    ]);
    for (const kind of ['stopped', 'resumed', 'told']) {
      expect(acts[1]).toMatchObject({ events: isOfEvents(kind, 'worker-1') });
    }
    const texts = readFileSync(svg, 'utf8');
    expect(elementsOf(texts).filter(({ name }) => name === 'g')).toHaveLength(2);
    expect(texts).toMatch(/worker-1 wrote with token \d+: taken, over the newer value/);
    expect(texts).toMatch(/worker-1 wrote with token \d+: refused, STALE_TOKEN: \d+ was seen/);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('SIGTERM ends it with all its processes and files', async () => {
    const { directory, environment } = stage();
    const demo = new Cli([...PAUSE, '--ttl', '60s'], { environment });
    await demo.line(STOPPED);
    expect(processesOf(directory).length).toBeGreaterThanOrEqual(7);
    demo.signal('SIGTERM');
    const { code } = await demo.ended;
    expect(code).toBe(143);
    expect(processesOf(directory)).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a second SIGINT ends it at once, with all its processes and files', async () => {
    const { directory, environment } = stage();
    const demo = new Cli([...PAUSE, '--ttl', '60s'], { environment });
    await demo.line(STOPPED);
    demo.signal('SIGINT');
    demo.signal('SIGINT');
    expect((await demo.ended).code).toBe(130);
    await vi.waitUntil(() => processesOf(directory).length === 0, WAIT);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a terminal gets colours, unless NO_COLOR is set', async () => {
    const command = `exec ${process.execPath} ${ENTRY} ${PAUSE.join(' ')}`;
    const screens = [{ NO_COLOR: '' }, { NO_COLOR: '1' }].map((colours) => {
      const env = { ...process.env, ...stage().environment, ...colours, SHELL: '/bin/sh' };
      return onTerminal(command, env);
    });
    const [colourful, plain] = await Promise.all(screens);
    expect(colourful).toMatch(/\u001b\[32mworker-1 wrote with token \d+: refused/);
    expect(plain).toMatch(/worker-1 wrote with token \d+: refused/);
    expect(plain).not.toMatch(/\u001b\[\d+m/);
  });

  test.skipIf(!canDieWithParent)('its processes die with it, a stopped one too', async () => {
    const { directory, environment } = stage();
    const demo = new Cli([...PAUSE, '--ttl', '60s'], { environment });
    await demo.line(STOPPED);
    demo.signal('SIGKILL');
    await demo.ended;
    await vi.waitUntil(() => processesOf(directory).length === 0, WAIT);
  });

  test.each([
    [['--both', '--no-guard'], '--both plays both'],
    [['--ttl', '500ms'], 'expected a duration from 1s to 1m'],
  ])('%j is refused with 64, and nothing is started', async (args, told) => {
    const { directory, environment } = stage();
    const result = await cli(['demo', 'pause', ...args], { environment });
    expect(result).toMatchObject({ code: 64, stdout: '' });
    expect(result.stderr).toContain(told);
    expect(readdirSync(directory)).toEqual([]);
  });
});
