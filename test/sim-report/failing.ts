// Simulations that fail, for reports.

import { SimulationError } from '../../sim/api/error.ts';
import { simulate } from '../../sim/api/simulate.ts';
import type { Own, World } from '../../sim/api/types.ts';
import type { WorldFault } from '../../sim/property/world-fault.ts';
import { readFileSync } from 'node:fs';

/** Stops the first worker for longer than its lease, while it holds. */
export const PAUSE: WorldFault = {
  kind: 'pause',
  target: 'worker-1',
  atMs: 200,
  forMs: 5_000,
  arg: 0,
};

/** Two workers sell from one stock under a lock; neither looks whether it still holds it. */
export async function sellTwice(world: World, lockName = 'inventory'): Promise<void> {
  let stock = 10;
  const sold: number[] = [];
  const worker = async (own: Own): Promise<void> => {
    const client = own.client({ ttlMs: 2_000 });
    await client.lock(lockName).do({}, async () => {
      const item = stock;
      await own.sleep(300);
      stock = item - 1;
      sold.push(item);
      const isNew = new Set(sold).size === sold.length;
      world.check(isNew, `${own.name} sold item ${item} a second time`);
    });
    await client.close();
  };
  const first = world.run('worker-1', worker);
  await world.sleep(50);
  const second = world.run('worker-2', worker);
  await Promise.all([first.done, second.done]);
}

/** A failing run, and its page. */
export interface FailedRun {
  readonly error: SimulationError;
  readonly page: string;
}

/** Runs what fails; `folder` is where the page goes. */
export async function failing(
  folder: string,
  scenario: (world: World) => Promise<unknown>,
  faults: readonly WorldFault[] = [],
): Promise<FailedRun> {
  const error: unknown = await simulate({ seed: 7, report: folder, faults }, scenario).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SimulationError) || error.reportFile === null) {
    throw new Error('the simulation did not fail with a report', { cause: error });
  }
  return { error, page: readFileSync(error.reportFile, 'utf8') };
}
