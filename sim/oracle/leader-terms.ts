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
