// What `holdfast sim ttl` measures, against the integrals of its model.

import { expect, test } from 'vitest';
import { exactChances, outcomeOf } from '../../sim/ttl/model.ts';
import type { Chances, Setting } from '../../sim/ttl/model.ts';
import { Draws } from '../../sim/ttl/draws.ts';
import { studyTtls } from '../../sim/ttl/study.ts';
import type { TtlRow } from '../../sim/ttl/study.ts';
import { Tally } from '../../sim/ttl/tally.ts';
import type { Estimate } from '../../sim/ttl/tally.ts';

const WORK_MS = 2_000;
const TTLS_MS = [5_000, 10_000, 30_000];
const DOCUMENTED: Readonly<Record<number, Chances>> = {
  5_000: { expired: 0.0092, overlap: 0.0088 },
  10_000: { expired: 0.0076, overlap: 0.0071 },
  30_000: { expired: 0.0007, overlap: 0.0003 },
};
/** The documented figures are of 200,000 trials, and have two digits. */
const DOCUMENTED_TRIALS = 200_000;
const DIGIT = 0.0001;

/** The model summed over a fine grid of moments and pauses, by the words of the story alone. */
function summed({ ttlMs, workMs }: Setting): Chances {
  const cells = 1_200;
  let [expired, overlap] = [0, 0];
  for (const [fromMs, toMs, share] of [
    [0, 200, 0.99],
    [1_000, 30_000, 0.01],
  ] as const) {
    for (let row = 0; row < cells; row++) {
      const pauseMs = fromMs + ((toMs - fromMs) * (row + 0.5)) / cells;
      for (let column = 0; column < cells; column++) {
        const startMs = (workMs * (column + 0.5)) / cells;
        const weight = share / cells ** 2;
        if (workMs + pauseMs > ttlMs) expired += weight;
        if (startMs + pauseMs > ttlMs && workMs + pauseMs > ttlMs + 1_000) overlap += weight;
      }
    }
  }
  return { expired, overlap };
}

function expectWithin({ share, error }: Estimate, exact: number, errors = 4): void {
  expect(error).toBeGreaterThan(0);
  expect(Math.abs(share - exact)).toBeLessThan(errors * error);
}

test.each(TTLS_MS)('the closed form of a TTL of %i ms is the sum over all cases', (ttlMs) => {
  const setting = { ttlMs, workMs: WORK_MS };
  const exact = exactChances(setting);
  const grid = summed(setting);
  expect(Math.abs(exact.expired - grid.expired)).toBeLessThan(1e-5);
  expect(Math.abs(exact.overlap - grid.overlap)).toBeLessThan(1e-5);
});

test.each(TTLS_MS)('the documented chances of a TTL of %i ms are those of the model', (ttlMs) => {
  const exact = exactChances({ ttlMs, workMs: WORK_MS });
  for (const key of ['expired', 'overlap'] as const) {
    const error = Math.sqrt((exact[key] * (1 - exact[key])) / DOCUMENTED_TRIALS);
    const documented = DOCUMENTED[ttlMs]?.[key] ?? 0;
    expect(Math.abs(documented - exact[key])).toBeLessThan(4 * error + DIGIT / 2);
  }
});

test('200,000 trials of the bare model come to its integrals, and a fence catches all', async () => {
  const options = { ttlsMs: TTLS_MS, workMs: WORK_MS, trials: 200_000, pairs: 0, seed: 7 };
  const rows = await studyTtls(options);
  expect(rows.map(({ ttlMs }) => ttlMs)).toEqual(TTLS_MS);
  for (const { ttlMs, expired, overlap, overlaps, caught } of rows) {
    const exact = exactChances({ ttlMs, workMs: WORK_MS });
    expectWithin(expired, exact.expired);
    expectWithin(overlap, exact.overlap);
    expect(overlaps).toBeGreaterThan(0);
    expect(caught).toBe(overlaps);
  }
});

test.each(TTLS_MS)('weighted draws for a TTL of %i ms estimate the same', (ttlMs) => {
  const setting = { ttlMs, workMs: WORK_MS };
  const draws = new Draws(3);
  const [expired, overlap] = [new Tally(), new Tally()];
  for (let at = 0; at < 50_000; at++) {
    const trial = draws.weighted(at, setting);
    const outcome = outcomeOf(trial, setting);
    expired.add(outcome.isExpired, trial.weight);
    overlap.add(outcome.isOverlap, trial.weight);
  }
  const exact = exactChances(setting);
  expectWithin(expired.estimate(), exact.expired);
  expectWithin(overlap.estimate(), exact.overlap);
  // A fortieth of the cases, and still nearer than counting would be.
  expect(expired.estimate().error).toBeLessThan(Math.sqrt(exact.expired / DOCUMENTED_TRIALS));
});

test('the shipped client without renewal comes to the integrals of the model', async () => {
  const options = { ttlsMs: TTLS_MS, workMs: WORK_MS, trials: 2, pairs: 50, seed: 2 };
  const rows = await studyTtls(options);
  const byWay = (way: TtlRow['way']) => rows.filter((row) => row.way === way);
  for (const { ttlMs, expired, overlap } of byWay('renewal off')) {
    const exact = exactChances({ ttlMs, workMs: WORK_MS });
    expectWithin(expired, exact.expired);
    expectWithin(overlap, exact.overlap);
  }
  for (const [at, row] of byWay('renewal on').entries()) {
    // Who renews loses its lease at most as often, to the very same pauses.
    const without = byWay('renewal off')[at];
    expect(row.expired.share).toBeLessThanOrEqual(without?.expired.share ?? 0);
    expect(row.overlap.share).toBeGreaterThan(0);
  }
  for (const row of rows) expect(row.caught).toBe(row.overlaps);
}, 300_000);

test('the same options give the same rows, and another seed gives others', async () => {
  const options = { ttlsMs: [5_000], workMs: WORK_MS, trials: 500, pairs: 10, seed: 4 };
  const rows = await studyTtls(options);
  expect(await studyTtls(options)).toEqual(rows);
  expect(await studyTtls({ ...options, seed: 5 })).not.toEqual(rows);
}, 300_000);
