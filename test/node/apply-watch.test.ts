import { expect, test } from 'vitest';
import { ApplyWatch } from '../../src/node/apply-watch.ts';

const MS = 1_000;

test('A12 entries that are committed and not applied are seen for as long as none is applied', () => {
  const watch = new ApplyWatch();
  watch.look(5, 5, 0);
  expect(watch.stuckMs(900 * MS)).toBe(0);
  watch.look(7, 5, 1_000 * MS);
  watch.look(8, 5, 1_300 * MS);
  expect(watch.stuckMs(1_600 * MS)).toBe(600);
  watch.look(9, 9, 1_700 * MS);
  expect(watch.stuckMs(9_000 * MS)).toBe(0);
});

test('A12 a busy node that is never quite done, and always moves, is not stuck', () => {
  const watch = new ApplyWatch();
  for (let at = 1; at < 100; at++) {
    watch.look(at + 5, at, at * 25 * MS);
    expect(watch.stuckMs((at + 1) * 25 * MS)).toBe(25);
  }
});
