// Workers with mistakes and without them, as a user would write them: several add to one number,
// each under a lock.

import { HoldfastError } from '../../src/index.ts';
import type { Grant } from '../../src/index.ts';
import type { Own, World } from '../../sim/api/types.ts';

/** What is wrong with them; `none`: the store refuses old tokens, and they look at the signal. */
export type Mistake = 'none' | 'no fencing' | 'ignores the signal';

/** How many there are, and how often each adds. */
export interface Load {
  readonly workers: number;
  readonly rounds: number;
}

type Work = (own: Own, grant: Grant) => Promise<void>;

/** Adds up, and checks that no addition is lost and nobody is inside with somebody else. */
export async function addUp(
  world: World,
  mistake: Mistake,
  { workers, rounds }: Load = { workers: 2, rounds: 3 },
): Promise<void> {
  const isSignal = mistake === 'ignores the signal';
  const { work, check } = isSignal ? together(world) : adding(world, mistake);
  const done: string[] = [];
  for (let place = 1; place <= workers; place++) {
    world.run(`worker-${place}`, async (own) => {
      for (let round = 0; round < rounds; round++) await turn(own, work);
      done.push(own.name);
    });
  }
  await world.until(() => new Set(done).size === workers, { within: '5min' });
  check();
}

async function turn(own: Own, work: Work): Promise<void> {
  try {
    const grant = await own.client({ ttlMs: 2_000 }).lock('number').acquire();
    await work(own, grant);
    await grant.release();
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
  }
}

function adding(world: World, mistake: Mistake): { work: Work; check: () => void } {
  const fenced = world.fencedStore('number');
  let value = 0;
  let added = 0;
  const work: Work = async (own, grant) => {
    const before = mistake === 'none' ? Number(await fenced.read()) : value;
    await own.sleep(50);
    if (mistake === 'none') {
      if (grant.signal.aborted) return;
      const result = await fenced.write({ token: grant.token, value: before + 1 });
      if (result === 'written') added++;
      return;
    }
    value = before + 1;
    added++;
  };
  const check = (): void => {
    const now = mistake === 'none' ? Number(fenced.value) : value;
    world.check(now >= added, `${added - now} of ${added} additions are lost`);
  };
  return { work, check };
}

function together(world: World): { work: Work; check: () => void } {
  let inside = 0;
  const work: Work = async (own) => {
    inside++;
    world.check(inside === 1, 'two workers are inside');
    for (let step = 0; step < 10; step++) await own.sleep(300);
    inside--;
  };
  return { work, check: () => {} };
}
