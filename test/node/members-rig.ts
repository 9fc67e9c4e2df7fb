// Clusters of shipped hosts whose members change, for tests of what operators do.

import type { NodeId } from '../../src/base/units.ts';
import type { HostAnswer, HostSettings } from '../../src/node/host-types.ts';
import type { AdminStep, QueryResult } from '../../src/wire/client-messages.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { createSimCluster } from '../../sim/cluster.ts';

/** Little of everything, so that little work makes checkpoints and takes many pieces. */
export const SMALL: Partial<HostSettings> = {
  checkpoints: {
    dirtyRowsMax: 16,
    pauseRowsMax: 32,
    intervalMs: 200,
    sliceRows: 4,
    trailingEntries: 8,
    partBytesMax: 1_024,
    partsInFlightMax: 2,
    hashEvery: 16,
  },
};

/** A cluster with a leader. */
export async function cluster(seed: number, settings: Partial<HostSettings> = SMALL) {
  const made = await createSimCluster({ seed, settings });
  const leader = await made.waitLeader();
  return { cluster: made, leader };
}

/** Asks that node and runs until it answers. */
export async function ask(made: SimCluster, id: NodeId, step: AdminStep): Promise<QueryResult> {
  const pending = made.ask<HostAnswer>(id, (host, done) => host.admin(step, done));
  await made.until(`an answer to ${step.step}`, () => pending.isSettled, 120_000);
  return pending.value.result;
}

/** Asks whoever leads, again at the next one when that changes, as the command line does. */
export async function administrate(made: SimCluster, step: AdminStep): Promise<QueryResult> {
  for (let turn = 0; turn < 10; turn++) {
    const result = await ask(made, await made.waitLeader(), step);
    if (result.kind !== 'refused' || result.code !== 'NOT_LEADER') return result;
  }
  throw new Error('ten leaders lost their office');
}

/** Takes so many locks in a session of its own. */
export async function lockSome(made: SimCluster, prefix: string, count: number): Promise<void> {
  const leader = await made.waitLeader();
  const session = await made.openSession(leader);
  const asked = Array.from({ length: count }, (_, at) =>
    session.acquire(leader, `${prefix}/${at}`),
  );
  await made.answers(...asked);
}

/** Starts a node of which the cluster knows nothing yet. */
export async function addBlank(made: SimCluster, id: NodeId): Promise<void> {
  made.addNode(id);
  await made.until(`the start of ${id}`, () => made.node(id).isStarted);
}

/** The wish that one gives way to the other. */
export const replaceBy = (nodeId: NodeId, by: NodeId): AdminStep => ({
  step: 'replace',
  nodeId,
  by: { nodeId: by, address: `${by}:7000` },
  expectedIndex: null,
});

/** Every member with what it is; whatever else came, as text. */
export const membersOf = (result: QueryResult): readonly string[] =>
  result.kind === 'membership'
    ? result.membership.members.map(({ nodeId, role }) => `${nodeId} ${role}`)
    : [JSON.stringify(result)];
