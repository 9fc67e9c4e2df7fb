// Prints the figures of reports (npm run bench -- --json FILE) as tables for the documentation:
// one for all experiments, and one for each curve; all figures or those of one unit.
// node bench/tables.mjs [--unit µs] FILE…

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { curveTable, figureTable } from './lib/markdown.mjs';

const { values, positionals } = parseArgs({
  options: { unit: { type: 'string' } },
  allowPositionals: true,
});
for (const file of positionals) {
  const { experiments } = JSON.parse(await readFile(file, 'utf8'));
  const wanted = experiments.map((experiment) => ({
    ...experiment,
    figures: experiment.figures.filter(
      ({ unit }) => values.unit === undefined || unit === values.unit,
    ),
  }));
  print(figureTable(wanted));
  for (const { name, figures } of wanted) print(curveTable({ figures }), name);
}

function print(lines, title = null) {
  if (lines.length === 0) return;
  if (title !== null) process.stdout.write(`\n${title}\n`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
