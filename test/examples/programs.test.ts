// The examples as programs, each on a real cluster. That the simulator finds the mistakes of
// their twins is shown by the tests beside them.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY, run } from '../package/packed.ts';

async function linesOf(name: string): Promise<string[]> {
  const program = join(REPOSITORY, 'examples', name, 'main.mjs');
  const { code, output } = await run(process.execPath, [program], REPOSITORY);
  expect([code, output]).toEqual([0, expect.any(String)]);
  return output.trim().split('\n');
}

test('the job scheduler makes each report once', async () => {
  const lines = await linesOf('job-scheduler');
  expect(lines.map((line) => line.replace(/^(monday|tuesday) /, ''))).toEqual([
    'makes report 1',
    'makes report 2',
    'makes report 3',
    'makes report 4',
    'the last of them: report 4',
  ]);
});

test('the workers lead one after the other, the second with the larger token', async () => {
  const lines = await linesOf('leader-worker');
  expect(lines.pop()).toBe('both have led');
  const turns = lines.map((line) => /^(north|south): (\w+) \(token (\d+)\)$/.exec(line));
  const steps = ['open', 'fill', 'drain', 'close'];
  expect(turns.map((turn) => turn?.[2])).toEqual([...steps, ...steps]);
  expect(new Set(turns.slice(0, 4).map((turn) => turn?.[1])).size).toBe(1);
  expect(Number(turns.at(-1)?.[3])).toBeGreaterThan(Number(turns[0]?.[3]));
});

test('the inventory sells what is there, and nothing twice', async () => {
  const lines = await linesOf('inventory');
  const sold = lines.map((line) => /sold (\d) of 2 orders$/.exec(line)?.[1]).slice(0, 2);
  expect(sold.map(Number).reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(lines.at(-1)).toMatch(/^left: tea 0, cup [12], pot [12]$/);
});
