import { expect, test } from 'vitest';
import { DeadlineTable } from '../../src/node/deadline-table.ts';
import type { TakeLimits } from '../../src/node/deadline-table.ts';

function upTo(looksMax: number): TakeLimits {
  return { looksMax, dueMax: looksMax };
}

test('R-80f an entry is due when its duration has passed since it was last restarted', () => {
  const table = new DeadlineTable();
  table.set('a', 100, 0);
  table.restart('a', 50);
  expect(table.takeDue(149, 0, upTo(10))).toEqual([]);
  expect(table.takeDue(150, 0, upTo(10))).toEqual(['a']);
});

test('R-80c a new leader restarts every deadline by its base alone', () => {
  const table = new DeadlineTable();
  for (let n = 0; n < 100; n++) table.set(`s${n}`, 100, n % 7);
  expect(table.takeDue(1_099, 1_000, upTo(1_000))).toEqual([]);
  expect(table.takeDue(1_100, 1_000, upTo(1_000))).toHaveLength(100);
});

test('a deleted entry is never due, and a replaced one only by its newest deadline', () => {
  const table = new DeadlineTable();
  table.set('gone', 10, 0);
  table.set('new', 10, 0);
  table.delete('gone');
  table.set('new', 10, 100);
  expect(table.takeDue(109, 0, upTo(10))).toEqual([]);
  expect(table.takeDue(110, 0, upTo(10))).toEqual(['new']);
});

test('M-76 a due entry stays out until it is put back, and is then due again', () => {
  const table = new DeadlineTable();
  table.set('a', 10, 0);
  expect(table.takeDue(20, 0, upTo(10))).toEqual(['a']);
  expect(table.takeDue(30, 0, upTo(10))).toEqual([]);
  table.again('a');
  expect(table.takeDue(30, 0, upTo(10))).toEqual(['a']);
});

test('G1 one call looks at a bounded number of entries and goes on with the next call', () => {
  const table = new DeadlineTable();
  for (let n = 0; n < 25; n++) table.set(`s${n}`, 1, 0);
  const counts = [1, 2, 3].map(() => table.takeDue(10, 0, upTo(10)).length);
  expect(counts).toEqual([10, 10, 5]);
});

test('an earlier restart never shortens a deadline', () => {
  const table = new DeadlineTable();
  table.set('a', 100, 500);
  table.restart('a', 400);
  expect(table.takeDue(599, 0, upTo(10))).toEqual([]);
  expect(table.leftUs('a', 550, 0)).toBe(50);
});

test('G1 one call looks at a bounded number that turn out not to be due', () => {
  const table = new DeadlineTable();
  for (let n = 0; n < 25; n++) table.set(`s${n}`, 100, 0);
  expect(table.takeDue(1_050, 1_000, upTo(10))).toEqual([]);
  // Those that were not looked at come first, for their old deadlines are still in the schedule.
  expect(table.takeDue(1_100, 1_000, upTo(3))).toEqual(['s10', 's11', 's12']);
});

test('G3 what was deleted or replaced leaves nothing behind, though nothing ever comes due', () => {
  const table = new DeadlineTable();
  for (let n = 0; n < 10_000; n++) {
    table.set(`w${n}`, 1e15, n);
    if (n > 0) table.delete(`w${n - 1}`);
    table.set('one', 100, n);
    table.again('one');
  }
  expect(table.scheduled).toBe(2);
});

test('R-80c very many entries that a new leader restarts are looked at once each', () => {
  const table = new DeadlineTable();
  for (let n = 0; n < 10_000; n++) table.set(`s${n}`, 100, 0);
  for (let n = 0; n < 10; n++) expect(table.takeDue(1_050, 1_000, upTo(1_000))).toEqual([]);
  expect(table.scheduled).toBe(10_000);
  expect(table.takeDue(1_100, 1_000, upTo(20_000))).toHaveLength(10_000);
});

test('G1 very many that are due at once are given back a bounded number at a time', () => {
  const table = new DeadlineTable();
  for (let n = 0; n < 1_000; n++) table.set(`s${n}`, 100, n);
  const first = table.takeDue(2_000, 0, { looksMax: 1_000, dueMax: 300 });
  expect([first.length, first[0], first[299]]).toEqual([300, 's0', 's299']);
  expect(table.takeDue(2_000, 0, { looksMax: 1_000, dueMax: 1_000 })).toHaveLength(700);
});
