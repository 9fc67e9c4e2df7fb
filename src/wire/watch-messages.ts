// What passes between a client and the leader about the events of locks (DESIGN.md §5).

import type { ErrorCode } from '../base/error.ts';
import type { Revision, SessionId, Token } from '../base/units.ts';

/** Which locks a watch is about: one name, or all names that begin with a prefix. */
export interface WatchTarget {
  readonly name: string | null;
  /** '' means all. Counts only while `name` is null. */
  readonly prefix: string;
}

/** Asks the leader for the events of locks; answered by `watching`, then `watchEvents`. */
export interface WatchMessage {
  readonly type: 'watch';
  /** Chosen by the client, unique on its link. */
  readonly watchId: number;
  readonly target: WatchTarget;
  /** Events of later revisions are wanted; null: from now on. */
  readonly after: Revision | null;
}

/** The watch is wanted no more. */
export interface UnwatchMessage {
  readonly type: 'unwatch';
  readonly watchId: number;
}

/** What happened to a lock, as its watchers see it. */
export type WatchEventType =
  | 'granted'
  /** Given back by its holder: released, cancelled, or its session closed. */
  | 'released'
  /** The holder's session expired. */
  | 'expired'
  /** Freed by an operator: the lock was broken, or the holder's session ended. */
  | 'broken'
  | 'queued'
  /** A waiter is gone without a grant. */
  | 'left'
  /** The value of an election's grant was replaced. */
  | 'proclaimed'
  /** Freed, but closed to others for a lock-delay. */
  | 'delayed'
  /** That delay is over. */
  | 'lifted';

/** One event of one lock. An entry may cause several, also of one lock: `expired`, `granted`. */
export interface WatchEvent {
  /** What happened. */
  readonly type: WatchEventType;
  /** The lock that it happened to. */
  readonly name: string;
  /** Whose grant or request it concerns. */
  readonly session: SessionId;
  /** Number of the acquire within that session. */
  readonly acquireSeq: number;
  /** Of the grant; 0 for a waiter. */
  readonly token: Token;
  /** Value of an election's grant, in `granted` and `proclaimed`; else null. */
  readonly value: string | null;
  /** Of `released`, `broken`, `left`, `lifted` the exact cause, as in LockEvent; else ''. */
  readonly cause: string;
  /** Of what was broken: who and why; else ''. */
  readonly reason: string;
  /** Of `delayed`: how long; else 0. */
  readonly delayMs: number;
}

/** A watch has begun. */
export interface WatchingMessage {
  readonly type: 'watching';
  readonly watchId: number;
  /** Events follow from the revision after this one on. */
  readonly revision: Revision;
  /** False: the events between what was asked for and `revision` are not known (any more). */
  readonly isComplete: boolean;
}

/**
 * The events of one entry that concern a watch, in their order. Very many come in several messages
 * of one revision: it is complete, and may be resumed from, with the one that has no more. Without
 * events: all later ones up to this revision concern other locks.
 */
export interface WatchEventsMessage {
  readonly type: 'watchEvents';
  readonly watchId: number;
  readonly revision: Revision;
  readonly events: readonly WatchEvent[];
  readonly hasMore: boolean;
}

/** This node cannot serve the watch, or not any more: try the leader. */
export interface WatchOverMessage {
  readonly type: 'watchOver';
  readonly watchId: number;
  readonly code: ErrorCode;
  readonly message: string;
}
