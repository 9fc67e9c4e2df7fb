// Style is a test, not a wish. Each rule looks at every file; samples.test.ts shows that it can
// fail.

import { describe, expect, test } from 'vitest';
import { cycles, floors, packages } from './imports.ts';
import { asynchrony, bannedNames, bareSort, chanceAndLocale, forIn, moduleState } from './names.ts';
import { columns, fileLines, functionLines, parameters } from './size.ts';
import { codeSources, show, textSources, type Rule } from './source.ts';
import { privatePlaces, sleeps, undone } from './texts.ts';
import { anyTypes, casts, exportDocs, nonNull } from './types.ts';

const code = codeSources();

const RULES: Readonly<Record<string, Rule>> = {
  'imports go down the floors only': floors,
  'each npm package is imported in one place': packages,
  'no file is too long': fileLines,
  'no function is too long': functionLines,
  'no line is too wide': columns,
  'no function has too many parameters': parameters,
  'nothing is any': anyTypes,
  'nothing is claimed to be non-null': nonNull,
  'nothing is cast': casts,
  'every export says what it means': exportDocs,
  'ambient names stay out of the pure floors': bannedNames,
  'the host is synchronous': asynchrony,
  'chance and locale decide nothing': chanceAndLocale,
  'no loop walks for…in': forIn,
  'every sort has a comparator': bareSort,
  'no module has state': moduleState,
  'no test sleeps': sleeps,
};

describe('all code', () => {
  test.each(Object.entries(RULES))('%s', (_name, rule) => {
    expect(code.flatMap(rule).map(show)).toEqual([]);
  });

  test('no files import one another in a circle', () => {
    expect(cycles(code).map(show)).toEqual([]);
  });

  test('is found at all', () => {
    for (const folder of ['src/base', 'src/raft', 'src/cli', 'sim', 'test', 'scripts']) {
      expect(code.filter(({ path }) => path.startsWith(`${folder}/`))).not.toEqual([]);
    }
  });
});

describe('all text', () => {
  const texts = textSources();

  test('holds no notes of things undone', () => {
    expect(texts.flatMap(undone).map(show)).toEqual([]);
  });

  test('holds no paths or hosts of one machine', () => {
    expect(texts.flatMap(privatePlaces).map(show)).toEqual([]);
  });
});
