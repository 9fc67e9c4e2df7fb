import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from './cli.ts';
import { scratchDirectory } from './scratch.ts';
import { elementsOf } from './svg.ts';

const QUICK = ['--trials', '2000', '--pairs', '0'];

test('the table has a row per TTL and way, the same each time, and a picture', async () => {
  const svg = join(scratchDirectory(), 'ttl.svg');
  const options = ['--ttl', '5s,10s', '--trials', '5000', '--pairs', '10', '--seed', '3'];
  const { code, stdout } = await cli(['sim', 'ttl', ...options, '--svg', svg]);
  expect(code).toBe(0);
  const [head, , header, ...rows] = stdout.trimEnd().split('\n');
  expect(head).toBe('work 2s with one pause; 5,000 trials; 10 weighted pairs per row; seed 3');
  expect(header).toMatch(/^TTL {2,}HOW {2,}LEASE RAN OUT {2,}OVERLAP {2,}CAUGHT BY FENCING$/);
  expect(rows).toHaveLength(6);
  for (const row of rows) expect(row).toMatch(/^(5|10)s .* % ± \d.* % ± \d.*100 % \((\d+) of \2\)/);
  expect(elementsOf(readFileSync(svg, 'utf8'))[0]?.name).toBe('svg');
  expect((await cli(['sim', 'ttl', ...options])).stdout).toBe(stdout);
});

test('--json gives rows and advice, from hold times as they were measured', async () => {
  const file = join(scratchDirectory(), 'holds.txt');
  writeFileSync(file, '# of last week\n100ms\n1.2s  # a large order\n\n0ms\n800ms\n');
  const args = ['sim', 'ttl', ...QUICK, '--hold-times', file, '--pause-budget', '4s', '--json'];
  const { code, stdout, stderr } = await cli(args);
  expect(code).toBe(0);
  expect(stderr).toContain('3 hold times are few');
  const answer: unknown = JSON.parse(stdout);
  expect(answer).toMatchObject({
    ...{ workMs: 2_000, seed: 1 },
    rows: [{ ttlMs: 5_000, way: 'model', cases: 2_000 }, { ttlMs: 10_000 }, { ttlMs: 30_000 }],
    advice: { p99HoldMs: 1_200, pauseBudgetMs: 4_000, wantedMs: 10_000, ttlMs: 10_000 },
  });
});

test('the advice tells how it was reached', async () => {
  const args = ['sim', 'ttl', ...QUICK, '--p99-hold', '800ms', '--pause-budget', '5s'];
  const { stdout } = await cli(args);
  expect(stdout).toContain('advised: --ttl 9s\n');
  expect(stdout).toContain(
    '5 × 800ms + 5s = 9s, in whole seconds; at least 3 × 800ms + 5s = 7400ms',
  );
  const most = await cli(['sim', 'ttl', ...QUICK, '--p99-hold', '5m', '--pause-budget', '5s']);
  expect(most.stdout).toContain('advised: --ttl 10m\n');
  expect(most.stdout).toContain('10m is the longest TTL');
  const least = await cli(['sim', 'ttl', ...QUICK, '--p99-hold', '100ms', '--pause-budget', '1s']);
  expect(least.stdout).toContain('advised: --ttl 2s\n');
  expect(least.stdout).toContain('Below 3s a silent change of the leader may outlast a lease');
});

test.each([
  [['--work', '5s'], 64, '--work must be longer than 0s and shorter than every TTL'],
  [['--svg', '/nowhere/x.svg'], 1, 'cannot write /nowhere/x.svg'],
  [['--work', '0s'], 64, '--work must be'],
  [['--ttl', '500ms'], 64, 'expected a duration from 1s to 10m'],
  [['--pairs', '1'], 64, 'expected 0, or at least 2'],
  [['--p99-hold', '1s'], 64, 'an advice needs'],
  [['--pause-budget', '1s'], 64, 'an advice needs'],
  [['--p99-hold', '1s', '--hold-times', 'x', '--pause-budget', '1s'], 64, 'give one of them'],
  [['--hold-times', '/nowhere/holds', '--pause-budget', '1s'], 65, '/nowhere/holds'],
])('%j is refused before anything is tried', async (args, code, told) => {
  const result = await cli(['sim', 'ttl', ...args]);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(/^holdfast: (USAGE|INVALID|REFUSED): [^\n]*\n$/);
  expect(result.stderr).toContain(told);
});

test('a line that is no duration is named', async () => {
  const file = join(scratchDirectory(), 'holds.txt');
  writeFileSync(file, '100ms\n250\n');
  const svg = join(scratchDirectory(), 'ttl.svg');
  const args = ['--hold-times', file, '--pause-budget', '1s', '--svg', svg];
  const { code, stderr } = await cli(['sim', 'ttl', ...args]);
  expect(code).toBe(65);
  expect(stderr).toMatch(/^holdfast: INVALID: line 2 of \S+: .*250/);
  expect(existsSync(svg)).toBe(false);
});
