// What passes between a client and a node over /v1/link. A frame carries a list of messages.

import type { ErrorCode } from '../base/error.ts';
import type { Index, NodeId, Revision, SessionId, StoreId, Term, Token } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import type { LockView, Outcome, SessionHoldings, SessionView } from '../locks/outcomes.ts';
import type { AdminMessage, MembersNews, MembershipView, PendingChange } from './admin-messages.ts';
import type { FoundingMessage, FoundingState } from './founding-messages.ts';
import type { FoundingRecord } from './founding-record.ts';
import type { NodeStatus } from './node-status.ts';
import type {
  UnwatchMessage,
  WatchEventsMessage,
  WatchMessage,
  WatchOverMessage,
  WatchingMessage,
} from './watch-messages.ts';

export type {
  NodeStatus,
  UnwatchMessage,
  WatchEventsMessage,
  WatchMessage,
  WatchOverMessage,
  WatchingMessage,
};
export type {
  AdminMessage,
  AdminStep,
  MembersNews,
  MembershipView,
  PendingChange,
  MemberView,
} from './admin-messages.ts';
export type { FoundingMessage, FoundingState, FoundingStep } from './founding-messages.ts';
export type { WatchEvent, WatchEventType, WatchTarget } from './watch-messages.ts';

/** Versions of this protocol that this program speaks. */
export const CLIENT_PROTOCOL = { min: 1, max: 1 } as const;

/** First message of a client. `clusterId` is null until the client has learnt it. */
export interface ClientHello {
  readonly type: 'hello';
  readonly versionMin: number;
  readonly versionMax: number;
  readonly clusterId: string | null;
  readonly name: string;
}

/** `body` is encoded once (wire/command.ts) and sent again unchanged on every retry. */
export interface CommandMessage {
  readonly type: 'command';
  /** Chosen by the client, unique on its link; the reply carries it. */
  readonly requestId: number;
  readonly ackedBelow: number;
  readonly body: Uint8Array;
}

export interface KeepAliveItem {
  readonly session: SessionId;
  /** Fresh for every transmission (RAFT.md §14.2). */
  readonly nonce: number;
}

/** Renews leases; answered after a quorum round (RAFT.md §14). */
export interface KeepAliveMessage {
  readonly type: 'keepAlive';
  readonly items: readonly KeepAliveItem[];
}

/** From now on events of these sessions are pushed to this link. */
export interface AttachMessage {
  readonly type: 'attach';
  readonly sessions: readonly SessionId[];
}

/** What can be asked. */
export type Query =
  | { readonly kind: 'inspect'; readonly name: string }
  | {
      readonly kind: 'list';
      readonly prefix: string;
      readonly after: string;
      readonly limit: number;
    }
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'sessions'; readonly after: Index; readonly limit: number }
  /** Who takes part, as the leader knows it. */
  | { readonly kind: 'membership' }
  /** The limits in force. */
  | { readonly kind: 'limits' }
  /** Of this very node, no quorum needed. */
  | { readonly kind: 'status' }
  /** What the acquire with this number holds. Costs little, however crowded the lock is. */
  | { readonly kind: 'grant'; readonly session: SessionId; readonly acquireSeq: number }
  /** What a session holds and waits for, from the acquire after this number on. */
  | {
      readonly kind: 'holdings';
      readonly session: SessionId;
      readonly after: number;
      readonly limit: number;
    };

/** A question; the answer carries its requestId. */
export interface QueryMessage {
  readonly type: 'query';
  readonly requestId: number;
  readonly query: Query;
}

/** Everything that a client says. */
export type ClientMessage =
  | AdminMessage
  | ClientHello
  | CommandMessage
  | KeepAliveMessage
  | AttachMessage
  | QueryMessage
  | FoundingMessage
  | WatchMessage
  | UnwatchMessage;

/** Answers the hello; comes again when a blank node is founded while the link is up. */
export interface Welcome {
  readonly type: 'welcome';
  readonly version: number;
  /** null while the node is blank. */
  readonly clusterId: string | null;
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
}

/** Pushed after the welcome and on every change; the highest term wins. */
export interface LeaderNews {
  readonly type: 'leader';
  readonly term: Term;
  readonly leaderId: NodeId | null;
  readonly address: string | null;
  /** True when the sender itself leads and is ready to answer. */
  readonly isReady: boolean;
}

