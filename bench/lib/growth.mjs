// How a cost grows with a size. In a plot of both logarithms a cost that does not grow is a line of
// slope 0, one that grows in proportion a line of slope 1. A logarithm has no slope of its own: it
// grows by a factor of 1.5 from 10 thousand to a million (slope 0.09), and of 2 from 100 to 10
// thousand (0.15).

/** Slopes above this grow faster than a logarithm does over the sizes that are measured. */
const LOGARITHMIC_SLOPE_MAX = 0.2;

/** What is told of growth is fitted over sizes up to so many times smaller than the largest one. */
export const FITTED_RATIO = 100;

/** The sizes from 1 on that growth is fitted over, in ascending order. */
function fitted(points) {
  const largest = Math.max(...points.map(({ size }) => size));
  return points
    .filter(({ size, median }) => size >= 1 && size * FITTED_RATIO >= largest && median > 0)
    .sort((left, right) => left.size - right.size);
}

/** Slope of the line of least squares through the logarithms; NaN for less than two sizes. */
export function slopeOf(points) {
  const logs = points.map(({ size, median }) => [Math.log(size), Math.log(median)]);
  const mean = (at) => logs.reduce((sum, pair) => sum + pair[at], 0) / logs.length;
  const [meanSize, meanCost] = [mean(0), mean(1)];
  const sum = (product) => logs.reduce((total, pair) => total + product(pair), 0);
  const spread = sum(([size]) => (size - meanSize) ** 2);
  return sum(([size, cost]) => (size - meanSize) * (cost - meanCost)) / spread;
}

/**
 * Growth over the last sizes. `isSteep`: faster than a logarithm, and by more than the rounds of
 * one size differ among themselves.
 */
export function growthOf(points) {
  const last = fitted(points);
  const slope = slopeOf(last);
  const isSteep = slope > LOGARITHMIC_SLOPE_MAX && last.at(-1).min > last[0].max;
  return { slope, isSteep };
}

/**
 * The curves that figures make: all figures with the same `curve.of`, by size. Each with the median
 * and spread of every size, the ratio of each median to the first one, and the growth.
 */
export function curvesOf(figures) {
  return [...groupsOf(figures)].map(([of, group]) => {
    const points = group
      .map(({ curve: { size }, median, min, max }) => ({ size, median, min, max }))
      .sort((left, right) => left.size - right.size);
    const [{ unit, curve }] = group;
    const [first] = points;
    const ratios = points.map(({ median }) => median / first.median);
    return { of, unit, sizes: curve.sizes, points, ratios, growth: growthOf(points) };
  });
}

function groupsOf(figures) {
  const groups = new Map();
  for (const figure of figures) {
    if (figure.curve === undefined) continue;
    const { of } = figure.curve;
    groups.set(of, [...(groups.get(of) ?? []), figure]);
  }
  return groups;
}
