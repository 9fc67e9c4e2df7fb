// What scenarios with the shipped client have in common. Times are virtual.

import type { Grant } from '../../src/client/grant.ts';
import type { LockInfo } from '../../src/client/holder.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { ClientProgram, SimClient } from '../../sim/cluster-client.ts';

/** What a program in the client's process gives; throws what it throws. */
export async function result<T>(
  cluster: SimCluster,
  owner: SimClient,
  program: (client: SimClient['client']) => Promise<T>,
): Promise<T> {
  const asked = owner.run(({ client }) => program(client));
  await cluster.until(`an answer for ${owner.name}`, () => asked.isSettled, 120_000);
  return valueOf(asked.value);
}

/** Takes a lock as soon as it is free. */
export function take(cluster: SimCluster, owner: SimClient, name = 'a'): Promise<Grant> {
  return result(cluster, owner, (client) => client.lock(name).acquire({ waitMs: 100_000 }));
}

/** A lock as the client sees it, linearizably. */
export function look(cluster: SimCluster, owner: SimClient, name = 'a'): Promise<LockInfo> {
  return result(cluster, owner, (client) => client.inspect(name));
}

/** Does something in the client's process every so often, until it says that it is enough. */
export function every(
  owner: SimClient,
  everyMs: number,
  act: (own: ClientProgram) => boolean,
): void {
  owner.run(async (own) => {
    while (act(own)) await own.sleep(everyMs);
  });
}

/** What has aborted the signal: its code; null while nothing has. */
export function lossOf({ signal }: Pick<Grant, 'signal'>): string | null {
  const reason: unknown = signal.reason;
  if (!signal.aborted) return null;
  return reason instanceof Error && 'code' in reason ? String(reason.code) : String(reason);
}

/** Milliseconds of true time since the world began. */
export function nowMs(cluster: SimCluster): number {
  return cluster.world.nowUs / 1_000;
}

/** The leader dies and is back at once; gives who leads afterwards. */
export async function forceElection(cluster: SimCluster): Promise<string> {
  const leader = await cluster.waitLeader();
  cluster.node(leader).crash();
  const next = await cluster.waitLeader(leader);
  cluster.node(leader).start();
  return next;
}
