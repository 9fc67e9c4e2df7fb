// What `holdfast init` does, spoken to the hosts directly (DESIGN.md §4.12).

import { InvariantError } from '../src/base/assert.ts';
import type { NodeId } from '../src/base/units.ts';
import type { Member } from '../src/raft/config.ts';
import type { FoundingStep, QueryResult } from '../src/wire/client-messages.ts';
import type { SimCluster } from './cluster.ts';

type FoundingAnswer = Extract<QueryResult, { kind: 'founding' }>;

/** Asks these nodes, or all, lets the first one mint the record, and copies it to the rest. */
export async function foundCluster(
  cluster: SimCluster,
  ids: readonly NodeId[] = cluster.ids,
  origin = 0,
): Promise<void> {
  const members: Member[] = [];
  for (const { id, address } of ids.map((each) => cluster.node(each))) {
    const { storeId } = await ask(cluster, id, { step: 'ask' });
    members.push({ nodeId: id, storeId, address });
  }
  const [first = '', ...rest] = ids;
  const { clusterName, limits } = cluster.settings;
  const minted = await ask(cluster, first, {
    step: 'mint',
    clusterName,
    members,
    limits,
    origin,
  });
  if (minted.record === null) throw new InvariantError(`${first} minted no record`);
  for (const id of rest) await ask(cluster, id, { step: 'found', record: minted.record });
}

async function ask(cluster: SimCluster, id: NodeId, step: FoundingStep): Promise<FoundingAnswer> {
  const pending = cluster.ask<{ readonly result: QueryResult }>(id, (host, done) =>
    host.founding(step, done),
  );
  await cluster.until(`${id} to ${step.step}`, () => pending.isSettled);
  const { result } = pending.value;
  if (result.kind === 'founding') return result;
  throw new InvariantError(`${id} answered ${step.step} with ${JSON.stringify(result)}`);
}
