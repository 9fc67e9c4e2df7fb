import { expect, test } from 'vitest';
import { plotTtls } from '../../sim/ttl/plot.ts';
import type { TtlRow } from '../../sim/ttl/study.ts';
import { elementsOf } from '../cli/svg.ts';

const estimate = { share: 0.009, error: 0.0002 };
const ROWS: readonly TtlRow[] = (['model', 'renewal off', 'renewal on'] as const).map((way) => ({
  ...{ ttlMs: 5_000, way, cases: 100, expired: estimate, overlap: estimate },
  ...{ overlaps: 90, caught: 90 },
}));

test('the plot is an SVG with a curve for each chance and a point for each measured one', () => {
  const elements = elementsOf(plotTtls(ROWS, { workMs: 2_000, chosenMs: null }));
  expect(elements[0]).toMatchObject({ name: 'svg', attributes: { width: '760' } });
  expect(elements.filter(({ name }) => name === 'polyline')).toHaveLength(2);
  expect(elements.filter(({ name }) => name === 'title')).toHaveLength(4);
});

test('everything drawn is within the picture', () => {
  const elements = elementsOf(plotTtls(ROWS, { workMs: 2_000, chosenMs: 60_000 }));
  const numbers = elements.flatMap(({ attributes }) =>
    ['x', 'x1', 'x2', 'cx', 'y', 'y1', 'y2', 'cy'].flatMap((key) =>
      attributes[key] === undefined ? [] : [Number(attributes[key])],
    ),
  );
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter((each) => !(each >= 0 && each <= 760))).toEqual([]);
});

test('an advised TTL is marked', () => {
  expect(plotTtls(ROWS, { workMs: 2_000, chosenMs: 9_000 })).toContain('advised: 9 s');
  expect(plotTtls(ROWS, { workMs: 2_000, chosenMs: null })).not.toContain('advised');
});
