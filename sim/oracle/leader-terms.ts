import type { NodeId } from '../../src/base/units.ts';
import type { SimCluster } from '../cluster.ts';
import type { SimNode } from '../cluster-node.ts';

/** A learner that has just begun hears of the leader of old: that changes nobody's leader. */
export function isNewcomer({ host }: SimNode): boolean {
  const status = host?.status();
  return status?.membership === 'learner' && status.leaderId === null;
}

/** Who is in which term and follows whom, as text. */
export function termsOf(nodes: readonly SimNode[]): string {
  return nodes
    .map(({ id, host }) => {
      if (host === null) return `${id} dead`;
      const { term, leaderId, isReady } = host.status();
      return `${id} t${term} ${leaderId ?? 'nobody'}${isReady ? '' : ' not ready'}`;
    })
    .join(', ');
}

/** All have the same log, and have applied all of it. */
export function areEven(nodes: readonly SimNode[]): boolean {
  const all = nodes.flatMap(({ host, isStarted }) =>
    host === null || !isStarted ? [] : [host.status()],
  );
  const furthest = Math.max(...all.map(({ lastIndex }) => lastIndex));
  const isEven = all.every((each) => each.appliedIndex === furthest && each.lastIndex === furthest);
  return all.length === nodes.length && isEven;
}

/**
 * Grows with each event that moves leaders although nothing strikes any more: a member leaves, and
 * hands over; a node meets the damage of its disk, and ends.
 */
export function countUpheavals(cluster: SimCluster, condemned: ReadonlySet<NodeId>): number {
  const left = cluster.oracle.membership?.retired.length ?? 0;
  const ended = [...condemned].filter((id) => cluster.node(id).exit !== null);
  return left + ended.length;
}
