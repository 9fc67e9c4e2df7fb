import { expect, test } from 'vitest';
import { IndexTimes } from '../../src/server/metrics/index-times.ts';

const MS = 1_000;
const S = 1_000 * MS;

test('tells how old an entry is, of one applied with others too', () => {
  const times = new IndexTimes();
  times.note(10, 1 * S);
  times.note(20, 5 * S);
  expect(times.ageUs(10, 6 * S)).toBe(5 * S);
  expect(times.ageUs(11, 6 * S)).toBe(1 * S);
  expect(times.ageUs(20, 6 * S)).toBe(1 * S);
  expect(times.ageUs(21, 6 * S)).toBe(0);
});

test('is right to a millisecond for what came in a burst before a silence', () => {
  const times = new IndexTimes();
  times.note(10, 0);
  times.note(11, 0.4 * MS);
  times.note(12, 10 * S);
  expect(times.ageUs(11, 10 * S)).toBe(10 * S);
  expect(times.ageUs(12, 10 * S)).toBe(0);
});

test('knows hours, coarsely, and what is older as at least so old', () => {
  const times = new IndexTimes();
  const count = 40_000;
  for (let step = 1; step <= count; step++) times.note(step * 10, step * S);
  const nowUs = count * S;
  expect(times.ageUs((count - 5_000) * 10, nowUs)).toBe(5_000 * S);
  expect(times.ageUs((count - 20_000) * 10 - 3, nowUs)).toBe(20_000 * S);
  expect(times.ageUs(1, nowUs)).toBe(32_767 * S);
});
