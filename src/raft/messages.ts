// What nodes say to each other (RAFT.md §4). Every message names its term; sender and receiver
// are known from the authenticated link that carries it.

import type { Index, NodeId, StoreId, Term } from '../base/units.ts';
import type { Entry } from './entry.ts';

export interface PreVoteRequest {
  readonly type: 'preVoteRequest';
  /** The sender's unchanged current term. */
  readonly term: Term;
  /** The term it would campaign in. */
  readonly nextTerm: Term;
  /** Counts the polls of a sender within its term: grants of different polls do not add up. */
  readonly poll: number;
  readonly lastIndex: Index;
  readonly lastTerm: Term;
}

/** Why a pre-vote was granted or refused; for logs and catch-up. */
export type PreVoteReason = 'granted' | 'sticky' | 'log' | 'term' | 'leader';

export interface PreVoteResponse {
  readonly type: 'preVoteResponse';
  /** The responder's current term. */
  readonly term: Term;
  /** nextTerm of the request. */
  readonly requestTerm: Term;
  readonly poll: number;
  readonly granted: boolean;
  readonly reason: PreVoteReason;
}

export interface VoteRequest {
  readonly type: 'voteRequest';
  readonly term: Term;
  readonly lastIndex: Index;
  readonly lastTerm: Term;
  /** The leader asked for this election: stickiness does not apply. */
  readonly transfer: boolean;
}

/** Sent once term and vote are durable (RAFT.md §7.2). */
export interface VoteResponse {
  readonly type: 'voteResponse';
  readonly term: Term;
  readonly granted: boolean;
}

/** The round of an answer to a message of an earlier term: it is of no round of this one. */
export const NO_ROUND = 0;

export interface Append {
  readonly type: 'append';
  readonly term: Term;
  readonly prevIndex: Index;
  readonly prevTerm: Term;
  /** Contiguous from prevIndex + 1; may be empty. */
  readonly entries: readonly Entry[];
  readonly commit: Index;
  /** Number of the quorum round that was current when it left (RAFT.md §8). */
  readonly round: number;
}

export interface AppendResponse {
  readonly type: 'appendResponse';
  readonly term: Term;
  readonly ok: boolean;
  /** ok: everything up to here equals the leader's log and is durable. Otherwise 0. */
  readonly matchIndex: Index;
  /** Not ok: prevIndex of the Append that did not fit, and where to look next (RAFT.md §7.5). */
  readonly rejectedPrev: Index;
  readonly hintIndex: Index;
  readonly hintTerm: Term;
  /** That of the Append; NO_ROUND when that was of an earlier term. */
  readonly round: number;
}

export interface Heartbeat {
  readonly type: 'heartbeat';
  readonly term: Term;
  /** min(match of the receiver, commit index). */
  readonly commit: Index;
  readonly round: number;
}

/** Confirms a round; the two indices show whether the responder lost its log (RAFT.md §15.5). */
export interface HeartbeatResponse {
  readonly type: 'heartbeatResponse';
  readonly term: Term;
  /** That of the heartbeat; NO_ROUND when that was of an earlier term. */
  readonly round: number;
  readonly lastIndex: Index;
  readonly durableIndex: Index;
}

/** From a leader that stepped down in order to stop; heeded at equal term only. */
export interface Goodbye {
  readonly type: 'goodbye';
  readonly term: Term;
}

/**
 * One piece of a checkpoint on its way to a member that is behind the log (RAFT.md §9). To
 * consensus its content is opaque; wire/snapshot.ts knows it. A transfer is identified by (term,
 * leader's store, `transfer`); pieces of another one discard what came before.
 */
export interface SnapshotPart {
  readonly transfer: number;
  /** 0: the meta data. Then rows. The last one: sum and count. */
  readonly sequence: number;
  /** The entry up to which the checkpoint contains everything. */
  readonly lastIndex: Index;
  readonly lastTerm: Term;
  readonly isLast: boolean;
  readonly content: Uint8Array;
}

/** A piece, as it travels. Answered like a heartbeat, and once it is durable. */
/** A piece, sent when the term is durable, at a pace that the answers set. */
export interface SnapshotPartMessage {
  readonly type: 'snapshotPart';
  readonly term: Term;
  readonly part: SnapshotPart;
  readonly round: number;
}

/** Answer to a piece, when it is durable; `installed` when the whole is in force. */
export interface SnapshotResponse {
  readonly type: 'snapshotResponse';
  readonly term: Term;
  readonly transfer: number;
  /** stored: everything up to `sequence`. refused: begin anew, later. */
  readonly status: 'stored' | 'refused' | 'installed';
  /** The last piece in order that is durable there; -1: none. A gap makes the sender go back. */
  readonly sequence: number;
  /** installed: everything up to here equals the leader's log and is durable. Otherwise 0. */
  readonly matchIndex: Index;
  readonly round: number;
}

/** The leader asks the receiver to campaign at once (RAFT.md §11); heeded at equal term only. */
export interface TimeoutNow {
  readonly type: 'timeoutNow';
  readonly term: Term;
}

/** Everything that consensus says. */
export type RaftMessage =
  | SnapshotPartMessage
  | SnapshotResponse
  | TimeoutNow
  | PreVoteRequest
  | PreVoteResponse
  | VoteRequest
  | VoteResponse
  | Append
  | AppendResponse
  | Heartbeat
  | HeartbeatResponse
  | Goodbye;

/** Who speaks, as the handshake of its link established (RAFT.md §15.6). */
export interface Sender {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly bootCount: number;
}
