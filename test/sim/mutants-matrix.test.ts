// What the kill matrix says.

import { describe, expect, test } from 'vitest';
import { UNPLANTED } from '../../sim/mutants/catalogue.ts';
import type { Mutant } from '../../sim/mutants/types.ts';
import { MATRIX_HEAD, matrixDocument, matrixLine, totals } from '../../sim/run/matrix.ts';
import type { Matrix } from '../../sim/run/matrix.ts';
import type { Hunted } from '../../sim/run/mutant-hunt.ts';

function mutant(id: string): Mutant {
  return { id, title: `does | ${id}`, file: 'src/x.ts', find: 'a', replace: 'b' };
}

function hunted(id: string, killedBy: string | null, runs: number): Hunted {
  const shrunk = killedBy === null ? null : { faults: runs, ops: 3 };
  const isVoid = false;
  return { mutant: mutant(id), killedBy, isVoid, runs, message: '', shrunk, elapsedMs: 1_500 };
}

const MATRIX: Matrix = {
  planted: [hunted('M-01', 'INV-7', 3), hunted('M-02', null, 400), hunted('M-03', 'INV-4', 9)],
  benign: [hunted('B-01', null, 400), hunted('B-02', 'LIV-1', 2)],
  canary: hunted('C-01', 'INV-15', 1),
  how: 'by hand',
};

/** Cells of all rows with an id. */
function rows(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => /^\| [MNBC]-/.test(line))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

describe('the kill matrix', () => {
  test('counts what died, what shrank, and who cried wolf', () => {
    expect(totals(MATRIX)).toEqual([
      'killed 2 of 3 bugs, at the median in 9 runs',
      'shrunk to at most 4 faults and 6 operations: 1 of 2',
      'harmless changes killed: 1 of 2',
      'the canary died in run 1',
      'by hand',
    ]);
  });

  test('counts nothing that the unchanged program fails in as well', () => {
    const doubtful: Hunted = { ...hunted('M-01', null, 10), isVoid: true };
    const text = { ...MATRIX, planted: [doubtful] };
    expect(totals(text)).toContain('killed 0 of 1 bugs, at the median in 0 runs');
    expect(totals(text).join()).toContain('the unchanged program fails in the same script: 1');
    expect(matrixLine(doubtful)).toMatch(/^M-\d+ +void /);
  });

  test('keeps the rules of this project apart from the list that others brought', () => {
    const own = { ...MATRIX, planted: [...MATRIX.planted, hunted('N-01', 'INV-19', 2)] };
    const [list = '', rules = ''] = matrixDocument(own).split('## Bugs in rules of this project');
    expect(list).toContain('| M-03 |');
    expect(list).not.toContain('| N-01 |');
    expect(rules).toMatch(/^\n\n\| Id .*\n.*\n\| N-01 \| does \\\| N-01 \| INV-19 \| 2 \|/);
  });

  test('has a row for each, and a bar in a title does not end its cell', () => {
    const text = matrixDocument(MATRIX);
    expect(text).toContain('| M-01 | does \\| M-01 | INV-7 | 3 | 3 faults, 3 operations |');
    expect(text).toContain('| M-02 | does \\| M-02 | survived | 400 |  |');
    for (const { id, why } of UNPLANTED) {
      expect(rows(text).find(([first]) => first === id)?.[3]).toBe(why);
    }
  });

  test('is one line each on the terminal', () => {
    const line = matrixLine({ ...hunted('M-01', 'INV-7', 3), message: 'voted twice\nn1: leader' });
    expect(line).toMatch(/^M-01 +killed by INV-7 +3 +3\+3 +1\.5s +does \| M-01 — voted twice$/);
    expect(matrixLine(hunted('M-02', null, 400))).toMatch(/^M-02 +survived +400 /);
    for (const word of ['runs', 'faults+ops', 'time']) {
      const [, cell = ''] = new RegExp(`^(.*) ${word.replace('+', '\\+')}`).exec(MATRIX_HEAD) ?? [];
      const end = cell.length + 1 + word.length;
      expect(line.slice(end - 1, end + 1)).toMatch(/^\S /);
    }
  });
});
