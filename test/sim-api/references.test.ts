// What is reached through references that were taken before a world began: in real modules, each in
// a process of its own.

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { simulate } from '../../sim/api/simulate.ts';

const root = resolve(import.meta.dirname, '../..');
const tree = join(root, '.cache', 'sim', 'tree');
const url = (file: string): string => pathToFileURL(join(tree, 'sim', file)).href;

interface Ending {
  readonly oracle?: string;
  readonly message?: string;
  readonly traceHash?: string;
}

function child(program: string, check: string, options: readonly string[] = []): Ending {
  const script = join(import.meta.dirname, 'child.mjs');
  const given = [...options, script, url('index.js'), program, check];
  const { stdout, stderr } = spawnSync(process.execPath, given, { cwd: root, encoding: 'utf8' });
  const ending: Ending = JSON.parse(stdout === '' ? JSON.stringify({ message: stderr }) : stdout);
  return ending;
}

// Strips the types of the simulator for programs that are not tests.
beforeAll(() => {
  const made = spawnSync(process.execPath, ['scripts/sim.mjs', 'help'], { cwd: root });
  expect(made.status).toBe(0);
});

describe('the check of references', () => {
  test.each([
    ['timer', 'a real timer'],
    ['immediate', 'a real timer'],
    ['file', 'a real file'],
    ['fileByPromise', 'a real file'],
    ['socket', 'a real connection'],
  ])('finds a %s of earlier, with its place', (program, what) => {
    const { oracle, message } = child(program, 'references');
    expect(oracle, message).toBe('AMBIENT');
    const place = String.raw`test/sim-api/early\.mjs:\d+:\d+`;
    expect(message).toMatch(
      new RegExp(`^worker used ${what} \\(\\w+\\) at ${place} through a ref`),
    );
  });

  test.each(['date', 'chance', 'clock'])('finds a %s of earlier: two runs differ', (program) => {
    const { oracle, message } = child(program, 'references');
    expect(oracle, message).toBe('DET-1');
    expect(message).toMatch(/the same seed was two different runs.*note of worker/);
    // Once is not enough to see it.
    expect(child(program, 'usual').traceHash).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('what is loaded before everything else', () => {
  const preload = ['--import', url('register.js')];

  test.each(['timer', 'immediate', 'date', 'chance', 'clock'])(
    'makes a %s of earlier that of its process: the same run everywhere',
    (program) => {
      const first = child(program, 'references', preload);
      expect(first.message).toBeUndefined();
      expect(child(program, 'usual', [...preload, '--jitless']).traceHash).toBe(first.traceHash);
    },
  );

  test.each(['file', 'fileByPromise', 'socket'])('refuses a %s of earlier at once', (program) => {
    const { oracle, message } = child(program, 'usual', preload);
    expect(oracle, message).toBe('AMBIENT');
    expect(message).toMatch(
      /^worker used (fs|net)\.\S+ at test\/sim-api\/early\.mjs:\d+:\d+: there/,
    );
  });
});

test('DET-1 a program is the same run in fresh processes, with and without a compiler', () => {
  const { traceHash } = child('work', 'usual');
  expect(traceHash).toMatch(/^[0-9a-f]{16}$/);
  expect(child('work', 'usual')).toEqual({ traceHash });
  expect(child('work', 'references')).toEqual({ traceHash });
  expect(child('work', 'usual', ['--jitless'])).toEqual({ traceHash });
});

test('leaves those alone who use nothing of earlier', async () => {
  const options = { seed: 1, report: false, check: 'references' } as const;
  const { value, traceHash } = await simulate(options, async (world) => {
    const worker = world.run('worker', async (own) => {
      const client = own.client();
      await client.lock('a').do(() => new Promise((resolve) => setTimeout(resolve, 100)));
      await client.close();
      world.note(`${Date.now()} ${Math.random()}`);
      return 'done';
    });
    return worker.done;
  });
  expect(value).toBe('done');
  expect(traceHash).toMatch(/^[0-9a-f]{16}$/);
});
