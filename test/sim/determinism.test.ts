// DET-1: the same script is the same run, wherever it runs. That a difference would be found is
// shown in run-twice.test.ts.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { GENERATED_TESTS_CONFIG, generatedTest } from '../../sim/run/generated-test.ts';
import { corpusFiles, readScriptFile } from '../../sim/run/script-files.ts';

const root = resolve(import.meta.dirname, '../..');

function node(...args: readonly string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

test('DET-1 the corpus runs alike twice, in a fresh process and without a compiler', () => {
  const { stdout, stderr, status } = node('scripts/sim.mjs', 'determinism');
  expect(stderr).toBe('');
  expect(stdout).toContain(`${corpusFiles().length} scripts`);
  expect(stdout).toContain('the same run in all of them');
  expect(status).toBe(0);
});

test('a failure as a generated test runs its script and looks at the verdict', () => {
  const [path = ''] = corpusFiles();
  const folder = join(root, '.cache', 'generated');
  mkdirSync(folder, { recursive: true });
  const { script } = readScriptFile(path);
  const text = generatedTest(script, { oracle: 'INV-1', message: 'two leaders', atUs: 0 });
  writeFileSync(join(folder, 'vitest.config.js'), GENERATED_TESTS_CONFIG);
  writeFileSync(join(folder, 'kept.test.ts'), text);
  writeFileSync(join(folder, 'broken.test.ts'), text.replace('toBeNull', 'toBeTruthy'));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { stdout, status } = node(vitest, 'run', '--root', folder, '--reporter=json');
  rmSync(folder, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numFailedTests: 1 });
  expect(stdout).toContain('INV-1: two leaders');
  expect(status).toBe(1);
});
