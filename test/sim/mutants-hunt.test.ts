// A small part of the kill matrix, in every test run: the machinery works, and the oracles bite.

import { beforeAll, describe, expect, test } from 'vitest';
import { BENIGN } from '../../sim/mutants/benign.ts';
import { CANARY } from '../../sim/mutants/canary.ts';
import { PLANTED } from '../../sim/mutants/catalogue.ts';
import { huntAll } from '../../sim/run/mutant-hunt.ts';
import type { Hunted } from '../../sim/run/mutant-hunt.ts';
import { MutantTrees } from '../../sim/run/mutant-tree.ts';
import { present } from '../../src/base/assert.ts';

/** One of each part of the catalogue, which die soon. */
const QUICK = ['M-01', 'M-14', 'M-18', 'M-22'];
const TIMEOUT_MS = 120_000;

let trees: MutantTrees | null = null;

async function hunt(ids: readonly string[], runs: number): Promise<readonly Hunted[]> {
  const mutants = [...PLANTED, ...BENIGN, CANARY].filter(({ id }) => ids.includes(id));
  const plan = { seed: 1, runs, jobs: 2, shrinks: false, isAtBounds: false };
  return huntAll(present(trees, 'the trees'), mutants, plan, () => {});
}

describe('the random campaign', () => {
  beforeAll(async () => {
    trees = await MutantTrees.prepare();
  }, TIMEOUT_MS);

  test('kills the canary within 20 runs', { timeout: TIMEOUT_MS }, async () => {
    const [canary] = await hunt([CANARY.id], 20);
    expect(canary?.killedBy).toMatch(/^(INV|LIV)-\d+$/);
  });

  test('kills one bug of each kind', { timeout: TIMEOUT_MS }, async () => {
    const hunted = await hunt(QUICK, 20);
    expect(hunted.map(({ mutant }) => mutant.id).sort(compare)).toEqual([...QUICK].sort(compare));
    expect(hunted.filter(({ killedBy }) => killedBy === null)).toEqual([]);
  });

  test('lets a harmless change live', { timeout: TIMEOUT_MS }, async () => {
    const [harmless] = await hunt(['B-05'], 5);
    expect(harmless).toMatchObject({ killedBy: null, runs: 5 });
  });
});

function compare(left: string, right: string): number {
  return left < right ? -1 : 1;
}
