// The scripts behind npm start and npm test, run as they are.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

function run(...args: readonly string[]) {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  return spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
}

test('setup says nothing and changes nothing when nothing is to do', () => {
  const { status, stdout, stderr } = run('scripts/setup.mjs');
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('setup names the Node version that it needs and the one that runs', () => {
  const older = `Object.defineProperty(process, 'versions', { value: { node: '20.18.3' } });`;
  const { status, stderr } = run('--import', `data:text/javascript,${older}`, 'scripts/setup.mjs');
  expect(status).toBe(1);
  expect(stderr).toMatch(/needs Node\.js 20\.19 or newer; this is v\d+/);
});

test('a test run ends with its totals; a file that cannot be loaded counts as failed', () => {
  const { status, stdout } = run(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    `${root}/test/scripts/fixture`,
  );
  expect(status).toBe(1);
  expect(stdout.split('\n').at(-2)).toBe('2 passed, 2 failed, 2 skipped');
});

test('the speed of the simulator can be measured, of each kind of load', () => {
  const { status, stdout } = run(
    ...['scripts/sim-bench.mjs', '--rounds', '1', '--runs', '1', '--seconds', '2', '--json'],
  );
  expect(status).toBe(0);
  const report: unknown = JSON.parse(stdout);
  const figures = { median: expect.any(Number), min: expect.any(Number), max: expect.any(Number) };
  const load = expect.objectContaining({ 'events/s': figures, 'simulated:real': figures });
  expect(report).toEqual({ quick: load, drawn: load, steady: load });
});
