// The promise that no clock can break: what is behind a guard never goes back, whatever is paused,
// cut off, killed or started again, and though clocks run faster and slower than leases allow for.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { explore } from '../../sim/property/index.ts';
import type { ExploreOptions } from '../../sim/property/index.ts';
import { SimulationError } from '../../sim/index.ts';
import type { World } from '../../sim/index.ts';
import { memoryFence } from '../../src/fence.ts';
import type { FenceClaim } from '../../src/fence.ts';

const report = mkdtempSync(join(tmpdir(), 'holdfast-fence-'));
afterAll(() => rmSync(report, { recursive: true }));

/** Nodes that hurry beside workers that dawdle: both are far beyond the 1 % that leases allow. */
const BAD_CLOCKS = {
  n1: { driftPpm: 300_000 },
  n2: { driftPpm: -200_000 },
  n3: { driftPpm: 50_000, skewMs: -86_400_000 },
  'worker-1': { driftPpm: -300_000 },
  'worker-2': { driftPpm: 300_000, skewMs: 3_600_000 },
};

type Write = (claim: FenceClaim, write: () => void) => void;

/** Workers that write twice under one grant, and never ask whether they still hold it. */
async function race(world: World, guarded: Write): Promise<void> {
  let largest = 0;
  let written = 0;
  let isBack = false;
  for (const name of ['worker-1', 'worker-2', 'worker-3']) {
    world.run(name, async (own) => {
      const lock = own.client({ ttlMs: 1_000 }).lock('orders');
      const put = (claim: FenceClaim): void => {
        isBack ||= claim.token < largest;
        largest = Math.max(largest, claim.token);
        written += 1;
      };
      for (;;) {
        await using grant = await lock.acquire({ waitMs: 20_000 }).catch(() => null);
        await own.sleep('50ms');
        if (grant === null) continue;
        for (const wait of [10, 400] as const) {
          await own.sleep(wait);
          try {
            guarded(grant, () => put(grant));
          } catch {
            break; // stale: another has written since
          }
          world.check(!isBack, 'a former holder wrote over a later one');
        }
      }
    });
  }
  await world.until(() => written >= 20, { within: '5m' });
}

const guardOf = (): Write => {
  const fence = memoryFence();
  return (claim, write) => fence.write('orders', claim, write);
};
const unguarded: Write = (_claim, write) => write();

const CLOCKS: readonly (readonly [string, ExploreOptions])[] = [
  ['right clocks', {}],
  ['clocks that break what leases rest on', { clocks: BAD_CLOCKS }],
];

test.each(CLOCKS)('what is behind a guard never goes back: %s', async (_name, clocks) => {
  const options = { report, runs: 12, faults: { ttlMs: 1_000 }, ...clocks };
  const { runs } = await explore(options, (world) => race(world, guardOf()));
  expect(runs).toBe(12);
});

test.each(CLOCKS)('without the comparison it does, and is found: %s', async (_name, clocks) => {
  const options = { report, runs: 12, faults: { ttlMs: 1_000 }, shrinkRuns: 0, ...clocks };
  const explored = explore(options, (world) => race(world, unguarded));
  const error: unknown = await explored.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SimulationError);
  expect(String(error)).toContain('a former holder wrote over a later one');
});
