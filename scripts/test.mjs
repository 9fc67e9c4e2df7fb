// All that `npm test` checks, in order, stopping at the first step that fails. The last line is
// always `N passed, N failed, N skipped`; a step that fails before the tests counts as one failed.

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const TOTALS = /^\d+ passed, \d+ failed, \d+ skipped$/;

const tsc = join(modules, 'typescript', 'bin', 'tsc');
const steps = [
  ['types', tsc, '-p', 'tsconfig.json', ...checkOnly('types')],
  ['types of the pure floors', tsc, '-p', 'tsconfig.pure.json', ...checkOnly('pure')],
  ['lint', join(modules, 'eslint', 'bin', 'eslint.js'), '.', '--max-warnings=0'],
  ['format', join(modules, 'prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'],
  ['build', join(root, 'scripts', 'setup.mjs'), '--build'],
  ['tests', join(modules, 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)],
];

for (const [name, ...command] of steps) {
  process.stdout.write(`test: ${name}\n`);
  const { code, lastLine } = await run(command);
  const isLast = name === 'tests';
  if (isLast && TOTALS.test(lastLine)) process.exit(code);
  if (code === 0 && !isLast) continue;
  process.stdout.write(`test: ${name} failed\n0 passed, 1 failed, 0 skipped\n`);
  process.exit(code === 0 ? 1 : code);
}

/** Options of a compiler that writes nothing but what it remembers for the next time. */
function checkOnly(name) {
  return ['--noEmit', '--incremental', '--tsBuildInfoFile', `.cache/${name}.tsbuildinfo`];
}

/** Runs one step; the exit code and the last line that it printed. */
function run(command) {
  const env = process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env;
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, command, { cwd: root, stdio, env });
  let tail = '';
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    tail = (tail + chunk).slice(-1_000);
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code: code ?? 1, lastLine: tail.trimEnd().split('\n').at(-1) ?? '' });
    });
  });
}
