// What must happen in a cluster that was made of a backup once everything is healed, before
// anything else is demanded of it: its embargo ends. And an operator ends what the old cluster left
// for ever: nobody else will.

import { US_PER_MS } from '../../src/base/units.ts';
import type { SessionId } from '../../src/base/units.ts';
import type { SimNode } from '../cluster-node.ts';
import type { SimCluster } from '../cluster.ts';
import { hasMajority } from './liveness-acts.ts';
import type { LivenessParts } from './liveness.ts';

/** Bound in election timeouts, beside the embargo itself: it begins anew with each leader. */
const BOUND = 40;
/** Embargoes that may begin meanwhile, and by how much a clock out of its bound stretches one. */
const FACTOR = 3;

/** What is answered to whoever ends a session that was there, or was not. */
const ENDED: readonly string[] = ['DONE', 'SESSION_GONE'];

/** What is left of the past. */
export interface Left {
  readonly embargoMs: number;
  sessions(): readonly SessionId[];
}

/** Runs the world until the embargo is over and what was left is gone; reports LIV-3 if not. */
export async function outlive(
  cluster: SimCluster,
  left: Left,
  { verdict, faults }: LivenessParts,
): Promise<void> {
  const { world, settings } = cluster;
  // Machines come and go while the embargo lasts.
  const canWork = (): boolean => {
    const { condemned, leftOut } = faults;
    const isThere = ({ id }: SimNode): boolean => !condemned.has(id) && !leftOut.has(id);
    return hasMajority(cluster, cluster.all().filter(isThere));
  };
  const isFree = (): boolean => {
    const leader = cluster.leader();
    return leader !== null && cluster.status(leader).embargoLeftMs === null;
  };
  const limitMs = BOUND * settings.electionMs + FACTOR * left.embargoMs;
  const isOver = (): boolean => verdict.violation !== null;
  await world.run(() => isOver() || isFree(), limitMs * US_PER_MS);
  if (isOver() || !canWork()) return;
  if (!isFree()) {
    const text = `the embargo of ${left.embargoMs} ms did not end`;
    return verdict.report('LIV-3', `${text}\n${cluster.describe()}`);
  }
  for (let turn = 0; turn < BOUND && !isOver() && canWork(); turn++) {
    if (await endAll(cluster, left.sessions())) return;
  }
}

/** Asks whoever leads for the end of these; false: it did not say yes in time. */
async function endAll(cluster: SimCluster, sessions: readonly SessionId[]): Promise<boolean> {
  const { world, settings } = cluster;
  const leader = cluster.leader();
  const asked = sessions.map((session) => {
    const command = { op: 'endSession', session, by: 'operator', reason: 'of the past' } as const;
    return leader === null ? null : cluster.send(leader, command);
  });
  const isDone = (): boolean =>
    asked.every((each) => each?.isSettled === true && ENDED.includes(each.value.outcome.code));
  await world.run(isDone, settings.electionMs * US_PER_MS);
  return isDone();
}
