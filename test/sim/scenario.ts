// What the scenarios over real hosts have in common. Times are virtual.

import type { NodeId } from '../../src/base/units.ts';
import type { HostReply } from '../../src/node/host-types.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster, SimClusterOptions } from '../../sim/cluster.ts';

/** E and H of RAFT.md §0 with default settings, in milliseconds. */
export const E = 500;
export const H = 50;

export interface Scenario {
  readonly cluster: SimCluster;
  readonly leader: NodeId;
  /** The others, in order. */
  readonly followers: readonly [NodeId, NodeId];
  readonly rest: readonly NodeId[];
}

/** A founded cluster that has a leader for a second already. */
export async function withLeader(options: SimClusterOptions): Promise<Scenario> {
  const cluster = await createSimCluster(options);
  await cluster.waitLeader();
  await cluster.runFor(1_000);
  return roles(cluster);
}

/** Who leads and who follows now. */
export async function roles(cluster: SimCluster): Promise<Scenario> {
  const leader = await cluster.waitLeader();
  const rest = cluster.others(leader);
  const [first = '', second = ''] = rest;
  return { cluster, leader, followers: [first, second], rest };
}

/** Runs for so long and calls `look` after every event. */
export async function always(
  cluster: SimCluster,
  durationMs: number,
  look: () => void,
): Promise<void> {
  const endUs = cluster.world.nowUs + durationMs * 1_000;
  const isOver = (): boolean => {
    look();
    return cluster.world.nowUs >= endUs;
  };
  await cluster.until('the end of the watch', isOver, durationMs + 1_000);
}

/** Milliseconds until the condition holds. */
export async function elapsed(
  cluster: SimCluster,
  what: string,
  isTrue: () => boolean,
): Promise<number> {
  const startUs = cluster.world.nowUs;
  await cluster.until(what, isTrue);
  return (cluster.world.nowUs - startUs) / 1_000;
}

/** Opens a session and takes locks with these names, one grant each. */
export async function grantAll(
  cluster: SimCluster,
  at: NodeId,
  names: readonly string[],
): Promise<readonly HostReply[]> {
  const session = await cluster.openSession(at);
  return cluster.answers(...names.map((name) => session.acquire(at, name)));
}

/** Writes one entry a time, every so often, until the time is over; all must be granted. */
export async function writeFor(
  cluster: SimCluster,
  at: NodeId,
  { durationMs, everyMs }: { durationMs: number; everyMs: number },
): Promise<void> {
  const session = await cluster.openSession(at);
  for (let number = 0; number * everyMs < durationMs; number++) {
    const [reply] = await cluster.answers(session.acquire(at, `${session.id} ${number}`));
    if (reply?.outcome.code !== 'GRANTED') throw new Error(`not granted: ${number}`);
    await cluster.runFor(everyMs);
  }
}

/** A lock as the node shows it, linearizably. */
export async function inspect(cluster: SimCluster, at: NodeId, name: string): Promise<LockView> {
  const pending = cluster.query(at, { kind: 'inspect', name });
  await cluster.until(`${at} to show ${name}`, () => pending.isSettled);
  const { result } = pending.value;
  if (result.kind === 'lock') return result.lock;
  throw new Error(`${at} shows ${JSON.stringify(result)}`);
}

/** Kills all nodes at once and starts them again. */
export async function restartAll(cluster: SimCluster): Promise<void> {
  for (const node of cluster.all()) node.crash();
  for (const node of cluster.all()) node.start();
  await cluster.until('all nodes started', () => cluster.all().every((node) => node.isStarted));
}

/** 1 to `count`. */
export function seeds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
