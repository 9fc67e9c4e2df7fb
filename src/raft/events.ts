// The border of the core: events go in through Raft.step(event, nowUs), effects come out.
// Nothing else changes Raft state, and nothing in here does I/O (RAFT.md §2).

import type { Index, MonoUs, NodeId, StoreId, Term } from '../base/units.ts';
import type { ClusterConfig } from './config.ts';
import type { Entry, EntryType } from './entry.ts';
import type { MembershipChange, MembershipRefusal, TransferRefusal } from './membership-change.ts';
import type { RaftMessage, Sender, SnapshotPart } from './messages.ts';

export interface Proposal {
  /** Configurations have an event of their own, `changeConfig`. */
  readonly type: Exclude<EntryType, 'config'>;
  readonly payload: Uint8Array;
  /** Set by the leader itself (expiry, withdraw): counted against a budget of its own (§0). */
  readonly internal: boolean;
  /** As in Entry, with room there for the head of the record. */
  readonly record: Uint8Array | null;
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
  /** Answer to `load`. Empty only if `from` was cut off or compacted meanwhile. */
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
  | { readonly type: 'stepDown' }
  /**
   * The log up to this entry is gone from the disk: a durable checkpoint contains it. The log
   * begins after it from now on.
   */
  | { readonly type: 'compacted'; readonly anchor: EntryId }
  /** A piece of the transfer that `sendSnapshot` began, to be sent now. */
  | { readonly type: 'snapshotPart'; readonly to: NodeId; readonly part: SnapshotPart }
  /** The transfer cannot go on: reading failed, or nothing was answered for too long. */
  | { readonly type: 'snapshotAborted'; readonly to: NodeId; readonly transfer: number }
  /** Answer to `storePart`. complete: all rows are durable, verified, and not in force yet. */
  | {
      readonly type: 'partStored';
      readonly from: NodeId;
      /** The term of the `storePart`; an answer in a later term goes nowhere. */
      readonly term: Term;
      readonly transfer: number;
      readonly status: 'stored' | 'refused' | 'complete';
      readonly sequence: number;
      /** With `complete`: what it contains. No piece is heeded until that is in force or gone. */
      readonly point: SnapshotPoint | null;
    }
  /** Answer to `installSnapshot`: it is in force on disk and in the state machine. */
  | { readonly type: 'snapshotInstalled'; readonly point: SnapshotPoint }
  /** An operator changes who takes part; answered by `configDecided` with the same id. */
  | {
      readonly type: 'changeConfig';
      readonly id: number;
      /** Index of the configuration that the change is meant for; null: whichever is in force. */
      readonly expectedIndex: Index | null;
      readonly change: MembershipChange;
    }
  /** Hand leadership over; null: to the best of the others. Answered by `transferDecided`. */
  | { readonly type: 'transfer'; readonly id: number; readonly to: NodeId | null }
  /** A member told us at the door that its committed configuration, of this index, lacks us. */
  | { readonly type: 'notMember'; readonly from: Sender; readonly configIndex: Index };

/** An entry by its place and term. */
export interface EntryId {
  readonly index: Index;
  readonly term: Term;
}

/** What a checkpoint contains: everything up to `last`, and the configuration in force there. */
export interface SnapshotPoint {
  readonly last: EntryId;
  readonly config: ClusterConfig;
  readonly configIndex: Index;
}

/**
 * Why a proposal was not appended; certain, in every case (INV-13). NOT_LEADER also of a leader
 * that hands over: RaftStatus.transferTarget tells to whom.
 */
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
  /**
   * Another configuration is in force, or the one in force was committed. Until then members of
   * the one before must still be reached: they may be the quorum that decides.
   */
  | {
      readonly type: 'configChanged';
      readonly config: ClusterConfig;
      readonly index: Index;
      readonly isCommitted: boolean;
      readonly previous: ClusterConfig | null;
    }
  /** Leader: begin to send the checkpoint to this member, as transfer number `transfer`. */
  | { readonly type: 'sendSnapshot'; readonly to: NodeId; readonly transfer: number }
  /** What the receiver says of a piece. `installed` ends the transfer, and so does `refused`. */
  | {
      readonly type: 'snapshotAnswered';
      readonly to: NodeId;
      readonly transfer: number;
      readonly status: 'stored' | 'refused' | 'installed';
      readonly sequence: number;
    }
  /** The transfer is over or pointless: let go of what it reads. */
  | { readonly type: 'endSnapshot'; readonly to: NodeId; readonly transfer: number }
  /** Follower: store this piece, not in force yet; answer with `partStored`. */
  | {
      readonly type: 'storePart';
      readonly from: Sender;
      readonly term: Term;
      readonly part: SnapshotPart;
    }
  /**
   * Put the complete checkpoint in force, on disk in one batch and in the state machine, which it
   * replaces; answer with `snapshotInstalled`. No batch and no apply is out meanwhile.
   * `keepsSuffix`: the log agrees with it and stays; otherwise the whole log goes.
   */
  | {
      readonly type: 'installSnapshot';
      readonly point: SnapshotPoint;
      readonly keepsSuffix: boolean;
    }
  /** The checkpoint that was being received is not needed any more. */
  | { readonly type: 'discardSnapshot' }
  /** accepted: appended at `index`, and decided when the log decides; else nothing happened. */
  | {
      readonly type: 'configDecided';
      readonly id: number;
      readonly index: Index;
      readonly refusal: MembershipRefusal | null;
    }
  /** The transfer led to another leader, or why it did not. */
  | {
      readonly type: 'transferDecided';
      readonly id: number;
      readonly refusal: TransferRefusal | null;
    }
  /** The cluster goes on without us: we take no part any more (RAFT.md §10.4, §10.5). */
  | { readonly type: 'removed'; readonly configIndex: Index }
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
  readonly anchor: EntryId;
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

/** The core as its host drives it; made by `new Raft(createCore(parts))`. */
export interface RaftCore {
  step(event: RaftEvent, nowUs: MonoUs): readonly RaftEffect[];
  /** When to send the next tick at the latest. */
  nextDeadlineUs(): MonoUs;
  status(): RaftStatus;
  /** The configuration in force at an entry from the anchor on, for a checkpoint there. */
  configAt(index: Index): { readonly index: Index; readonly config: ClusterConfig };
  /** Term of an entry from the anchor to the last one; null elsewhere. */
  termAt(index: Index): Term | null;
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
  /** The configuration before the one in force, while that is not committed; else null. */
  readonly previousConfig: ClusterConfig | null;
  /** The cluster goes on without us. */
  readonly isRemoved: boolean;
  /** Leader only: who is to take over, while that is going on. */
  readonly transferTarget: NodeId | null;
  readonly anchor: EntryId;
  /** Leader only: what it knows of the others. */
  readonly peers: readonly {
    readonly nodeId: NodeId;
    readonly matchIndex: Index;
    readonly state: 'probe' | 'replicate' | 'snapshot';
    readonly isActive: boolean;
    /** It keeps up: its last round of catching up was shorter than E (RAFT.md §10.3). */
    readonly isCaughtUp: boolean;
  }[];
}
