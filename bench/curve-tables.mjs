// Prints the curves of reports (npm run bench -- --only curves --json FILE) as tables for
// docs/scaling.md: node bench/curve-tables.mjs FILE…

import { readFile } from 'node:fs/promises';
import { curveTable } from './lib/markdown.mjs';

for (const file of process.argv.slice(2)) {
  const { experiments } = JSON.parse(await readFile(file, 'utf8'));
  for (const experiment of experiments) {
    const lines = curveTable(experiment);
    if (lines.length > 0) process.stdout.write(`\n${experiment.name}\n\n${lines.join('\n')}\n`);
  }
}
