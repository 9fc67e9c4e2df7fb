import { expect, test } from 'vitest';
import { LogIndex } from '../../src/node/storage/log-index.ts';
import { entriesOf } from './rig.ts';

/** Entries 1-9 of the terms 1, 1, 1, 2, 2, 2, 3, 3, 3, in chunks of two, the last of one. */
function seasoned(): LogIndex {
  const index = new LogIndex({ index: 0, term: 0 });
  const entries = entriesOf(1, [1, 1, 1, 2, 2, 2, 3, 3, 3]);
  for (let at = 0; at < entries.length; at += 2) index.append(at + 1, entries.slice(at, at + 2));
  return index;
}

test('compacted, it knows the terms from its anchor on, and nothing before', () => {
  for (let to = 0; to <= 9; to++) {
    const index = seasoned();
    const covered = index.covered(to, Infinity);
    if (covered !== null) index.compact(covered.firsts.length, covered.end);
    const end = to === 9 ? 9 : to - (to % 2);
    expect(index.anchor.index).toBe(end);
    expect(index.chunks()).toEqual([1, 3, 5, 7, 9].filter((first) => first > end));
    const terms = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3];
    const known = terms.map((_, at) => index.termAt(at));
    expect(known).toEqual(terms.map((term, at) => (at < end ? null : term)));
    const runs = [1, 2, 3].flatMap((term) => {
      const first = Math.max(terms.indexOf(term), end + 1);
      return terms[first] === term ? [{ term, firstIndex: first }] : [];
    });
    expect(index.termRuns()).toEqual(runs);
  }
});

test('deletes a bounded number of chunks, the oldest first', () => {
  const index = seasoned();
  expect(index.covered(9, 2)).toEqual({ firsts: [1, 3], end: { index: 4, term: 2 } });
  expect(index.covered(1, 2)).toBeNull();
});
