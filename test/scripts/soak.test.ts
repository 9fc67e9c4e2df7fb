// What the soak decides by itself: when which fault comes, what grows, and what must not happen.

import { describe, expect, test } from 'vitest';
import { FAULT_KINDS, drawSchedule } from '../../scripts/lib/soak-schedule.mjs';
import { FencedStore } from '../../scripts/lib/soak-store.mjs';
import type { StoreGrant } from '../../scripts/lib/soak-store.mjs';
import { TREND_LIMITS, judgeSamples, theilSenSlope } from '../../scripts/lib/soak-trend.mjs';
import type { TrendSample } from '../../scripts/lib/soak-trend.mjs';

const HOUR_MS = 3_600_000;
const SAMPLE_MS = 10_000;

describe('the schedule', () => {
  test('is the same for the same seed, and another one for another', () => {
    const draw = (seed: number) => drawSchedule({ seed, totalMs: HOUR_MS });
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('has every kind of fault in an hour, in the order of time, and of the length of its kind', () => {
    const faults = drawSchedule({ seed: 1, totalMs: HOUR_MS });
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(Object.keys(FAULT_KINDS)));
    for (const [at, { kind, atMs, lengthMs }] of faults.entries()) {
      expect(atMs).toBeGreaterThan(faults[at - 1]?.atMs ?? 0);
      const [least, most] = FAULT_KINDS[kind]?.lengthMs ?? [NaN, NaN];
      expect(lengthMs).toBeGreaterThanOrEqual(least);
      expect(lengthMs).toBeLessThanOrEqual(most);
    }
  });

  test('ends no node in the last third: there every process lives long enough to be judged', () => {
    for (let seed = 0; seed < 20; seed++) {
      const late = drawSchedule({ seed, totalMs: HOUR_MS })
        .filter(({ atMs }) => atMs > HOUR_MS * 0.7)
        .map(({ kind }) => kind);
      expect(late.length).toBeGreaterThan(10);
      expect(late.filter((kind) => FAULT_KINDS[kind]?.isEndOfNode === true)).toEqual([]);
    }
  });

  test('of a few seconds has each of a few kinds once; without kinds there is none', () => {
    const kinds = ['kill-leader', 'pause-follower-short'];
    const short = drawSchedule({ seed: 1, totalMs: 12_000, kinds });
    expect(short.map(({ kind }) => kind).sort(byText)).toEqual(kinds);
    expect(drawSchedule({ seed: 1, totalMs: 12_000, kinds: [] })).toEqual([]);
  });
});

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

/** Of one process, for an hour, the measure as a function of the hours. */
function samplesOf(measure: string, value: (hours: number, at: number) => number, pid = 1) {
  return Array.from({ length: HOUR_MS / SAMPLE_MS }, (_, at): TrendSample => {
    const atMs = at * SAMPLE_MS;
    return { node: 'n1', pid, atMs, [measure]: value(atMs / HOUR_MS, at) };
  });
}

const wave = (at: number, period: number): number => (at % period) / period;

function isFlat(samples: readonly TrendSample[]): boolean | undefined {
  return judgeSamples(samples, HOUR_MS)[0]?.isFlat;
}

describe('growth', () => {
  test('the slope is not moved by a few outliers', () => {
    const points = Array.from({ length: 100 }, (_, at) => ({
      atMs: at,
      value: at % 10 === 0 ? 1e6 : 3 * at,
    }));
    expect(theilSenSlope(points)).toBeCloseTo(3, 1);
    expect(theilSenSlope(points.slice(0, 1))).toBe(0);
  });

  test.each(Object.entries(TREND_LIMITS))(
    'a leak of %s is found',
    (measure, { perHour, least }) => {
      const leak = 2 * Math.max(perHour, least);
      expect(isFlat(samplesOf(measure, (hours) => 100 + leak * hours))).toBe(false);
      expect(isFlat(samplesOf(measure, () => 100))).toBe(true);
    },
  );

  test('a leak is found below what goes up and down, and that alone is none', () => {
    const saw = (at: number) => 20 * wave(at, 17);
    expect(isFlat(samplesOf('residentMib', (hours, at) => 180 * hours + saw(at)))).toBe(false);
    expect(isFlat(samplesOf('residentMib', (_, at) => 100 + saw(at)))).toBe(true);
    expect(isFlat(samplesOf('diskMib', (_, at) => 100 + 60 * wave(at, 90)))).toBe(true);
  });

  test('growth that ends within the first third is warming up', () => {
    const warm = samplesOf('residentMib', (hours) => 100 + 300 * Math.min(hours, 0.3));
    expect(isFlat(warm)).toBe(true);
  });

  test('memory is judged by the longest life of a process, disk by that of the node', () => {
    const half = HOUR_MS / 2;
    const restarted = (measure: string) => [
      ...samplesOf(measure, (hours) => 100 + 400 * hours).filter(({ atMs }) => atMs < half),
      ...samplesOf(measure, () => 300, 2).filter(({ atMs }) => atMs >= half + SAMPLE_MS),
    ];
    expect(isFlat(restarted('residentMib'))).toBe(false);
    expect(judgeSamples(restarted('residentMib'), HOUR_MS)[0]?.livedMs).toBeLessThan(half);
    expect(judgeSamples(restarted('diskMib'), HOUR_MS)[0]?.livedMs).toBeGreaterThan(half);
  });

  test('a saw is no growth, whatever part of a tooth the end cuts off; on a slope it is', () => {
    const TOOTH_HOURS = 0.6;
    const saw = (perHour: number) => (hours: number) =>
      20 + 330 * (hours % TOOTH_HOURS) + perHour * hours;
    expect(isFlat(samplesOf('diskMib', saw(0)))).toBe(true);
    expect(isFlat(samplesOf('diskMib', saw(400)))).toBe(false);
  });

  test('a week is judged as an hour is', () => {
    const hours = 168;
    const week = Array.from({ length: (hours * HOUR_MS) / SAMPLE_MS }, (_, at): TrendSample => {
      const atMs = at * SAMPLE_MS;
      return { node: 'n1', pid: 1, atMs, residentMib: 100 + (40 * atMs) / HOUR_MS };
    });
    const [verdict] = judgeSamples(week, hours * HOUR_MS);
    expect(verdict?.slopePerHour).toBeCloseTo(40);
    expect(verdict?.isFlat).toBe(false);
  });

  test('whoever is started by the last fault that ends a node is judged', () => {
    const LASTS_MS = 45_000;
    const all = samplesOf('descriptors', (hours) => 1_000 * hours);
    for (let seed = 0; seed < 50; seed++) {
      const ends = drawSchedule({ seed, totalMs: HOUR_MS })
        .filter(({ kind }) => FAULT_KINDS[kind]?.isEndOfNode === true)
        .map(({ atMs, lengthMs }) => atMs + lengthMs + LASTS_MS);
      expect(isFlat(all.filter(({ atMs }) => atMs > Math.max(...ends)))).toBe(false);
    }
  });

  test('a life of less than a quarter of the run gets no verdict', () => {
    const short = samplesOf('descriptors', (hours) => 1_000 * hours);
    expect(judgeSamples(short.slice(0, 90), HOUR_MS)).toEqual([]);
    expect(judgeSamples(short.slice(0, 5), SAMPLE_MS)).toEqual([]);
  });
});

describe('the fenced store', () => {
  const told: string[] = [];
  const newStore = () => {
    told.length = 0;
    return new FencedStore((text) => told.push(text));
  };
  const grant = (token: number, options: Partial<StoreGrant> = {}): StoreGrant => ({
    name: 'a',
    names: ['a'],
    token,
    mode: 'exclusive',
    slots: [],
    held: () => true,
    ...options,
  });

  test('INV-1 two holders who both believe are a violation; one who has lost the lock is none', () => {
    const store = newStore();
    store.enter(grant(1));
    store.enter(grant(2));
    expect(told).toEqual(['a: held with token 1 and with 2 at a time']);
    const other = newStore();
    other.enter(grant(1, { held: () => false }));
    other.enter(grant(2));
    expect(told).toEqual([]);
  });

  test('INV-1 readers share, a writer beside them does not; slots are apart, one slot is not', () => {
    const store = newStore();
    store.enter(grant(1, { mode: 'shared' }));
    store.enter(grant(2, { mode: 'shared' }));
    store.enter(grant(3, { name: 's', names: ['s'], slots: [0] }));
    store.enter(grant(4, { name: 's', names: ['s'], slots: [1, 2] }));
    expect(told).toEqual([]);
    store.enter(grant(5));
    store.enter(grant(6, { name: 's', names: ['s'], slots: [2] }));
    expect(told).toHaveLength(3);
  });

  test('INV-2 a token that does not grow is refused, and a violation if its holder believes', () => {
    const store = newStore();
    store.leave(store.enter(grant(7)));
    store.leave(store.enter(grant(6, { held: () => false })));
    expect([store.written, store.refused, told]).toEqual([1, 1, []]);
    store.leave(store.enter(grant(7)));
    expect(told).toEqual(['a: a holder came with token 7 after 7']);
  });

  test('whoever writes without asking is taken until a larger token was seen', () => {
    const store = newStore();
    expect([store.write('a', 3), store.write('a', 3), store.write('a', 2)]).toEqual([
      true,
      true,
      false,
    ]);
    store.leave(store.enter(grant(5)));
    expect(store.write('a', 3)).toBe(false);
    expect([store.refused, told]).toEqual([2, []]);
  });
});
