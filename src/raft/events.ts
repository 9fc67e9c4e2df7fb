// The border of the core: events go in through Raft.step(event, nowUs), effects come out.
// Nothing else changes Raft state, and nothing in here does I/O (RAFT.md §2).

import type { Index, MonoUs, NodeId, StoreId, Term } from '../base/units.ts';
import type { ClusterConfig } from './config.ts';
import type { Entry, EntryType } from './entry.ts';
import type { RaftMessage, Sender } from './messages.ts';

export interface Proposal {
  readonly type: EntryType;
  readonly payload: Uint8Array;
  /** The configuration that the payload of a `config` proposal encodes; absent otherwise. */
  readonly config?: ClusterConfig;
  /** Set by the leader itself (expiry, withdraw): counted against a budget of its own (§0). */
  readonly internal: boolean;
}

/** What happens to the core. */
export type RaftEvent =
  /** Time has passed; due at least every heartbeat interval, and at Raft.nextDeadlineUs(). */
  | { readonly type: 'tick' }
  | { readonly type: 'message'; readonly from: Sender; readonly message: RaftMessage }
  /** The batch of the `persist` effect with this number is on disk. */
  | { readonly type: 'persisted'; readonly sequence: number }
  /** The record of the `writeSlots` effect with this version is in both slots. */
  | { readonly type: 'slotsWritten'; readonly version: number }
  /** Answer to `load`. Empty only if `from` was cut off meanwhile. */
  | { readonly type: 'loaded'; readonly from: Index; readonly entries: readonly Entry[] }
  /** The host has applied everything up to here. */
  | { readonly type: 'applied'; readonly index: Index }
  | { readonly type: 'propose'; readonly proposals: readonly Proposal[] }
  /** A linearizable read, or a keepalive: confirmed by the next quorum round (RAFT.md §8). */
  | { readonly type: 'read'; readonly id: number }
  /**
   * State of our connections with a peer, both directions together. `gone`: all closed and a
   * dial was refused, or answered by another boot of that store (RAFT.md §6.1, fast fail-over).
   */
  | { readonly type: 'link'; readonly peer: NodeId; readonly state: 'up' | 'down' | 'gone' }
  /** Operator or shutdown: a leader says goodbye and steps down. */
  | { readonly type: 'stepDown' };

/** Why a proposal was not appended; certain, in every case (INV-13). */
export type Refusal = 'NOT_LEADER' | 'OVERLOADED' | 'UNAVAILABLE';

/** Where a node stands in its term. */
export type Role = 'follower' | 'preCandidate' | 'candidate' | 'leader';

export type RaftEffect =
  /**
   * Write as one atomic synced batch: cut the log from `truncateFrom` (if not null), then append
   * `entries`. Emitted only when the one before was reported as persisted and the term is durable.
   */
  | {
      readonly type: 'persist';
      readonly sequence: number;
      readonly truncateFrom: Index | null;
      readonly entries: readonly Entry[];
      readonly lastIndex: Index;
      readonly lastTerm: Term;
    }
  | {
      readonly type: 'writeSlots';
      readonly version: number;
      readonly term: Term;
      readonly vote: { readonly nodeId: NodeId; readonly storeId: StoreId } | null;
    }
  | { readonly type: 'send'; readonly to: NodeId; readonly message: RaftMessage }
  | { readonly type: 'load'; readonly from: Index; readonly maxBytes: number }
  /** Apply these, in order, then answer with `applied`. One such effect is out at a time. */
  | { readonly type: 'apply'; readonly entries: readonly Entry[] }
  /** The first `accepted` proposals of the event got the indices from firstIndex on. */
  | {
      readonly type: 'proposed';
      readonly term: Term;
      readonly firstIndex: Index;
      readonly accepted: number;
      /** Why the others were not; null when all were. */
      readonly refusal: Refusal | null;
    }
  /** These reads may be answered from the state machine now. */
  | { readonly type: 'readReady'; readonly ids: readonly number[] }
  | { readonly type: 'readFailed'; readonly ids: readonly number[] }
  /** Emitted whenever one of the three changed. */
  | {
      readonly type: 'role';
      readonly role: Role;
      readonly term: Term;
      readonly leaderId: NodeId | null;
    }
  /** This leader's no-op was applied: from now on it may answer (RAFT.md §8.1). */
  | { readonly type: 'leaderReady'; readonly term: Term; readonly index: Index }
  | { readonly type: 'configChanged'; readonly config: ClusterConfig; readonly index: Index }
  /** The process must stop at once; see RAFT.md §7.3, §15.4, §15.5. */
  | { readonly type: 'fatal'; readonly code: 'LOG_CONFLICT' | 'LOG_LOST'; readonly message: string }
  /** A peer lost acknowledged data: its acks are refused from now on (RAFT.md §15.5). */
  | { readonly type: 'peerLostLog'; readonly peer: NodeId; readonly message: string };

