// What a node does on damaged data, as a table for the documentation: the damage, what a reader
// that is not ours sees of it, the exit code, and how the message begins. Runs the tests that show
// it (test/damage) and prints what they saw.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-damage-'));
const file = join(folder, 'table.jsonl');

const child = spawn(process.execPath, [vitest, 'run', 'test/damage/starts'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, HOLDFAST_DAMAGE_TABLE: file },
});
const code = await new Promise((resolve) => child.on('close', resolve));
const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
rmSync(folder, { recursive: true });

print(['damage', 'seen by the independent reader', 'exit', 'the message begins with']);
print(['---', '---', '---', '---']);
for (const line of lines) {
  const { title, seen, exitCode, says } = JSON.parse(line);
  print([title, seen === '' ? 'nothing wrong' : seen, exitCode, firstSentence(says)]);
}
if (code !== 0) process.stderr.write('damage: the tests failed, so the table is not whole\n');
process.exit(code ?? 1);

function print(cells) {
  process.stdout.write(
    `| ${cells.map((cell) => String(cell).replaceAll('|', '/')).join(' | ')} |\n`,
  );
}

// Places and numbers of one run mean nothing to the reader of a table.
function firstSentence(says) {
  const text = says
    .replace(/^holdfast: [A-Z_]+: /, '')
    .replaceAll(/\/\S*\/data\/n\d/g, 'DIR')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '…');
  return /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;
}
