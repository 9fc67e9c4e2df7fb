// Figures as tables for the documentation. Curves: growth.test.ts.

import { expect, test } from 'vitest';
import { atSize, coldAndWarm, figure } from '../../bench/lib/figures.mjs';
import { figureTable } from '../../bench/lib/markdown.mjs';

const limits = { diskMs: 0.5, commitMs: 2 };

test('a figure is a row: median and spread, the cold round, how many times the limit', () => {
  const rate = coldAndWarm('cycles', '/s', [100, 4_000, 2_000, 3_000], { against: 'disk' });
  const once = figure('start', 's', [12.34]);
  const latency = figure('p50', 'ms', [5, 3, 4], { against: 'commit' });
  expect(
    figureTable([
      { name: 'users', limits, figures: [rate, latency] },
      { name: 'cold-start', limits: null, figures: [once] },
    ]),
  ).toEqual([
    '| experiment | figure | median (spread) | cold | of the limit |',
    '| --- | --- | --- | --- | --- |',
    '| users | cycles | 3,000 (2,000-4,000) /s | 100 | 1.5 × disk |',
    '| users | p50 | 4 (3-5) ms |  | 2 × commit |',
    '| cold-start | start | 12.3 s |  |  |',
  ]);
});

test('points of curves have tables of their own', () => {
  const point = atSize(figure('CPU', 'µs', [1, 2, 3]), 10, 'locks held');
  expect(figureTable([{ name: 'curves-locks', limits, figures: [point] }])).toEqual([]);
});
