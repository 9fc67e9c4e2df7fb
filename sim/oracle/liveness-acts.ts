// What the liveness check itself does to a cluster: a client that tries it, an operator who looks.

import { US_PER_MS } from '../../src/base/units.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { WaiterView, LockView } from '../../src/locks/outcomes.ts';
import type { Query, QueryResult } from '../../src/wire/client-messages.ts';
import type { SimCluster } from '../cluster.ts';
import type { SimNode } from '../cluster-node.ts';
import type { Settled } from '../cluster-client.ts';
import type { Pending } from '../pending.ts';
import type { Script } from '../script/types.ts';
import type { Call } from '../workload/calls.ts';

const PROBE = 'probe';
const PROBE_TTL_MS = 1_000;
const LIST_MAX = 1_000;
// What a client may need to find out that an answer or a connection will not come.
const RECOVERY_US = 5_000 * US_PER_MS;

/** Nodes of which nothing is demanded. */
export interface Absences {
  /** They may stay down, for their disks were damaged beyond repair. */
  readonly condemned: ReadonlySet<NodeId>;
  /** Others that are away, without which the rest must do. */
  readonly leftOut: ReadonlySet<NodeId>;
}

/** A new client takes a free lock, gives it back and closes. */
export function probe(cluster: SimCluster, withinUs: number, turn: number): Pending<Settled<void>> {
  const requestMs = Math.ceil(withinUs / US_PER_MS);
  const name = turn === 1 ? PROBE : `${PROBE}${turn}`;
  const client = cluster.client(name, { requestMs, waitMs: requestMs, ttlMs: PROBE_TTL_MS });
  return client.run(async (own) => {
    const grant = await own.client.lock(PROBE).acquire();
    await grant.release();
    await own.client.close();
  });
}

/** Asks as an operator for the end of every session that there is; gives how many there were. */
export async function endSessions(cluster: SimCluster, withinUs: number): Promise<number | null> {
  const result = await ask(cluster, { kind: 'sessions', after: 0, limit: LIST_MAX }, withinUs);
  const leader = cluster.leader();
  if (result?.kind !== 'sessions' || leader === null) return null;
  for (const { session } of result.sessions) {
    cluster.send(leader, { op: 'endSession', session, by: PROBE, reason: 'the run is over' });
  }
  return result.sessions.length;
}

/** Says who waits although all that it waits for is free and nobody stands before it, or null. */
export async function findStranded(cluster: SimCluster, withinUs: number): Promise<string | null> {
  const query: Query = { kind: 'list', prefix: '', after: '', limit: LIST_MAX };
  const result = await ask(cluster, query, withinUs);
  return result?.kind === 'locks' ? strandedIn(result.locks) : null;
}

/** The same, told from a view of all locks. */
export function strandedIn(locks: readonly LockView[]): string | null {
  const heads = locks.flatMap(({ waiters: [first] }) => (first === undefined ? [] : first));
  const stranded = heads.find((waiter) => isStranded(waiter, locks));
  if (stranded === undefined) return null;
  const names = locks.filter((lock) => claimAt(stranded, lock) !== undefined);
  const what = names.map(({ name }) => name).join(' and ');
  return `${stranded.sessionName} waits for ${what}, which it could have`;
}

/**
 * It heads all its queues, and goes together with all who hold, or left closed, those locks. Of a
 * long queue only the head is shown: it may wait there too, and then nobody can tell.
 */
function isStranded(waiter: WaiterView, locks: readonly LockView[]): boolean {
  return locks.every((lock) => {
    const claim = claimAt(waiter, lock);
    if (claim === undefined) return lock.waiters.length === lock.waiterCount;
    return lock.waiters[0] === claim && hasRoom(claim, lock);
  });
}

/** What it wants of that lock; undefined: nothing. */
function claimAt({ index }: WaiterView, { waiters }: LockView): WaiterView | undefined {
  return waiters.find((each) => each.index === index);
}

function hasRoom({ mode, permits }: WaiterView, lock: LockView): boolean {
  const { holders, ghosts, holderCount } = lock;
  // Of very many not all are shown, and then nobody can tell.
  if (holders.length < holderCount) return false;
  const others = [...holders, ...ghosts];
  if (permits === null) {
    const isShared = mode === 'shared' && others.every((other) => other.mode === 'shared');
    return others.length === 0 || isShared;
  }
  const taken = others.reduce((sum, other) => sum + (other.permits?.[0] ?? 0), 0);
  return taken + permits[0] <= permits[1];
}

/** What the leader answers; null when there is none, or it does not answer in time. */
async function ask(
  cluster: SimCluster,
  query: Query,
  withinUs: number,
): Promise<QueryResult | null> {
  const leader = cluster.leader();
  if (leader === null) return null;
  const pending = cluster.query(leader, query);
  const isAnswered = await cluster.world.run(() => pending.isSettled, withinUs);
  return isAnswered ? pending.value.result : null;
}

/** For messages: who is away with a reason. */
export function excusesOf({ condemned, leftOut }: Absences): string {
  return listed('condemned', condemned) + listed('left out', leftOut);
}

function listed(what: string, ids: ReadonlySet<NodeId>): string {
  return ids.size === 0 ? '' : `\n${what}: ${[...ids].join(', ')}`;
}

/** Whether these are a majority of each half of whatever may be in force now, or soon. */
export function hasMajority(cluster: SimCluster, nodes: readonly SimNode[]): boolean {
  const there = new Set(nodes.map(({ id }) => id));
  const halves = cluster.oracle
    .configurations()
    .flatMap(({ voters, votersOutgoing }) => [voters, votersOutgoing]);
  return halves.every((half) => {
    const having = half.filter(({ nodeId }) => there.has(nodeId)).length;
    return half.length === 0 || having * 2 > half.length;
  });
}

/** By when calls must have settled, in true time, and how much longer clocks may take. */
export interface Due {
  readonly nowUs: number;
  readonly healedUs: number;
  readonly stretch: number;
  readonly graceUs: number;
}

/**
 * A call that its own clock should have ended, counted from when its process could go on; or one
 * that nothing is in the way of: whoever holds gives back, and the leases of the dead run out,
 * with their delays.
 */
export function overdueAmong(
  calls: readonly Call[],
  { knobs: { ttlMs, lockDelayMs } }: Script,
  { nowUs, healedUs, stretch, graceUs }: Due,
): Call | undefined {
  const freeUs = RECOVERY_US + (ttlMs + lockDelayMs) * US_PER_MS;
  return calls.find(({ startedUs, limitMs }) => {
    const limitUs = Math.max(startedUs + limitMs * US_PER_MS * stretch, healedUs);
    const dueUs = Math.min(limitUs, Math.max(startedUs, healedUs) + freeUs * stretch);
    return nowUs > dueUs + graceUs;
  });
}
