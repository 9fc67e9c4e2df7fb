// Two holders of one lock in a simulated world, with the shipped client: the first one works and
// stands still once, the second one waits for the lock and writes under it.
//
// Whether the first one's write would overlap with the second one's is judged from outside, by when
// things happened: a worker that was told of its loss while its lease still ran has stopped in time
// and does not count; one that was told only when it woke up, after the other had the lock, counts
// if its write reaches the store after the other's. What was under way when it fell asleep cannot
// be called back.

import type { World } from '../api/types.ts';
import { NEXT_WRITE_MS } from './model.ts';
import type { Setting, Trial, TrialOutcome } from './model.ts';

/** What two holders are to do. */
export interface PairPlan extends Setting, Trial {
  /** Of the lock, the store and the processes. */
  readonly name: string;
  /** False: nothing that the first holder sends reaches a node once it has the lock. */
  readonly isRenewing: boolean;
}

/** What it came to. */
export interface PairOutcome extends TrialOutcome {
  /** The store refused the first holder's write. */
  readonly isRefused: boolean;
}

interface Facts {
  toldAtMs: number;
  nextGrantAtMs: number;
}

/** Runs both; resolves when the first holder's write has arrived. */
export async function runPair(world: World, plan: PairPlan): Promise<PairOutcome> {
  const { name, pauseMs } = plan;
  const facts: Facts = { toldAtMs: Infinity, nextGrantAtMs: Infinity };
  const holder = `${name}-a`;
  const { granted, halfway, written } = startHolder(world, holder, { plan, facts });
  await granted;
  if (!plan.isRenewing) world.partition([[holder], world.nodes]);
  startNext(world, `${name}-b`, { plan, facts });
  await halfway;
  world.pause(holder, { forMs: pauseMs });
  await written;
  return judge(world, plan, facts);
}

interface Part {
  readonly plan: PairPlan;
  readonly facts: Facts;
}

/** When it has the lock, when it is to stand still, and when its write has arrived. */
interface Milestones {
  readonly granted: Promise<void>;
  readonly halfway: Promise<void>;
  readonly written: Promise<void>;
}

function startHolder(world: World, holder: string, { plan, facts }: Part): Milestones {
  const { name, ttlMs, workMs, pauseAtMs } = plan;
  const [granted, onGranted] = milestone();
  const [halfway, onHalfway] = milestone();
  const [written, onWritten] = milestone();
  world.run(holder, async (own) => {
    const grant = await own.client({ ttlMs }).lock(name).acquire();
    grant.signal.addEventListener('abort', () => (facts.toldAtMs = world.nowMs));
    onGranted();
    await own.sleep(pauseAtMs);
    onHalfway();
    // A timer that runs while the process stands still is over when it wakes; work is not. So the
    // rest of it begins with the first timer that fires after the pause.
    await own.sleep(0);
    await own.sleep(workMs - pauseAtMs);
    await world.fencedStore(name).write({ token: grant.token, value: holder });
    onWritten();
    await grant.release().catch(() => {}); // a lease that is over, or nobody who hears it
  });
  return { granted, halfway, written };
}

function startNext(world: World, next: string, { plan, facts }: Part): void {
  const { name, ttlMs } = plan;
  world.run(next, async (own) => {
    const grant = await own.client({ ttlMs }).lock(name).acquire({ waitMs: Infinity });
    facts.nextGrantAtMs = world.nowMs;
    await own.sleep(NEXT_WRITE_MS);
    await world.fencedStore(name).write({ token: grant.token, value: next });
    await grant.release();
  });
}

function judge(world: World, { name }: PairPlan, facts: Facts): PairOutcome {
  const { history } = world.fencedStore(name);
  const at = history.findIndex(({ by }) => by === `${name}-a`);
  const write = history[at];
  const isExpired = write !== undefined && facts.nextGrantAtMs < write.atMs;
  const isToldInTime = facts.toldAtMs < facts.nextGrantAtMs;
  const isOverlap = isExpired && !isToldInTime && at > 0;
  return { isExpired, isOverlap, isRefused: write?.isWritten === false };
}

function milestone(): [Promise<void>, () => void] {
  let reach: () => void = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return [reached, reach];
}
