// What the log tells the lock machine to do (RAFT.md §13), decoded. One command per entry.

import type { Index, SessionId, Term, Token } from '../base/units.ts';

/** exclusive: alone. shared: together with other shared ones. */
export type LockMode = 'exclusive' | 'shared';

/**
 * One name of a request. `permits` is null for a lock, [taken, total] for a semaphore, whose mode
 * is exclusive. While anybody holds a name, waits for it, or a ghost closes it, all must agree on
 * what it is: a lock, or a semaphore with so many permits in total.
 */
export interface RequestItem {
  readonly name: string;
  readonly mode: LockMode;
  readonly permits: readonly [number, number] | null;
}

/** Parts that every command of a session has (RAFT.md §12). */
export interface SessionCommand {
  readonly session: SessionId;
  /** Number of the request within its session, from 1. */
  readonly seq: number;
  /** The client knows the answers of all requests below; their records may go. */
  readonly ackedBelow: number;
  /** 53-bit hash of the client's own bytes: the same seq with other content is an error. */
  readonly bodyHash: number;
}

/**
 * Requests numbered from here on lie outside "exactly once": no answer of theirs is kept, so their
 * sender must not send one twice. For callers that number nothing (HTTP without `seq`): the server
 * draws a number from here to 2^53 - 1, for a grant still needs one to be named by.
 */
export const UNNUMBERED_SEQ_MIN = 2 ** 52;

export interface OpenSession {
  readonly op: 'openSession';
  /** 96 random bits, base64url (16 characters): becomes part of the session's id. */
  readonly nonce: string;
  readonly ttlMs: number | null;
  readonly lockDelayMs: number;
  readonly name: string;
  /** JSON text for display: host, pid and what the user added. */
  readonly meta: string;
  /** Wall time of the leader, milliseconds; for display only. */
  readonly stampMs: number;
}

export interface Acquire extends SessionCommand {
  readonly op: 'acquire';
  /** At least one, at most 64, names distinct. */
  readonly items: readonly RequestItem[];
  /** 0: do not wait. null: without limit. Enforced by the leader. */
  readonly waitMs: number | null;
  /** JSON text for display. */
  readonly meta: string;
  /** Value of an election's grant; null for locks. */
  readonly value: string | null;
  readonly stampMs: number;
}

/** Gives up the acquire with this seq: removes the waiter, or returns the grant. */
export interface Cancel extends SessionCommand {
  readonly op: 'cancel';
  readonly acquireSeq: number;
}

/** Frees the grant (session, acquireSeq) with all its names; all three parts are checked. */
export interface Release extends SessionCommand {
  readonly op: 'release';
  readonly name: string;
  /** null: the session's only grant of that name with that token. */
  readonly acquireSeq: number | null;
  readonly token: Token;
}

/** Replaces the value of a grant, for an election. Names it as Release does. */
export interface Proclaim extends SessionCommand {
  readonly op: 'proclaim';
  readonly name: string;
  /** null: the session's only grant of that name with that token. */
  readonly acquireSeq: number | null;
  readonly token: Token;
  readonly value: string;
}

/** The session's own end: frees all that it holds or waits for. */
export interface CloseSession extends SessionCommand {
  readonly op: 'closeSession';
}

/** An operator ends somebody's session. */
export interface EndSession {
  readonly op: 'endSession';
  readonly session: SessionId;
  readonly by: string;
  readonly reason: string;
}

/** An operator frees every grant of this lock with this token (only the session's, if given). */
export interface Break {
  readonly op: 'break';
  readonly name: string;
  readonly token: Token;
  readonly session: SessionId | null;
  readonly by: string;
  readonly reason: string;
}

/** Leader only: the lease ran out. Does nothing unless entry.term === proposerTerm. */
export interface ExpireSession {
  readonly op: 'expireSession';
  readonly session: SessionId;
  readonly proposerTerm: Term;
}

/** Leader only: the wait is over, or its caller vanished. Removes a waiter, never a grant. */
export interface Withdraw {
  readonly op: 'withdraw';
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly proposerTerm: Term;
}

/** Leader only: the lock-delay is over. Removes all ghosts of (name, closedAt). */
export interface LiftDelay {
  readonly op: 'liftDelay';
  readonly name: string;
  /** Index of the entry that expired their session. */
  readonly closedAt: Index;
  readonly proposerTerm: Term;
}

/**
 * Leader only: the embargo after a restore is over. Tests up to 1,000 waiters of names above
 * `afterName` and keeps its cursor; again until nothing is left (RAFT.md §13).
 */
export interface LiftEmbargo {
  readonly op: 'liftEmbargo';
  readonly proposerTerm: Term;
  /** The cursor that this entry goes on from; null: from the beginning. */
  readonly afterName: string | null;
}

/** An operator changes the replicated limits; in force when applied, for what comes later. */
export interface SetLimits {
  readonly op: 'setLimits';
  readonly limits: ReplicatedLimits;
  readonly by: string;
}

/** One command per entry. */
export type Command =
  | LiftEmbargo
  | SetLimits
  | OpenSession
  | Acquire
  | Cancel
  | Release
  | Proclaim
  | CloseSession
  | EndSession
  | Break
  | ExpireSession
  | Withdraw
  | LiftDelay;

/** Limits tested in apply; the same on every node, from the founding record (DESIGN.md §4.14). */
export interface ReplicatedLimits {
  readonly ttlMsMin: number;
  readonly ttlMsMax: number;
  readonly lockDelayMsMax: number;
  readonly windowMax: number;
  readonly namesPerRequestMax: number;
  /** (grants or waiters) × names of one session; a name of a semaphore counts its permits. */
  readonly holdingsPerSessionMax: number;
  readonly nameBytesMax: number;
  readonly metaBytesMax: number;
  /** Total of a semaphore. */
  readonly permitsTotalMax: number;
  /** Taken by one request of one semaphore. */
  readonly permitsPerRequestMax: number;
}

/** The limits of a cluster that was founded without others. */
export const DEFAULT_LIMITS: ReplicatedLimits = {
  ttlMsMin: 1_000,
  ttlMsMax: 600_000,
  lockDelayMsMax: 60_000,
  windowMax: 4_096,
  namesPerRequestMax: 64,
  holdingsPerSessionMax: 10_000,
  nameBytesMax: 512,
  metaBytesMax: 4_096,
  permitsTotalMax: 1_000_000,
  permitsPerRequestMax: 1_024,
};
