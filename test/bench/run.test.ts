// The harness as it is, on a real cluster, with as little as it can do; and what it says when it is
// told something that cannot be.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ComparableReport } from '../../bench/lib/compare.mjs';
import { curvesOf } from '../../bench/lib/growth.mjs';
import { connectRedis } from '../../bench/lib/resp.mjs';

const MAIN = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));

/** A cluster of processes is started meanwhile, on a machine of any speed. */
const LONG = { timeout: 180_000 };

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-test-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function bench(...args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

function readReport(file: string): ComparableReport {
  return JSON.parse(readFileSync(file, 'utf8'));
}

test('a quick run measures, writes its report, compares it, leaves nothing', LONG, () => {
  const file = join(directory, 'report.json');
  const work = join(directory, 'work');
  const files = ['--dir', work, '--json', file, '--compare', file];
  const { status, stdout, stderr } = bench('--quick', '--only', 'users-1', ...files);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [experiment] = readReport(file).experiments;
  const figures = new Map(experiment?.figures.map((each) => [each.name, each]));
  for (const name of ['acquire + release', 'acquire p50', 'release p99.9']) {
    const figure = figures.get(name);
    expect(figure?.rounds).toHaveLength(1);
    expect(figure?.median).toBeGreaterThan(0);
    expect(figure?.cold).toBeGreaterThan(0);
    expect(stdout).toContain(name);
  }
  expect(experiment?.limits?.diskMs).toBeGreaterThan(0);
  // Compared with the report that it has just written.
  expect(stdout).toMatch(/^users-1, acquire p50 .* × 1$/m);
  expect(readdirSync(work)).toEqual([]);
});

test('a quick run of a curve measures each size, and tells how the cost grows', LONG, () => {
  const file = join(directory, 'report.json');
  const { status, stdout, stderr } = bench('--quick', '--only', 'curves-log', '--json', file);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [experiment] = readReport(file).experiments;
  const curves = curvesOf(experiment?.figures ?? []);
  const starts = curves.find(({ of }) => of === 'a node starts, CPU');
  expect(starts?.points.map(({ size }) => size)).toEqual([100, 10_000]);
  expect(starts?.growth.slope).not.toBeNaN();
  expect(stdout).toMatch(/^ {2}a node starts, CPU, over entries since .*: growth -?\d/m);
});

test('what it is told must be something that exists', () => {
  const { status, stderr } = bench('--only', 'everything');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^bench: there is no experiment everything; there are users-1, /);
});

test('replies of Redis are put together from the pieces in which they come', async () => {
  const replies = ['+OK\r\n', '$-1\r\n', ':12\r\n', '$5\r\na\r\nbc\r\n', '-ERR no\r\n'];
  const server = createServer((socket) => {
    socket.once('data', () => {
      for (const byte of Buffer.from(replies.join(''))) socket.write(Buffer.of(byte));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const link = await connectRedis(port);
  const answers = await Promise.allSettled(replies.map(() => link.ask('PING')));
  expect(answers).toMatchObject([
    { value: 'OK' },
    { value: null },
    { value: 12 },
    { value: 'a\r\nbc' },
    { reason: { message: 'ERR no' } },
  ]);
  link.close();
  await new Promise((resolve) => server.close(resolve));
});
