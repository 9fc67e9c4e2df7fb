import { expect, test } from 'vitest';
import { adviseTtl, p99 } from '../../sim/ttl/advice.ts';

test('the advice is five times the p99 and the pause budget, in whole seconds', () => {
  const advice = adviseTtl({ p99HoldMs: 810, pauseBudgetMs: 5_000 });
  expect(advice).toMatchObject({ leastMs: 7_430, wantedMs: 9_050, ttlMs: 10_000, limit: 'none' });
});

test('limits of a TTL bound the advice, and are told', () => {
  expect(adviseTtl({ p99HoldMs: 2, pauseBudgetMs: 0 })).toMatchObject({
    ...{ ttlMs: 1_000, limit: 'shortest' },
  });
  expect(adviseTtl({ p99HoldMs: 150_000, pauseBudgetMs: 0 })).toMatchObject({
    ...{ ttlMs: 600_000, limit: 'longest' },
  });
  expect(adviseTtl({ p99HoldMs: 120_000, pauseBudgetMs: 0 })).toMatchObject({ limit: 'none' });
});

test('numbers that mean nothing are refused', () => {
  for (const p99HoldMs of [0, -1, Number.NaN, Infinity]) {
    expect(() => adviseTtl({ p99HoldMs, pauseBudgetMs: 0 })).toThrow(/^INVALID: .*p99/);
  }
  expect(() => adviseTtl({ p99HoldMs: 1, pauseBudgetMs: -1 })).toThrow(/^INVALID: .*budget/);
  expect(() => p99([])).toThrow(/^INVALID: .*at least one/);
});

test('p99 is the smallest that 99 of 100 do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(p99(hundred)).toBe(99);
  expect(p99([...hundred, 101])).toBe(100);
  expect(p99([5, 7])).toBe(7);
});
