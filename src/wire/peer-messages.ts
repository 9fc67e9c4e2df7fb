// What passes between nodes over /v1/peer: a handshake, then consensus messages.

import type { NodeId, StoreId } from '../base/units.ts';
import type { RaftMessage } from '../raft/messages.ts';

/** Versions of this protocol that this program speaks. */
export const PEER_PROTOCOL = { min: 1, max: 1 } as const;

/** First frame in each direction; nothing is stepped before it was checked (RAFT.md §15.6). */
export interface PeerHello {
  readonly type: 'peerHello';
  readonly versionMin: number;
  readonly versionMax: number;
  /** null while the node is blank. */
  readonly clusterId: string | null;
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  /** Random per process start; tells a restart from a clone together with bootCount. */
  readonly bootId: string;
  readonly bootCount: number;
  /** Grows with every connection of this process. */
  readonly connectionEpoch: number;
  readonly heartbeatMs: number;
  readonly electionMs: number;
}

/** Why the link ends; both sides log it with its remedy. */
export interface PeerRefusal {
  readonly type: 'peerRefusal';
  readonly code:
    | 'VERSION'
    | 'OTHER_CLUSTER'
    | 'OTHER_STORE'
    | 'CLONED'
    | 'SUPERSEDED'
    | 'INTERVALS'
    | 'UNKNOWN_NODE'
    | 'SELF';
  readonly message: string;
}

/** Everything that passes between nodes. */
export type PeerMessage = PeerHello | PeerRefusal | RaftMessage;
