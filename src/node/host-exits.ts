import { HoldfastError } from '../base/error.ts';
import type { Index } from '../base/units.ts';
import type { HostExit } from './host-types.ts';

/** The answer of a start that was overtaken by a stop. */
export const STOPPED_EARLY: HostExit = {
  exitCode: 0,
  message: 'the node was told to stop while it started',
};

/** 73 when somebody else listens there; 78 when the address itself is wrong (DESIGN.md §8). */
export function listenExit(error: Error): HostExit {
  const isInUse = HoldfastError.is(error) && error.code === 'PORT_IN_USE';
  return { exitCode: isInUse ? 73 : 78, message: error.message };
}

/** 88: this node's state is not what a majority of voters has. */
export function stateDiffers(index: Index): HostExit {
  return {
    exitCode: 88,
    message:
      `At entry ${index} the state of this node differs from that of a majority of voters: it is ` +
      'damaged, or this release applies something differently. Keep the directory for those who ' +
      'look into it, take this node out of the cluster, and let the machine join again with an ' +
      'empty directory under a new node id.',
  };
}

/** What to do with a node that belongs to no cluster. */
export function notFoundedText(nodeId: string): string {
  return (
    `${nodeId} belongs to no cluster yet: for a new cluster start all nodes, then run ` +
    `"holdfast init" once; for one that runs, "holdfast member add ${nodeId}=ADDRESS" or ` +
    `"member replace"; for a backup, "holdfast restore"`
  );
}
