// How a cost grows with a size: the fitted slope, and what counts as faster than a logarithm.

import { describe, expect, test } from 'vitest';
import { atSize, figure } from '../../bench/lib/figures.mjs';
import { FITTED_RATIO, curvesOf, growthOf, slopeOf } from '../../bench/lib/growth.mjs';
import { curveTable } from '../../bench/lib/markdown.mjs';
import { experimentLines } from '../../bench/lib/table.mjs';

const SIZES = [1, 10, 100, 1_000, 10_000, 100_000];

/** What each size costs, with rounds that differ by so much in each direction. */
const pointsOf = (cost: (size: number) => number, spread = 0) =>
  SIZES.map((size) => {
    const median = cost(size);
    return { size, median, min: median * (1 - spread), max: median * (1 + spread) };
  });

describe('the slope', () => {
  test('is the power with which a cost grows', () => {
    expect(slopeOf(pointsOf(() => 7))).toBeCloseTo(0);
    expect(slopeOf(pointsOf(Math.sqrt))).toBeCloseTo(0.5);
    expect(slopeOf(pointsOf((size) => 3 * size))).toBeCloseTo(1);
    expect(slopeOf(pointsOf((size) => 1 / size))).toBeCloseTo(-1);
  });

  test('is that of the best line through points that lie beside it', () => {
    const points = [10, 1_000, 10, 1_000].map((median, at) => ({ size: 10 ** at, median }));
    expect(slopeOf(points)).toBeCloseTo(0.4);
  });

  test('is not known of a single size', () => {
    expect(slopeOf([{ size: 10, median: 5 }])).toBeNaN();
    expect(slopeOf([])).toBeNaN();
  });
});

describe('growth', () => {
  test('no logarithm is steep, whatever it is added to', () => {
    for (const base of [0, 1, 100]) {
      const { slope, isSteep } = growthOf(pointsOf((size) => base + Math.log2(1 + size)));
      expect({ isPositive: slope > 0, isSteep }).toEqual({ isPositive: true, isSteep: false });
    }
  });

  test('a root and a part that grows in proportion are steep', () => {
    expect(growthOf(pointsOf(Math.sqrt)).isSteep).toBe(true);
    expect(growthOf(pointsOf((size) => 20 + size / 1_000)).isSteep).toBe(true);
  });

  test('counts over the last sizes alone', () => {
    const isLast = (size: number) => size * FITTED_RATIO >= 100_000;
    const early = growthOf(pointsOf((size) => (isLast(size) ? 50 : 1)));
    expect(early).toMatchObject({ slope: 0, isSteep: false });
    const late = growthOf(pointsOf((size) => (isLast(size) ? size : 1)));
    expect(late.slope).toBeCloseTo(1);
  });

  test('within the spread of the rounds it is not steep', () => {
    const cost = (size: number) => size ** 0.3;
    expect(growthOf(pointsOf(cost, 0.1)).isSteep).toBe(true);
    expect(growthOf(pointsOf(cost, 0.7)).isSteep).toBe(false);
  });

  test('nothing besides is no size that could be fitted', () => {
    const points = [{ size: 0, median: 1, min: 1, max: 1 }, ...pointsOf(() => 5)];
    expect(growthOf(points).slope).toBeCloseTo(0);
  });

  test('of one size nothing is known, and of none', () => {
    expect(growthOf([{ size: 0, median: 1, min: 1, max: 1 }])).toMatchObject({ isSteep: false });
    expect(growthOf([])).toMatchObject({ slope: NaN, isSteep: false });
  });
});

describe('curves', () => {
  const cpu = (size: number, ...values: readonly number[]) =>
    atSize(figure('CPU', 'µs', values), size, 'locks held');
  const figures = [cpu(100, 30, 31, 32), figure('p50', 'ms', [1]), cpu(0, 10, 9, 11)];

  test('are the figures of one cost by size, with ratios to the first size', () => {
    expect(curvesOf(figures)).toMatchObject([
      {
        of: 'CPU',
        unit: 'µs',
        sizes: 'locks held',
        points: [
          { size: 0, median: 10, min: 9, max: 11 },
          { size: 100, median: 31, min: 30, max: 32 },
        ],
        ratios: [1, 3.1],
      },
    ]);
  });

  test('a point has a name of its own, by which reports are compared', () => {
    expect(figures.map(({ name }) => name)).toEqual([
      'CPU, 100 locks held',
      'p50',
      'CPU, 0 locks held',
    ]);
  });

  test('make a table for the documentation, with an empty cell where nothing was measured', () => {
    const p50 = (size: number, value: number) =>
      atSize(figure('p50', 'ms', [value]), size, 'locks held');
    const lines = curveTable({ figures: [cpu(1, 1), cpu(10, 10, 9, 11), p50(10, 3), p50(100, 3)] });
    expect(lines).toEqual([
      '| locks held | CPU, µs | p50, ms |',
      '| --- | --- | --- |',
      '| 1 | 1 (1-1) |  |',
      '| 10 | 10 (9-11) | 3 (3-3) |',
      '| 100 |  | 3 (3-3) |',
      '| growth | **1** | 0 |',
    ]);
    expect(curveTable({ figures: [figure('p50', 'ms', [1])] })).toEqual([]);
  });

  test('are printed as tables, other figures as lines', () => {
    const experiment = { name: 'x', about: 'y', limits: null, notes: [], failed: null };
    const steep = [cpu(1, 1), cpu(10, 10), cpu(100, 100)];
    const lines = experimentLines({ ...experiment, figures: [...steep, figure('p50', 'ms', [1])] });
    expect(lines).toEqual([
      'x: y',
      expect.stringMatching(/^ {2}p50 +1 ms/),
      '  CPU, over locks held: growth 1, faster than a logarithm',
      expect.stringMatching(/^ +1 +1 µs +\(1-1\) +× 1$/),
      expect.stringMatching(/^ +10 +10 µs +\(10-10\) +× 10$/),
      expect.stringMatching(/^ +100 +100 µs +\(100-100\) +× 100$/),
    ]);
  });
});
