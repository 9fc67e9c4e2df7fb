import type { Host } from '../node/host-types.ts';
import type { Logger } from '../ports/logger.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import type { ConfiguredNode } from './config.ts';

/** A node that takes part, and the file that it was started with. */
export interface FileMembersOptions {
  readonly host: Pick<Host, 'status' | 'onMembersChange'>;
  readonly nodes: readonly Pick<ConfiguredNode, 'id' | 'address'>[];
  readonly logger: Logger;
}

/**
 * Warns when the cluster has other members, or has them elsewhere, than the configuration file
 * says: the log counts, but whoever reads the file next is misled (DESIGN.md §4.14). Once for each
 * configuration that differs.
 */
export function watchFileMembers({ host, nodes, logger }: FileMembersOptions): void {
  let told: string | null = null;
  const look = (): void => {
    const text = differenceText(nodes, host.status());
    if (text !== null && text !== told) logger.warn(text);
    told = text;
  };
  host.onMembersChange(look);
  look();
}

/** What differs, with both; null if nothing does, or the node belongs to no cluster. */
function differenceText(nodes: FileMembersOptions['nodes'], status: NodeStatus): string | null {
  if (status.clusterId === null) return null;
  const own = nodes.filter(({ id }) => id === status.nodeId);
  const isMember = status.membership === 'voter' || status.membership === 'learner';
  const peers = status.peers.map(({ nodeId, address }) => ({ id: nodeId, address }));
  const inLog = listed(isMember ? [...own, ...peers] : peers);
  const inFile = listed(nodes);
  if (inLog === inFile) return null;
  return (
    `The configuration file is out of date: the members are ${inLog}; the file names ${inFile}. ` +
    'The cluster goes by its log; correct the file for whoever reads it next.'
  );
}

function listed(nodes: FileMembersOptions['nodes']): string {
  const texts = nodes.map(({ id, address }) => `${id} at ${address}`);
  return texts.sort((one, other) => (one < other ? -1 : 1)).join(', ');
}
