import type { Index, NodeId, StoreId, Term } from '../base/units.ts';
import type { Role } from '../raft/events.ts';

/** A node as it describes itself and what it knows of the others. */
export interface NodeStatus {
  /** Its configured name. */
  readonly nodeId: NodeId;
  /** Of its data directory: 128 random bits in hex. */
  readonly storeId: StoreId;
  /** 128 bits in hex; null: it was not founded and belongs to no cluster yet. */
  readonly clusterId: string | null;
  /** For people. */
  readonly clusterName: string;
  /**
   * Where it stands in its term. `blank`: not founded. `starting`: reads its data. `stopped`:
   * serves nobody any more.
   */
  readonly role: Role | 'blank' | 'starting' | 'stopped';
  /**
   * A leader: may answer, for its no-op is applied. Any other: hears from a leader. Both: have not
   * been stuck for longer than an election time-out.
   */
  readonly isReady: boolean;
  /** The present term; 0 before the first election. */
  readonly term: Term;
  /** Who leads this term; null: not known. */
  readonly leaderId: NodeId | null;
  /** Where that one is reached, `host:port`; null: not known. */
  readonly leaderAddress: string | null;
  /** The last entry known to be committed. */
  readonly commitIndex: Index;
  /** The last entry that its state contains. */
  readonly appliedIndex: Index;
  /** The last entry of its log. */
  readonly lastIndex: Index;
  /** The last entry that is on its disk. */
  readonly durableIndex: Index;
  /** How long committed entries have waited while none was applied; 0: none waits. */
  readonly stuckMs: number;
  /** Hash of the state as of appliedIndex, in hex: equal on all nodes. */
  readonly stateHash: string;
  /** The log begins after this entry. */
  readonly anchorIndex: Index;
  /** What the durable checkpoint contains. */
  readonly checkpointIndex: Index;
  /** What this node is in the configuration in force; removed: the cluster goes on without it. */
  readonly membership: 'voter' | 'learner' | 'removed' | 'none';
  /** The entry that brought the configuration in force. */
  readonly configIndex: Index;
  /**
   * After a restore: at most so long nothing is granted, if this node goes on leading or leads from
   * now on; null: there is no embargo.
   */
  readonly embargoLeftMs: number | null;
  /** What an operator must look at, in full sentences; empty while all is well. */
  readonly alarms: readonly string[];
  /** How many sessions live. */
  readonly sessions: number;
  /** How many locks are held or waited for. */
  readonly locks: number;
  /** Its process. */
  readonly pid: number;
  /** How often it started with this data directory. */
  readonly bootCount: number;
  /** Of the package that it runs. */
  readonly version: string;
  /** The others, as it sees them. */
  readonly peers: readonly {
    /** Its configured name. */
    readonly nodeId: NodeId;
    /** Where other nodes reach it, `host:port`. */
    readonly address: string;
    /** Whether a link to it is up. */
    readonly isConnected: boolean;
    /** As leader: how far it has the log. Otherwise 0. */
    readonly matchIndex: Index;
  }[];
}
