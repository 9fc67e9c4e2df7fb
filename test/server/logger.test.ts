import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseLogLevel, createNodeLogger } from '../../src/server/logger.ts';
import { until } from '../conformance/ws-world.ts';

const directory = mkdtempSync(join(tmpdir(), 'holdfast-log-'));

test('lines are JSON with the node, the level as a word and the fields', async () => {
  const path = join(directory, 'lines');
  const logger = createNodeLogger({
    level: 'info',
    nodeId: 'n1',
    bytesMax: 65_536,
    destination: path,
  });
  logger.debug('not shown');
  logger.warn('seen', { peer: 'n2', count: 3 });
  await until('the line', () => readText(path).includes('\n'));
  const lines = readText(path).trim().split('\n');
  expect(lines.length).toBe(1);
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ level: 'warn', node: 'n1', msg: 'seen', peer: 'n2', count: 3 });
  expect(logger.dropped()).toBe(0);
});

test('a reader that stopped costs lines, counted, and never blocks', async () => {
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const logger = createNodeLogger({
    level: 'info',
    nodeId: 'n1',
    bytesMax: 65_536,
    destination: reader,
  });
  const text = 'x'.repeat(1_000);
  for (let line = 0; line < 2_000; line++) logger.info(text);
  await until('dropped lines', () => logger.dropped() > 0);
  expect(logger.dropped()).toBeGreaterThan(1_000);
});

test('the environment overrides the level, if it names one', () => {
  expect(chooseLogLevel('info', 'debug')).toBe('debug');
  expect(chooseLogLevel('info', 'loud')).toBe('info');
  expect(chooseLogLevel('warn', undefined)).toBe('warn');
});

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
