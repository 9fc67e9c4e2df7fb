import type { Index, NodeId, StoreId, Term } from '../base/units.ts';
import type { Role } from '../raft/events.ts';

/** A node as it describes itself and what it knows of the others. */
export interface NodeStatus {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly clusterId: string | null;
  readonly clusterName: string;
  readonly role: Role | 'blank' | 'starting' | 'stopped';
  /**
   * A leader: may answer, for its no-op is applied. Any other: hears from a leader. Both: have not
   * been stuck for longer than an election time-out.
   */
  readonly isReady: boolean;
  readonly term: Term;
  readonly leaderId: NodeId | null;
  readonly leaderAddress: string | null;
  readonly commitIndex: Index;
  readonly appliedIndex: Index;
  readonly lastIndex: Index;
  readonly durableIndex: Index;
  /** How long committed entries have waited while none was applied; 0: none waits. */
  readonly stuckMs: number;
  readonly stateHash: string;
  /** The log begins after this entry. */
  readonly anchorIndex: Index;
  /** What the durable checkpoint contains. */
  readonly checkpointIndex: Index;
  /** What this node is in the configuration in force; removed: the cluster goes on without it. */
  readonly membership: 'voter' | 'learner' | 'removed' | 'none';
  readonly configIndex: Index;
  /**
   * After a restore: at most so long nothing is granted, if this node goes on leading or leads from
   * now on; null: there is no embargo.
   */
  readonly embargoLeftMs: number | null;
  /** What an operator must look at, in full sentences; empty while all is well. */
  readonly alarms: readonly string[];
  readonly sessions: number;
  readonly locks: number;
  readonly pid: number;
  readonly bootCount: number;
  readonly version: string;
  readonly peers: readonly {
    readonly nodeId: NodeId;
    readonly address: string;
    readonly isConnected: boolean;
    /** As leader: how far it has the log. Otherwise 0. */
    readonly matchIndex: Index;
  }[];
}
