import type { NodeId } from '../src/base/units.ts';
import { DEFAULT_LIMITS } from '../src/locks/commands.ts';
import type { HostSettings } from '../src/node/host-types.ts';

/** Where the node listens. */
export function addressOf(id: NodeId): string {
  return `${id}:7000`;
}

/** Settings of all nodes: defaults, but for what is given. */
export function settingsOf(ids: readonly NodeId[], given: Partial<HostSettings>): HostSettings {
  return {
    nodeId: '',
    clusterName: 'sim',
    nodes: ids.map((id) => ({ id, address: addressOf(id) })),
    heartbeatMs: 50,
    electionMs: 500,
    limits: DEFAULT_LIMITS,
    reserveBytes: 0,
    linkCommandsMax: 1_024,
    linkBytesMax: 1024 * 1024,
    pid: 1,
    version: 'sim',
    ...given,
  };
}
