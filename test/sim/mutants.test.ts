// The catalogue of planted bugs fits the source as it is. That they die is measured by
// `npm run sim -- mutants`; docs/mutants.md tells the result.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { BENIGN } from '../../sim/mutants/benign.ts';
import { CANARY } from '../../sim/mutants/canary.ts';
import { PLANTED, UNPLANTED, WAITING, filesOf, mutated } from '../../sim/mutants/catalogue.ts';
import type { Mutant } from '../../sim/mutants/types.ts';

const ALL = [...PLANTED, ...WAITING, ...BENIGN, CANARY];
/** Bugs of the list. */
const COUNT = 85;
/** Those for the rules that are this project's own. */
const OWN_COUNT = 46;

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
}

// Many mutants share a file.
const programs = new Map<string, string>();

function program(file: string): string {
  const known = programs.get(file) ?? compiled(read(file));
  programs.set(file, known);
  return known;
}

function compiled(text: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  const { outputText, diagnostics = [] } = ts.transpileModule(text, {
    compilerOptions,
    reportDiagnostics: true,
  });
  const problems = diagnostics.map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, ' '),
  );
  expect(problems).toEqual([]);
  return outputText;
}

describe('the catalogue of mutants', () => {
  test.each(ALL.map((mutant): [string, Mutant] => [mutant.id, mutant]))(
    '%s fits its files, and changes what the program does',
    (_id, mutant) => {
      for (const file of filesOf(mutant)) {
        const text = mutated(mutant, read(file), file);
        expect(compiled(text)).not.toBe(program(file));
      }
    },
  );

  test.each([
    ['of the list', 'M', COUNT],
    ['of our own rules', 'N', OWN_COUNT],
  ])('has every bug %s, each id once', (_which, letter, count) => {
    const all = [...PLANTED, ...UNPLANTED].map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((id) => !/^[MN]-\d\d[b-z]?$/.test(id))).toEqual([]);
    const numbers = all.filter((id) => id.startsWith(letter)).map((id) => Number(id.slice(2, 4)));
    const listed = Array.from({ length: count }, (_, at) => at + 1);
    expect([...new Set(numbers)].sort((left, right) => left - right)).toEqual(listed);
  });

  test('has at least five harmless changes, of timing, sizes, orders and encodings', () => {
    expect(BENIGN.length).toBeGreaterThanOrEqual(5);
    const kinds = new Set(BENIGN.map(({ title }) => title.split(':')[0]));
    expect([...kinds]).toEqual(
      expect.arrayContaining(['timing', 'batch size', 'order', 'encoding', 'window', 'back-off']),
    );
  });

  test('refuses a change whose place is not there, or not the only one', () => {
    expect(() => mutated(CANARY, 'nothing')).toThrow('C-01');
    expect(() => mutated(CANARY, `${CANARY.find} ${CANARY.find}`)).toThrow('2 times');
  });
});
