// Campaigns of a program that is broken: one that hangs, and one that breaks a promise at once.

import { spawn, spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { CANARY } from '../../sim/mutants/canary.ts';
import type { Mutant } from '../../sim/mutants/types.ts';
import { MutantTrees } from '../../sim/run/mutant-tree.ts';
import { readScriptFile } from '../../sim/run/script-files.ts';

const root = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 120_000;
const HANGING: Mutant = {
  ...CANARY,
  id: 'H-01',
  replace: `process.stdout.write('hangs\\n'); for (;;); {`,
};

let planted: readonly [MutantTrees, Mutant] | null = null;

/** The simulator's program with a mutant in it, and with less patience. */
async function plant(mutant: Mutant, stageMsMax: string): Promise<string> {
  const trees = await MutantTrees.prepare();
  planted = [trees, mutant];
  const folder = await trees.plant(mutant);
  const crew = join(folder, 'sim', 'run', 'crew.js');
  const text = await readFile(crew, 'utf8');
  // Its text is that of the unchanged tree, too: it is taken away first.
  await rm(crew);
  await writeFile(crew, text.replace('STAGE_MS_MAX = 30_000', `STAGE_MS_MAX = ${stageMsMax}`));
  return join(folder, 'sim', 'run', 'cli.js');
}

afterEach(async () => {
  if (planted !== null) await planted[0].remove(planted[1]);
  planted = null;
});

describe('a program that hangs', { timeout: TIMEOUT_MS }, () => {
  test('breaks SPIN once, with the script in a file, and is not asked again', async () => {
    const program = await plant(HANGING, '2_000');
    const words = [program, 'run', '--jobs', '2', '--seed', '4'];
    const { stdout, status } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
    expect(stdout.match(/^SPIN broken: a run did not end within 2 s$/gm)).toHaveLength(1);
    const [, path] = /^script: +(\S+)/m.exec(stdout) ?? [];
    expect(readScriptFile(join(root, path ?? '')).violated).toBe('SPIN');
    expect(lastLine(stdout)).toMatch(/^runs=\d+ violations=1 /);
    expect(status).toBe(1);
    const again = [program, 'replay', path ?? ''];
    const replay = spawnSync(process.execPath, again, { cwd: root, encoding: 'utf8' });
    expect(lastLine(replay.stdout)).toMatch(/ SPIN is broken: a run did not end within 2 s$/);
    expect(replay.status).toBe(1);
  });

  test('goes on with another process until the limit of failures', async () => {
    const program = await plant(HANGING, '2_000');
    const words = [program, 'run', '--jobs', '1', '--failures', '2'];
    const { stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
    expect(stdout.match(/^SPIN broken: /gm)).toHaveLength(2);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves no process and still sums up after %s',
    async (signal) => {
      const program = await plant(HANGING, '1e8');
      const child = spawn(process.execPath, [program, 'run', '--jobs', '1'], { cwd: root });
      let stdout = '';
      child.stdout.on('data', (part: Buffer) => {
        stdout += part.toString('utf8');
        if (part.includes('hangs')) child.kill(signal);
      });
      // Not before everybody who has its output has ended: workers, too.
      const [code] = await once(child, 'close');
      expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(lastLine(stdout)).toMatch(/^runs=\d+ violations=0 /);
    },
  );
});

test('a bug that all runs show is one failure', { timeout: TIMEOUT_MS }, async () => {
  const program = await plant(CANARY, '30_000');
  const words = [program, 'run', '--jobs', '2', '--seed', '4'];
  const { stdout, status } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  const broken = [...stdout.matchAll(/^(\S+) broken: /gm)].map(([, promise]) => promise);
  expect(broken.length).toBeGreaterThan(0);
  expect(new Set(broken).size).toBe(broken.length);
  expect(stdout).not.toContain('never reached');
  const order = /^see it again: .*\n\n.* jobs; per second of work .*\nruns=\d+ .*\n$/m;
  expect(stdout).toMatch(order);
  expect(status).toBe(1);
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
