// Writes the generated documents anew: the tests in test/docs compare them, and write when asked.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const done = spawnSync(process.execPath, [vitest, 'run', 'test/docs'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, UPDATE_DOCS: '1' },
});
process.exit(done.status ?? 1);