/** A stretch of the log with one term; runs are in index order and cover (anchor, lastIndex]. */
export interface TermRun {
  readonly term: Term;
  readonly firstIndex: Index;
}

/** What recovery read from disk, verified (RAFT.md §15.3). */
export interface RaftStart {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly term: Term;
  readonly vote: { readonly nodeId: NodeId; readonly storeId: StoreId } | null;
  /** The log begins after this entry; its content is covered by the checkpoint. */
  readonly anchor: { readonly index: Index; readonly term: Term };
  readonly termRuns: readonly TermRun[];
  /** The newest entries, contiguous up to the last index; older ones come through `load`. */
  readonly tail: readonly Entry[];
  readonly lastIndex: Index;
  /** What the state machine already contains: the index of the durable checkpoint. */
  readonly applied: Index;
  /** Configurations from the checkpoint on, oldest first; never empty once founded. */
  readonly configs: readonly { readonly index: Index; readonly config: ClusterConfig }[];
}

/** Limits and intervals (RAFT.md §0). Times in microseconds. */
export interface RaftSettings {
  readonly heartbeatUs: number;
  readonly electionUs: number;
  readonly appendBytesMax: number;
  readonly inflightAppendsMax: number;
  readonly inflightBytesMax: number;
  readonly uncommittedBytesMax: number;
  readonly internalBytesMax: number;
  readonly persistBytesMax: number;
  readonly applyBytesMax: number;
  /** Bytes of applied entries kept in memory for slow followers. */
  readonly tailBytesMax: number;
}

/** The values of RAFT.md §0. */
export const DEFAULT_RAFT_SETTINGS: RaftSettings = {
  heartbeatUs: 50_000,
  electionUs: 500_000,
  appendBytesMax: 192 * 1024,
  inflightAppendsMax: 64,
  inflightBytesMax: 8 * 1024 * 1024,
  uncommittedBytesMax: 16 * 1024 * 1024,
  internalBytesMax: 1024 * 1024,
  persistBytesMax: 1024 * 1024,
  applyBytesMax: 256 * 1024,
  tailBytesMax: 8 * 1024 * 1024,
};

/**
 * The core as its host drives it; made by `new Raft(createCore(parts))`.
 */
export interface RaftCore {
  step(event: RaftEvent, nowUs: MonoUs): readonly RaftEffect[];
  /** When to send the next tick at the latest. */
  nextDeadlineUs(): MonoUs;
  status(): RaftStatus;
}

export interface RaftStatus {
  readonly role: Role;
  readonly term: Term;
  readonly leaderId: NodeId | null;
  readonly isReady: boolean;
  readonly commitIndex: Index;
  readonly appliedIndex: Index;
  readonly lastIndex: Index;
  readonly lastTerm: Term;
  readonly durableIndex: Index;
  readonly config: ClusterConfig;
  readonly configIndex: Index;
  /** Leader only: what it knows of the others. */
  readonly peers: readonly {
    readonly nodeId: NodeId;
    readonly matchIndex: Index;
    readonly state: 'probe' | 'replicate';
    readonly isActive: boolean;
  }[];
}
