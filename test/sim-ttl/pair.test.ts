// Single fates of a holder with the shipped client, where the model says what has to come out.

import { expect, test } from 'vitest';
import { simulate } from '../../sim/api/simulate.ts';
import { outcomeOf } from '../../sim/ttl/model.ts';
import { runPair } from '../../sim/ttl/pair.ts';
import type { PairOutcome } from '../../sim/ttl/pair.ts';

const SETTING = { ttlMs: 5_000, workMs: 2_000 } as const;

interface Fate {
  readonly pauseAtMs: number;
  readonly pauseMs: number;
  readonly isRenewing?: boolean;
}

async function play({ isRenewing = false, ...trial }: Fate): Promise<PairOutcome> {
  const plan = { ...SETTING, ...trial, isRenewing, name: 'job' };
  const options = { seed: 1, report: false, console: 'keep' } as const;
  return (await simulate(options, (world) => runPair(world, plan))).value;
}

test.each([
  ['a short pause costs nothing', { pauseAtMs: 500, pauseMs: 200 }, [false, false]],
  ['a lease just long enough', { pauseAtMs: 1_000, pauseMs: 2_900 }, [false, false]],
  ['a late end before the next write', { pauseAtMs: 1_500, pauseMs: 3_600 }, [true, false]],
  ['asleep when the lease ends', { pauseAtMs: 1_500, pauseMs: 4_200 }, [true, true]],
  ['awake when the lease ends', { pauseAtMs: 500, pauseMs: 4_200 }, [true, false]],
  ['asleep for long', { pauseAtMs: 100, pauseMs: 30_000 }, [true, true]],
] as const)('%s: as in the model', async (_fate, trial, [isExpired, isOverlap]) => {
  expect(outcomeOf(trial, SETTING)).toEqual({ isExpired, isOverlap });
  expect(await play(trial)).toMatchObject({
    isExpired,
    isOverlap,
    isRefused: isOverlap || isLate(trial),
  });
});

/** The store has seen the next holder's token before the write arrives. */
function isLate({ pauseMs }: Fate): boolean {
  return SETTING.workMs + pauseMs > SETTING.ttlMs + 1_000;
}

test('a renewal before the pause lets the lease last longer, none after it helps', async () => {
  const trial = { pauseAtMs: 1_900, pauseMs: 3_200 };
  expect(await play(trial)).toMatchObject({ isExpired: true });
  expect(await play({ ...trial, isRenewing: true })).toMatchObject({ isExpired: false });
  const long = { pauseAtMs: 1_900, pauseMs: 9_000, isRenewing: true };
  expect(await play(long)).toMatchObject({ isExpired: true, isOverlap: true, isRefused: true });
});
