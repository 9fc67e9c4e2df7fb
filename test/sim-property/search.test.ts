import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SimulationError } from '../../sim/api/error.ts';
import { ShrinkSearch } from '../../sim/property/search.ts';
import type { Case } from '../../sim/property/search.ts';
import type { WorldFault } from '../../sim/property/world-fault.ts';

const failure = new SimulationError({
  oracle: 'CHECK',
  message: 'lost',
  seed: 1,
  atMs: 0,
  traceHash: '',
  events: 0,
  story: [],
});

const pause: WorldFault = { kind: 'pause', target: 'holder', atMs: 40, forMs: 7_001, arg: 3 };
const cut: WorldFault = { kind: 'isolate', target: 0, atMs: 9, forMs: 500, arg: 1 };

test('what only a fault with odd numbers needed beside it goes when these are round', async () => {
  const one = {
    seed: 1,
    faults: [pause, cut],
    inputs: new fc.Value<unknown>(undefined, undefined),
  };
  const attempt = async ({ faults }: Case): Promise<SimulationError | null> => {
    const first = faults.find(({ kind }) => kind === 'pause');
    const isBroken = first !== undefined && (first.forMs === 7_000 || faults.length === 2);
    return isBroken && first.forMs >= 7_000 ? failure : null;
  };
  const found = { one, error: failure };
  const budget = { runs: 200, ms: 60_000 };
  const search = new ShrinkSearch(found, attempt, fc.constant(undefined), budget);
  const { one: small } = await search.shrink();
  expect(small.faults).toEqual([{ ...pause, atMs: 0, arg: 0, forMs: 7_000 }]);
});
