// What passes between nodes over /v1/peer: a handshake, then consensus messages.

import type { Index, NodeId, StoreId } from '../base/units.ts';
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
  /** Newest set of commands that it applies: a leader uses none that a member lacks. */
  readonly commandSet: number;
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
    | 'SELF'
    /** Its node id left the cluster: the committed configuration of `configIndex` lacks it. */
    | 'REMOVED';
  readonly message: string;
  /** With REMOVED; else 0. */
  readonly configIndex: Index;
}

/**
 * What the state of the sender hashed to when this entry was applied. Who differs from a majority
 * is damaged (RAFT.md §15.5).
 */
export interface StateHashMessage {
  readonly type: 'stateHash';
  readonly index: Index;
  readonly hash: string;
}

/** Everything that passes between nodes. */
export type PeerMessage = PeerHello | PeerRefusal | StateHashMessage | RaftMessage;
