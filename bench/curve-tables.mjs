// Prints the curves of reports (npm run bench -- --only curves --json FILE) as tables for
// docs/scaling.md, all of them or those of one unit (processor time, of a busy machine):
// node bench/curve-tables.mjs [--unit µs] FILE…

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { curveTable } from './lib/markdown.mjs';

const { values, positionals } = parseArgs({
  options: { unit: { type: 'string' } },
  allowPositionals: true,
});
for (const file of positionals) {
  const { experiments } = JSON.parse(await readFile(file, 'utf8'));
  for (const { name, figures } of experiments) {
    const wanted = figures.filter(({ unit }) => values.unit === undefined || unit === values.unit);
    const lines = curveTable({ figures: wanted });
    if (lines.length > 0) process.stdout.write(`\n${name}\n\n${lines.join('\n')}\n`);
  }
}
