// Whether what a process uses grows with time. Slopes are those of Theil and Sen: the median of the
// slopes between any two points, which a few outliers do not change.

import { median } from './measuring.mjs';

const HOUR_MS = 3_600_000;
/** Of a life, so much is left out at its beginning: memory grows until everything has run once. */
const WARM_UP = 1 / 3;
/** A life counts if it is at least this part of the run: the last third, without what ended it. */
const LIFE_LEAST = 1 / 4;
/** Of what goes up for half an hour before it comes down, a longer part is needed. */
const TOOTH_LEAST = 0.45;
const POINTS_LEAST = 8;
/** Every two of them make a slope; a week has forty thousand. */
const POINTS_MOST = 1_000;

/**
 * What is judged. It grows if it rises by more than `perHour`, and, from the beginning of what is
 * judged to its end, by more than `least` and by more than it goes up and down anyway; and if its
 * low points rise as fast, too. `of`: the life of a process, or what stays when it ends. Resident
 * memory and disk go up by 64 MiB while a write buffer of the store fills, and down again only when
 * four such tables are merged, which takes half an hour; that alone is no growth.
 */
export const TREND_LIMITS = {
  residentMib: { perHour: 32, least: 80, of: 'process', lifeLeast: TOOTH_LEAST },
  heapAfterGcMib: { perHour: 16, least: 6, of: 'process' },
  externalMib: { perHour: 16, least: 8, of: 'process' },
  descriptors: { perHour: 6, least: 16, of: 'process' },
  diskMib: { perHour: 64, least: 96, of: 'node', lifeLeast: TOOTH_LEAST },
  files: { perHour: 12, least: 6, of: 'node' },
};

/** Units per millisecond; 0 for less than two points. */
export function theilSenSlope(points) {
  const slopes = [];
  for (let right = 1; right < points.length; right++) {
    for (let left = 0; left < right; left++) {
      const overMs = points[right].atMs - points[left].atMs;
      if (overMs > 0) slopes.push((points[right].value - points[left].value) / overMs);
    }
  }
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Of points in the order of time: how fast they rise, by how much, and whether that is growth. */
function trendOf(points, { perHour, least }) {
  const slope = theilSenSlope(points);
  const level = median(points.map(({ atMs, value }) => value - slope * atMs));
  const noise = median(points.map(({ atMs, value }) => Math.abs(value - slope * atMs - level)));
  const rise = slope * (points.at(-1).atMs - points[0].atMs);
  const slopePerHour = slope * HOUR_MS;
  const isFlat =
    slopePerHour <= perHour || rise <= Math.max(least, 2 * noise) || 2 * lowRise(points) <= least;
  return { slopePerHour, rise, noise, from: points[0].value, to: points.at(-1).value, isFlat };
}

/**
 * From the lowest point of the first half to that of the second, half of the way: the teeth of a
 * saw do not count.
 */
function lowRise(points) {
  const low = (some) => some.reduce((least, { value }) => Math.min(least, value), Infinity);
  const half = points.length >> 1;
  return low(points.slice(half)) - low(points.slice(0, half));
}

/** Samples of the life of a process, or of a node, that was seen longest; by node. */
function longestLives(samples, of) {
  const lives = new Map();
  for (const sample of samples) {
    const key = of === 'process' ? `${sample.node} ${sample.pid}` : sample.node;
    if (!lives.has(key)) lives.set(key, []);
    lives.get(key).push(sample);
  }
  const span = (life) => life.at(-1).atMs - life[0].atMs;
  const longest = new Map();
  for (const life of lives.values()) {
    const [{ node }] = life;
    const known = longest.get(node);
    if (known === undefined || span(life) > span(known)) longest.set(node, life);
  }
  return [...longest.values()];
}

/** So many of them at most, evenly. */
function thinned(points) {
  const every = Math.ceil(points.length / POINTS_MOST);
  return points.filter((_, at) => at % every === 0);
}

/**
 * The verdicts on all that is judged. A sample is {node, pid, atMs} with a number, or null, for
 * each measure. A life that is too short for a verdict gets none.
 */
export function judgeSamples(samples, totalMs) {
  const verdicts = [];
  for (const [measure, limits] of Object.entries(TREND_LIMITS)) {
    for (const life of longestLives(samples, limits.of)) {
      const [first] = life;
      const livedMs = life.at(-1).atMs - first.atMs;
      const points = life
        .filter(({ atMs }) => atMs - first.atMs >= livedMs * WARM_UP)
        .map((sample) => ({ atMs: sample.atMs, value: sample[measure] ?? null }))
        .filter(({ value }) => value !== null);
      if (points.length < POINTS_LEAST || livedMs < totalMs * (limits.lifeLeast ?? LIFE_LEAST))
        continue;
      verdicts.push({ node: first.node, measure, livedMs, ...trendOf(thinned(points), limits) });
    }
  }
  return verdicts;
}
