// Leases at the bound of what clocks may do (RAFT.md §14.3), and beyond it: the scripts of
// `npm run sim -- bounds`. A campaign runs thousands of them; here a few show what they are worth.

import { describe, expect, test } from 'vitest';
import { NO_HAND_OVERS, sumOf } from '../../sim/oracle/hand-overs.ts';
import type { HandOverCounts } from '../../sim/oracle/hand-overs.ts';
import { createRunner } from '../../sim/run/run.ts';
import { DISTRIBUTIONS } from '../../sim/script/distributions.ts';
import type { Distribution } from '../../sim/script/distributions.ts';
import { seeds } from './scenario.ts';

/** Runs some scripts, none of which breaks a promise. */
async function handOversOf(distribution: Distribution, count: number): Promise<HandOverCounts> {
  const run = createRunner();
  let sum = NO_HAND_OVERS;
  for (const seed of seeds(count)) {
    const { violation, handOvers } = await run(DISTRIBUTIONS[distribution](seed));
    expect([seed, violation]).toEqual([seed, null]);
    sum = sumOf(sum, handOvers);
  }
  return sum;
}

describe('INV-17 hand-overs', () => {
  test('at the bound most come within 5 % of the TTL after the former lease, and none before', async () => {
    const { handOvers, near, overlaps } = await handOversOf('bounds', 8);
    expect(handOvers).toBeGreaterThan(30);
    expect(near).toBeGreaterThan(handOvers / 2);
    expect(overlaps).toBe(0);
  });

  test('INV-16 beyond the bound two believe at once, and fencing holds', async () => {
    const { handOvers, overlaps } = await handOversOf('beyond', 6);
    expect(overlaps).toBeGreaterThan(handOvers / 4);
  });

  test('scripts of both renew from threads in a part of the clients, and are at ±ρ exactly', () => {
    const scripts = seeds(60).map((seed) => DISTRIBUTIONS.bounds(seed));
    expect(new Set(scripts.map(({ knobs }) => knobs.threads)).size).toBeGreaterThan(2);
    for (const { shape, clocks, knobs } of scripts) {
      const { nodes, clients } = shape;
      const expected = [...Array(nodes).fill(10_000), ...Array(clients).fill(-10_000)];
      expect([clocks.driftPpm, clocks.bound, knobs.marginMs]).toEqual([expected, 'within', 0]);
    }
    const kinds = new Set(scripts.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
    for (const kind of ['clientIsolate', 'clientPause', 'clientSuspend', 'clientBlock'] as const) {
      expect(kinds).toContain(kind);
    }
  });
});
