import { expect, test } from 'vitest';
import { RefusalLog } from '../../src/node/refusal-log.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { ManualClock } from './manual-clock.ts';

function setUp() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => void lines.push(message) };
  return { clock, lines, log: new RefusalLog(clock, logger) };
}

test('a refusal that comes again and again is told once a minute', () => {
  const { clock, lines, log } = setUp();
  for (let second = 0; second < 120; second++) {
    for (let dial = 0; dial < 4; dial++) log.error('n1 came with another directory', {});
    clock.advance(1_000_000);
  }
  expect(lines.length).toBe(2);
});

test('another refusal is told at once', () => {
  const { lines, log } = setUp();
  log.error('n1 came with another directory', {});
  log.error('n2 has other intervals', {});
  expect(lines).toEqual(['n1 came with another directory', 'n2 has other intervals']);
});

test('strangers with ever new names fill neither the log nor the memory', () => {
  const { clock, lines, log } = setUp();
  for (let n = 0; n < 10_000; n++) log.error(`n${n} belongs to another cluster`, {});
  expect(lines.length).toBe(256);
  clock.advance(60_000_000);
  log.error('n1 came with another directory', {});
  expect(lines.length).toBe(257);
});