/** An answer that is not the machine's: nothing was applied, or its fate is unknown. */
export interface Refused {
  readonly code: Extract<
    ErrorCode,
    | 'NOT_LEADER'
    | 'OVERLOADED'
    | 'UNAVAILABLE'
    | 'OUTCOME_UNKNOWN'
    | 'NOT_FOUNDED'
    | 'CLUSTER_CHANGED'
    | 'INTERNAL'
  >;
  readonly message: string;
}

export interface Reply {
  readonly type: 'reply';
  readonly requestId: number;
  /** Applied index that the outcome reflects; 0 when refused. */
  readonly revision: Revision;
  readonly outcome: Outcome | Refused;
}

export interface KeepAliveResult {
  readonly session: SessionId;
  readonly nonce: number;
  readonly code: 'OK' | 'NOT_LEADER' | 'SESSION_GONE';
  /** The session's TTL when OK, else null; null too for a session without TTL. */
  readonly ttlMs: number | null;
}

/** One result for each item of a keepAlive. */
export interface KeepAliveReply {
  readonly type: 'keepAliveReply';
  readonly items: readonly KeepAliveResult[];
}

/** What the leader's clock says of a lock, in the order of its lists; for display. */
export interface LockTimes {
  /** Of each holder: until its session would expire unless renewed; null: never. */
  readonly holders: readonly (number | null)[];
  /** Of each ghost: until its lock-delay is over. */
  readonly ghosts: readonly number[];
}

/** What a query or a founding step is answered with. */
export type QueryResult =
  | { readonly kind: 'lock'; readonly lock: LockView; readonly leftMs: LockTimes }
  | { readonly kind: 'locks'; readonly locks: readonly LockView[]; readonly hasMore: boolean }
  | {
      readonly kind: 'session';
      readonly session: SessionView | null;
      /** Until the leader would expire it, unless renewed; null: never, or not known. */
      readonly leftMs: number | null;
    }
  | {
      readonly kind: 'sessions';
      readonly sessions: readonly SessionView[];
      readonly hasMore: boolean;
    }
  | { readonly kind: 'status'; readonly status: NodeStatus }
  | {
      readonly kind: 'founding';
      readonly nodeId: NodeId;
      readonly storeId: StoreId;
      readonly state: FoundingState;
      /** The record it has, founded or minted; else null. */
      readonly record: FoundingRecord | null;
    }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      /** With CHANGE_PENDING: the other change, if it is known. */
      readonly pending?: PendingChange;
    }
  /** The membership after a change, or as it is. */
  | { readonly kind: 'membership'; readonly membership: MembershipView }
  | { readonly kind: 'limits'; readonly limits: ReplicatedLimits }
  | { readonly kind: 'transferred'; readonly leaderId: NodeId | null }
  /** `meta`: wire/checkpoint.ts encodeSnapshotMeta. */
  | { readonly kind: 'backup'; readonly backupId: number; readonly meta: Uint8Array }
  /** `content`: encodeSnapshotRows. */
  | { readonly kind: 'backupRows'; readonly content: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'done' }
  /** 0: the acquire holds nothing. */
  | { readonly kind: 'grant'; readonly token: Token }
  /** null: the session is gone. */
  | { readonly kind: 'holdings'; readonly holdings: SessionHoldings | null };

/** What a query or a founding step came to. */
export interface Answer {
  readonly type: 'answer';
  readonly requestId: number;
  readonly revision: Revision;
  readonly result: QueryResult;
}

/** Speeds things up; whatever it says can be asked for too. Sent to links that attached. */
export type SessionNews =
  | {
      readonly kind: 'granted';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly slots: readonly (readonly number[])[];
    }
  /** The acquire ended without its session's doing: withdrawn or broken. */
  | {
      readonly kind: 'over';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly cause: 'withdrawn' | 'broken';
      readonly reason: string;
    }
  | {
      readonly kind: 'ended';
      readonly session: SessionId;
      readonly cause: 'closed' | 'expired' | 'ended';
      readonly reason: string;
    };

/** News of one session, as of `revision`. */
export interface NewsMessage {
  readonly type: 'news';
  readonly revision: Revision;
  readonly news: SessionNews;
}

/** The node is stopping or refuses the client; the link ends after it. */
export interface GoodbyeMessage {
  readonly type: 'goodbye';
  readonly code: ErrorCode;
  readonly message: string;
}

/** Everything that a node says to a client. */
export type NodeMessage =
  | MembersNews
  | Welcome
  | LeaderNews
  | Reply
  | KeepAliveReply
  | Answer
  | NewsMessage
  | GoodbyeMessage
  | WatchingMessage
  | WatchEventsMessage
  | WatchOverMessage;
