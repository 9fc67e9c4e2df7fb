// The soak as it is, for a few seconds, on a real cluster.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url));

/** A cluster of processes is started meanwhile, on a machine of any speed. */
const LONG = { timeout: 180_000 };
const PATIENT = { timeout: 150_000 };

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-soak-test-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const fileIn = (name: string): string => join(directory, name);
const readReport = (): unknown => JSON.parse(readFileSync(fileIn('report.json'), 'utf8'));

function commandLine(...more: readonly string[]): string[] {
  const usual = ['--rate', '40', '--json', fileIn('report.json'), '--dir', fileIn('work')];
  return [MAIN, ...usual, ...more];
}

test('a kill and a pause of a few seconds: nothing is lost, a report, no traces', LONG, () => {
  const faults = ['--faults', 'kill-leader,pause-follower-short', '--seed', '7'];
  const args = commandLine('--minutes', '0.15', ...faults);
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const report = readReport();
  expect(report).toMatchObject({
    state: 'done',
    faults: [{ kind: 'kill-leader' }, { kind: 'pause-follower-short' }],
    // What was missed depends on the machine.
    violations: [],
    load: { underWay: 0, turns: expect.any(Number) },
    states: [{}, {}, {}],
    kept: expect.any(Number),
  });
  expect(stdout).toMatch(/^own lock +all/m);
  expect(stdout).toContain('nothing was violated');
  expect(readdirSync(fileIn('work'))).toEqual([]);
  const table = spawnSync(process.execPath, [MAIN, '--table', fileIn('report.json')], {
    encoding: 'utf8',
  });
  expect(table.stdout).toMatch(/^\| kill-leader \| 1 \|/m);
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test(
  'a signal ends it with everything that it has started, and its report stays',
  LONG,
  async () => {
    const child = spawn(process.execPath, commandLine('--minutes', '30', '--faults', 'none'));
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await expect.poll(() => existsSync(fileIn('report.json')), PATIENT).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const text = readFileSync(fileIn('report.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ state: 'interrupted' });
    const pids = [...text.matchAll(/"pid": (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids.length).toBeGreaterThanOrEqual(4);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(fileIn('work'))).toEqual([]);
  },
);

test('what it is told must be something that exists', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--faults', 'fire'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^soak: no fault fire/);
});
