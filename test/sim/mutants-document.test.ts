// The committed kill matrix speaks of the catalogue as it is;
// `npm run sim -- mutants --write` makes it anew.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BENIGN } from '../../sim/mutants/benign.ts';
import { CANARY } from '../../sim/mutants/canary.ts';
import { PLANTED, UNPLANTED } from '../../sim/mutants/catalogue.ts';

const DOCUMENT = new URL('../../docs/mutants.md', import.meta.url);

/** Cells of all rows with an id. */
const listed = readFileSync(DOCUMENT, 'utf8')
  .split('\n')
  .filter((line) => /^\| [MNBC]-/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

test('docs/mutants.md lists exactly the catalogue', () => {
  const wanted = [...PLANTED, ...UNPLANTED, ...BENIGN, CANARY].map(({ id, title }) => [id, title]);
  expect(listed.map(([id, title]) => [id, title])).toEqual(wanted);
});

test('docs/mutants.md tells of no bug that survived, and of no harmless change that died', () => {
  const fates = new Map(listed.map(([id = '', , fate = '']) => [id, fate]));
  for (const { id } of [...PLANTED, CANARY]) expect([id, fates.get(id)]).not.toContain('survived');
  for (const { id } of BENIGN) expect([id, fates.get(id)]).toContain('survived');
});
