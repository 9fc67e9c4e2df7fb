// All that `npm test` checks: what reads the sources side by side, then the tests. It stops when
// something fails. The last line is always `N passed, N failed, N skipped`; a check that fails
// before the tests counts as one failed.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const TOTALS = /^\d+ passed, \d+ failed, \d+ skipped$/;

const tsc = join(modules, 'typescript', 'bin', 'tsc');
// The longest first.
const checks = [
  ['lint', join(modules, 'eslint', 'bin', 'eslint.js'), '.', '--max-warnings=0'],
  ['types', tsc, '-p', 'tsconfig.json', ...checkOnly('types')],
  ['format', join(modules, 'prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'],
  ['build', join(root, 'scripts', 'setup.mjs'), '--build'],
  ['services', join(root, 'scripts', 'services.mjs')],
  ['types of the pure floors', tsc, '-p', 'tsconfig.pure.json', ...checkOnly('pure')],
];
const tests = [join(modules, 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)];

const failures = await runChecks();
for (const { name } of failures) say(`${name} failed`);
if (failures.length > 0) end(failures[0].code);
say('tests');
const { code, output } = await run(tests, (chunk) => process.stdout.write(chunk));
if (TOTALS.test(output.trimEnd().split('\n').at(-1) ?? '')) process.exit(code);
say('tests failed');
end(code);

/** Those that failed. After one of them no other begins; those that run are heard to their end. */
async function runChecks() {
  const waiting = [...checks];
  const failures = [];
  const work = async () => {
    for (let next = waiting.shift(); next && failures.length === 0; next = waiting.shift()) {
      const [name, ...command] = next;
      say(name);
      const { code, output } = await run(command);
      process.stdout.write(output);
      if (code !== 0) failures.push({ name, code });
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return failures;
}

/** Options of a compiler that writes nothing but what it remembers for the next time. */
function checkOnly(name) {
  return ['--noEmit', '--incremental', '--tsBuildInfoFile', `.cache/${name}.tsbuildinfo`];
}

function say(text) {
  process.stdout.write(`test: ${text}\n`);
}

function end(code) {
  process.stdout.write('0 passed, 1 failed, 0 skipped\n');
  process.exit(code === 0 ? 1 : code);
}

/** Runs one step; its exit code and what it printed. */
function run(command, onOutput = () => {}) {
  const env = process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env;
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, command, { cwd: root, stdio, env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    onOutput(chunk);
    output += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
