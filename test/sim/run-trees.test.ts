// Folders of mutants: what is left of killed programs goes, what does not fit is named.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CANARY } from '../../sim/mutants/canary.ts';
import { MutantTrees, sweep } from '../../sim/run/mutant-tree.ts';

test('only folders whose process has ended are swept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trees-'));
  const { pid } = spawnSync(process.execPath, ['--version']);
  const names = [`M-01-${pid}`, `M-02b-${process.pid}`, 'other'];
  for (const name of names) mkdirSync(join(folder, name, 'sim'), { recursive: true });
  await sweep(folder);
  expect(readdirSync(folder)).toEqual(names.slice(1));
  await sweep(join(folder, 'none'));
});

test('a mutant whose text is not there is named in a sentence, exit code 70', async () => {
  const trees = await MutantTrees.prepare();
  const strange = { ...CANARY, id: 'M-77', find: 'no such text' };
  await expect(trees.check([CANARY, strange])).rejects.toMatchObject({
    name: 'Failure',
    exitCode: 70,
    message: 'M-77: src/locks/granting.ts has 0 times what it must have once: no such text',
  });
});
