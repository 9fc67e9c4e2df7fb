// The golden files (test/golden/README.md): `node scripts/golden.mjs` holds the program to them;
// with `--write` it writes those of the present versions anew. Look at the difference before you
// commit it: somebody's disk has the old bytes.

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const isWriting = process.argv.includes('--write');

const child = spawn(process.execPath, [vitest, 'run', 'test/golden'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...(isWriting ? { HOLDFAST_GOLDEN: 'write' } : {}) },
});
child.on('close', (code) => process.exit(code ?? 1));
