// The simulator's program from outside.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Violation } from '../../sim/oracle/verdict.ts';
import { Given } from '../../sim/run/command.ts';
import { main } from '../../sim/run/main.ts';
import { replayWith } from '../../sim/run/replay.ts';
import { corpusFiles, readScriptFile } from '../../sim/run/script-files.ts';
import { result } from './run-toys.ts';

const root = resolve(import.meta.dirname, '../..');

function sim(...args: readonly string[]) {
  const program = join(root, 'scripts', 'sim.mjs');
  return spawnSync(process.execPath, [program, ...args], { cwd: root, encoding: 'utf8' });
}

test('what is mistyped is refused with what was expected, exit code 64', () => {
  const { status, stdout, stderr } = sim('fly');
  expect(stderr).toMatch(/unknown command "fly"; there are run, bounds, replay, /);
  expect(stdout).toBe('');
  expect(status).toBe(64);
});

test.each([
  [[], 64, /a command is missing; there are run, bounds, replay, /],
  [['run', '--jobs', '0'], 64, /--jobs takes a whole number from 1 to 256, not "0"/],
  [['run', 'now'], 64, /unexpected "now": npm run sim -- run \[--runs N\]/],
  [['replay'], 64, /replay takes one file: npm run sim -- replay FILE/],
  [['replay', 'none.json'], 65, /none\.json: there is no such file/],
  [['replay', 'package.json'], 65, /package\.json is no script: about must be a sentence/],
  [['replay', 'README.md'], 65, /README\.md is no script: not JSON/],
  [['replay', 'sim'], 65, /sim: sim is a folder: name one of the scripts in it/],
  [['run', '--seed', '-1'], 64, /--seed takes a whole number from 0 to 4294967295, not "-1"/],
  [['run', '--minutes', '-.5'], 64, /--minutes takes a number from 0\.01 to 100000, not "-\.5"/],
  [['mutants', 'M-999'], 64, /no planted mutant "M-999"; there are B-01 .*M-01 .*M-02/],
])('%j is refused with what was expected, exit code %i', async (argv, code, reason) => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await main(argv)).toBe(code);
  expect(stderr.mock.calls.join('')).toMatch(reason);
  stderr.mockRestore();
});

test('help tells of all commands, and of each of them', () => {
  const { stdout, status } = sim('help');
  expect(status).toBe(0);
  const names = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(['run', 'replay', 'mutants']));
  expect(sim('help', 'run').stdout).toContain('--minutes M');
});

test('a campaign ends with one line that sums it up, and is the same for the same seed', () => {
  const campaign = () => sim('run', '--runs', '5', '--seed', '7', '--jobs', '1');
  const [one, other] = [campaign(), campaign()];
  const last = one.stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(last).toMatch(
    new RegExp(
      '^runs=5 violations=0 leaderChanges=\\d+% expiries=\\d+% medianGrants=\\d+ ' +
        'probes=\\d+/\\d+ events/s=\\d+ simulated:real=\\d+$',
    ),
  );
  expect(one.status).toBe(0);
  const untimed = (text: string) => text.replace(/^.* jobs; per .*$| events\/s=.*$/gm, '');
  expect(untimed(other.stdout)).toBe(untimed(one.stdout));
});

test('a replay tells the story, the verdict and the trace; with --trace every event', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-replay-'));
  const path = join(folder, 'script.json');
  writeFileSync(path, readFileSync(corpusFiles()[0] ?? '', 'utf8'));
  const { stdout, status } = sim('replay', path, '--trace');
  expect(stdout.match(/^every promise is kept$/gm)).toHaveLength(1);
  const [, events] = /^trace [0-9a-f]{16}, (\d+) events, the same in two runs$/m.exec(stdout) ?? [];
  const lines = readFileSync(`${path}.ndjson`, 'utf8').trimEnd().split('\n');
  expect(lines.length).toBe(Number(events));
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ seq: lines.length });
  expect(status).toBe(0);
});

test('a replay of what is broken says so once', async () => {
  const [path = ''] = corpusFiles();
  const { script } = readScriptFile(path);
  const violation: Violation = { oracle: 'INV-4', message: 'two hold k1', atUs: 7 };
  const broken = mkdtempSync(join(tmpdir(), 'holdfast-replay-'));
  const file = join(broken, 'script.json');
  writeFileSync(file, JSON.stringify({ about: 'two hold k1', violated: 'INV-4', script }));
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const command = replayWith(() => () => Promise.resolve(result({ violation })));
  expect(await command.run(new Given(command, [file]))).toBe(1);
  expect(stdout.mock.calls.join('').match(/two hold k1/g)).toHaveLength(1);
  stdout.mockRestore();
});

test('a hunt prints one line of JSON', () => {
  const { stdout, status } = sim('hunt', '--runs', '2', '--seed', '3');
  const killed = { killedBy: null, runs: 2, message: null, shrunk: null, script: null };
  expect(JSON.parse(stdout)).toEqual(killed);
  expect(status).toBe(0);
});
