// What other people's tools say of the package: attw and publint of what is published, knip of
// what nobody uses, typedoc of what nobody explains. All of them look at files only.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { REPOSITORY, MANIFEST, install, pack, run } from './packed.ts';
import type { Project, Tarball } from './packed.ts';

// Packers and compilers take their time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let tarball: Tarball;
let project: Project;

beforeAll(async () => {
  tarball = await pack();
  project = await install(tarball, []);
});

afterAll(() => {
  project.remove();
  tarball.remove();
});

const require = createRequire(import.meta.url);

/** Runs a program of a package; its path begins where the other file of the package lies. */
function tool(beside: string, file: string, ...words: readonly string[]): ReturnType<typeof run> {
  return run(process.execPath, [join(dirname(beside), file), ...words], REPOSITORY);
}

test('E2 attw: the types of each entry are found, and are those of modules', async () => {
  const attw = require.resolve('@arethetypeswrong/cli/package.json');
  const words = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color'];
  const { code, output } = await tool(attw, 'dist/index.js', ...words, tarball.path);
  expect([code, output]).toEqual([0, expect.not.stringMatching(/internal error/i)]);
  for (const entry of Object.keys(MANIFEST.exports)) {
    expect(output).toContain(`"${entry.replace('.', 'holdfast')}"`);
  }
});

test('E2 publint: nothing to say of the package', async () => {
  const { messages, pkg } = await publint({
    pkgDir: project.installed,
    pack: false,
    strict: true,
  });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test('knip: no file, export or package is left over', async () => {
  const words = ['--no-progress', '--treat-config-hints-as-errors'];
  const { code, output } = await tool(require.resolve('knip'), '../bin/knip.js', ...words);
  expect([code, output]).toEqual([0, '']);
});

test('typedoc: every public name, field and method says what it means', async () => {
  const typedoc = require.resolve('typedoc/package.json');
  const words = ['--emit', 'none', '--logLevel', 'Warn', '--treatValidationWarningsAsErrors'];
  const { code, output } = await tool(typedoc, 'bin/typedoc', ...words);
  expect([code, output]).toEqual([0, '']);
});
