// What becomes of measured values: medians, percentiles, ratios, comparisons and checks.

import { describe, expect, test } from 'vitest';
import { compareReports } from '../../bench/lib/compare.mjs';
import { coldAndWarm, figure, ratioToLimit } from '../../bench/lib/figures.mjs';
import type { Figure } from '../../bench/lib/figures.mjs';
import { Latencies } from '../../bench/lib/latencies.mjs';
import { chosen, readOptions } from '../../bench/lib/options.mjs';
import { checkGrowth } from '../../bench/lib/rounds.mjs';
import { medianOf, shares, summarise } from '../../bench/lib/statistics.mjs';

const LIMITS = { diskMs: 0.25, tcpMs: 0.02, wsMs: 0.05 };

describe('statistics', () => {
  test('the median is the middle one, or the mean of the two in the middle', () => {
    expect([medianOf([9, 1, 5]), medianOf([4, 1, 2, 100]), medianOf([])]).toEqual([5, 3, NaN]);
  });

  test('the spread goes from the least to the greatest', () => {
    expect(summarise([3, 10, 2])).toEqual({ median: 3, min: 2, max: 10 });
  });

  test('work is shared out without a rest', () => {
    expect(shares(10, 4)).toEqual([3, 3, 2, 2]);
    expect(shares(1, 3)).toEqual([1, 0, 0]);
  });
});

describe('latencies', () => {
  test('percentiles keep three digits, of short and of long ones', () => {
    const latencies = new Latencies();
    for (let n = 1; n <= 1_000; n++) latencies.note(n / 100);
    latencies.note(90_000);
    expect(latencies.percentile(50)).toBeCloseTo(5.01, 1);
    expect(latencies.percentile(99)).toBeCloseTo(9.91, 1);
    expect(Math.abs(latencies.maxMs / 90_000 - 1)).toBeLessThan(0.001);
  });

  test('those of several processes are added up', () => {
    const [few, many] = [new Latencies(), new Latencies()];
    few.note(100);
    for (let n = 0; n < 99; n++) many.note(1);
    const all = Latencies.ofAll([few.encoded(), many.encoded()]);
    expect(all.count).toBe(100);
    expect(all.percentile(50)).toBeCloseTo(1, 2);
    expect(all.percentile(99.9)).toBeCloseTo(100, 0);
  });

  test('there is no percentile of nothing', () => {
    expect(new Latencies().percentile(50)).toBeNaN();
  });
});

describe('figures', () => {
  test('the cold round is told apart', () => {
    const made = coldAndWarm('acquire p50', 'ms', [9, 1, 3, 2]);
    expect(made).toMatchObject({ cold: 9, rounds: [1, 3, 2], median: 2, min: 1, max: 3 });
  });

  test('a time is a multiple of the limit, a rate of what fits into a second', () => {
    const time = figure('acquire p50', 'ms', [0.5], { against: 'disk' });
    const rate = figure('cycles', '/s', [8_000], { against: 'disk' });
    expect([ratioToLimit(time, LIMITS), ratioToLimit(rate, LIMITS)]).toEqual([2, 2]);
    expect(ratioToLimit(figure('node', 'MiB', [90]), LIMITS)).toBeNull();
  });
});

describe('a comparison', () => {
  const reportOf = (...figures: readonly Figure[]) => ({
    experiments: [{ name: 'users-1', figures, limits: LIMITS }],
  });
  const markOf = (then: Figure, now: Figure): string | undefined =>
    compareReports(reportOf(then), reportOf(now)).at(-1)?.mark;
  const time = (...values: readonly number[]) => figure('p50', 'ms', values);
  const rate = (...values: readonly number[]) => figure('rate', '/s', values, { better: 'higher' });

  test('tells the ratio of each figure that both have, and the limits of both', () => {
    const rows = compareReports(reportOf(time(2), rate(5)), reportOf(time(3)));
    expect(rows.filter(({ name }) => !name.startsWith('limit'))).toEqual([
      { experiment: 'users-1', name: 'p50', unit: 'ms', then: 2, now: 3, ratio: 1.5, mark: '' },
    ]);
    expect(rows.filter(({ name }) => name.startsWith('limit'))).toHaveLength(3);
  });

  test('marks what lies outside of both spreads, and in which direction', () => {
    expect(markOf(time(10, 11, 12), time(5, 6, 7))).toBe('better');
    expect(markOf(time(5, 6, 7), time(10, 11, 12))).toBe('worse');
    expect(markOf(rate(5, 6, 7), rate(10, 11, 12))).toBe('better');
  });

  test('does not mark what lies within one of them, nor what was measured once', () => {
    expect(markOf(time(5, 6, 20), time(10, 11, 12))).toBe('');
    expect(markOf(time(10, 11, 12), time(5, 6, 20))).toBe('');
    expect(markOf(time(5), time(10, 11, 12))).toBe('');
  });

  test('does not mark what is not known, which a file has as null', () => {
    const unknown = time(NaN, NaN, NaN);
    const read: Figure = { ...unknown, ...JSON.parse(JSON.stringify(unknown)) };
    expect(read.median).toBeNull();
    for (const now of [unknown, read]) expect(markOf(read, now)).toBe('');
    expect(markOf(read, time(1, 2, 3))).toBe('');
  });
});

describe('the check of a round', () => {
  const before = { id: 'n1', term: 3, applied: 100 };

  test('refuses a log that grew by less or by more than was acknowledged', () => {
    const after = { ...before, applied: 120 };
    expect(() => checkGrowth(before, after, 20)).not.toThrow();
    expect(() => checkGrowth(before, after, 21)).toThrow('grew by 20');
    expect(() => checkGrowth(before, after, 19)).toThrow('grew by 20');
    expect(() => checkGrowth(before, after, 19, 1)).not.toThrow();
    expect(() => checkGrowth(before, after, 18, 1)).toThrow('grew by 20');
    expect(() => checkGrowth(before, after, 21, 9)).toThrow('grew by 20');
  });

  test('refuses another leader, and the same one in another term', () => {
    for (const change of [{ id: 'n2' }, { term: 4 }]) {
      const check = () => checkGrowth(before, { ...before, ...change }, 0);
      expect(check).toThrow('at the beginning it was n1 (term 3)');
    }
  });
});

describe('the command line', () => {
  const all = ['users-1', 'users-1000', 'users-1000-over-4', 'kill'].map((name) => ({ name }));
  const names = (...only: readonly string[]) => chosen(all, only).map(({ name }) => name);

  test('chooses by name or by what names begin with', () => {
    expect(names('users')).toEqual(['users-1', 'users-1000', 'users-1000-over-4']);
    expect(names('kill', 'users-1')).toEqual(['users-1', 'kill']);
    expect(names()).toHaveLength(4);
    expect(() => names('killed')).toThrow('there is no experiment killed; there are users-1');
  });

  test('wants three rounds at least, unless it is a quick run', () => {
    expect(() => readOptions(['--rounds', '2'])).toThrow('--rounds must be a number from 3 on');
    expect(readOptions(['--quick', '--rounds', '2'])).toMatchObject({ rounds: 2, isQuick: true });
    expect(readOptions([])).toMatchObject({ rounds: 3, trials: 20, processes: 1 });
  });
});
