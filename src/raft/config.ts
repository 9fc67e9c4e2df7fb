// Who takes part in consensus. A configuration is an entry like any other, and takes effect when
// it is appended, not when it commits (thesis §4.1; RAFT.md §10.2).

import type { NodeId, StoreId } from '../base/units.ts';

/** A member is its name and its data directory: a wiped node is somebody else (RAFT.md §15.6). */
export interface Member {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  /** Where its peers and clients reach it, `host:port`. */
  readonly address: string;
}

/** `votersOutgoing` is non-empty exactly while the configuration is joint. */
export interface ClusterConfig {
  readonly voters: readonly Member[];
  readonly votersOutgoing: readonly Member[];
  readonly learners: readonly Member[];
  readonly learnersNext: readonly Member[];
  /** Names of nodes that left, oldest first: never given again (RAFT.md §10.6). */
  readonly retired: readonly NodeId[];
}
