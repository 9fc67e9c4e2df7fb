import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROBES, probes } from '../../src/base/probe.ts';
import { marksIn, probesDocument } from './probes-document.ts';

const root = new URL('../../', import.meta.url);
const file = new URL('docs/probes.md', root);

const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== 'base/probe.ts')
  .map((path) => ({
    path: `src/${path}`,
    text: readFileSync(new URL(`src/${path}`, root), 'utf8'),
  }))
  .sort((left, right) => (left.path < right.path ? -1 : 1));

test('every rare state is marked in one place, and every mark is of a state of the table', () => {
  const marks = marksIn(sources);
  const known = Object.keys(PROBES);
  expect(known.filter((id) => marks.get(id)?.length !== 1)).toEqual([]);
  expect([...marks.keys()].filter((id) => !known.includes(id))).toEqual([]);
});

test('docs/probes.md lists exactly the states of src/base/probe.ts (else: npm run docs)', () => {
  const expected = probesDocument(PROBES, marksIn(sources));
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, expected);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(expected);
});

test('a mark over several lines is found, with each of its states', () => {
  const text =
    "probes.sometimes(\n  'one-state',\n  left > 'x',\n);\nprobes.reach(a ? 'a-b' : 'c-d');";
  const marks = marksIn([{ path: 'f.ts', text }]);
  expect([...marks]).toEqual([
    ['one-state', ['f.ts']],
    ['a-b', ['f.ts']],
    ['c-d', ['f.ts']],
  ]);
});

test('marks go to whoever collects them, and nowhere before and after', () => {
  const seen: string[] = [];
  probes.reach('follower-truncates');
  const stop = probes.collect((id) => seen.push(id));
  probes.reach('follower-truncates');
  probes.sometimes('window-full', false);
  probes.sometimes('window-full', true);
  stop();
  probes.reach('follower-truncates');
  expect(seen).toEqual(['follower-truncates', 'window-full']);
});
