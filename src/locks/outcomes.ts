// What applying a command answers and tells. Plain data, equal on every node.

import type { Index, SessionId, Token } from '../base/units.ts';

/** Who keeps a lock from others, a grant or what it left behind, as others may see it. */
export interface TenantView {
  readonly token: Token;
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly mode: 'exclusive' | 'shared';
  /** [taken, total] of a semaphore; null for a lock. */
  readonly permits: readonly [number, number] | null;
  /** Of a semaphore: the numbers of the slots that it has, ascending from 0; else empty. */
  readonly slots: readonly number[];
  readonly sessionName: string;
}

/** A holder: in "busy" answers and in inspection. */
export interface HolderView extends TenantView {
  /** Metadata of the session and of the grant, as JSON text. */
  readonly sessionMeta: string;
  readonly meta: string;
  readonly value: string | null;
  /** Wall time of the leader that appended the acquire, for display. */
  readonly sinceMs: number;
}

/** A waiter as others may see it. */
export interface WaiterView {
  /** The session that it belongs to. */
  readonly session: SessionId;
  /** Number of the acquire within its session: with it, the name of the grant. */
  readonly acquireSeq: number;
  /** `exclusive`: alone, a semaphore too. `shared`: with other shared ones. */
  readonly mode: 'exclusive' | 'shared';
  /** [taken, total] of a semaphore; null for a lock. */
  readonly permits: readonly [number, number] | null;
  /** Position of the request in the log: the queue is in this order. */
  readonly index: Index;
  /** The name that the client gave itself. */
  readonly sessionName: string;
  /** Wall time of the leader that appended the request, for display. */
  readonly sinceMs: number;
}

/**
 * What a grant leaves behind when its session expires with a lock-delay: it keeps the lock closed
 * to others until the delay is over, as if it were held (RAFT.md §13).
 */
export interface GhostView extends TenantView {
  readonly lockDelayMs: number;
  /** Index of the entry that expired the session. */
  readonly closedAt: Index;
}

/** A lock with the first of its holders and ghosts, and of its waiters in their order. */
export interface LockView {
  readonly name: string;
  readonly holders: readonly HolderView[];
  readonly ghosts: readonly GhostView[];
  readonly waiters: readonly WaiterView[];
  /** All that hold, shown or not. */
  readonly holderCount: number;
  /** All that wait, shown or not. */
  readonly waiterCount: number;
}

/** A session as others may see it. */
export interface SessionView {
  /** Its id. */
  readonly session: SessionId;
  /** How long it may be silent, in milliseconds; null: for ever. */
  readonly ttlMs: number | null;
  /**
   * How long the leader lets it be silent; null: for ever. Equals ttlMs, except that a session
   * without TTL has PROVISIONAL_TTL_MS until its first command.
   */
  readonly leaseMs: number | null;
  /** How long its locks stay closed to others if it expires, in milliseconds; 0: not at all. */
  readonly lockDelayMs: number;
  /** The name that the client gave itself. */
  readonly name: string;
  /** Its metadata, as JSON text. */
  readonly meta: string;
  /** Wall time of the leader that opened it, for display. */
  readonly openedMs: number;
  /** Names × grants and names × waiters; a name of a semaphore counts its permits. */
  readonly held: number;
  /** Counted alike: what it waits for. */
  readonly waiting: number;
}

/** A live grant or waiter of a session, for whoever resumes the session. */
export interface HoldingView {
  readonly acquireSeq: number;
  /** 0: it waits. */
  readonly token: Token;
  readonly names: readonly string[];
  readonly mode: 'exclusive' | 'shared';
  /** As in GRANTED. */
  readonly slots: readonly (readonly number[])[];
  readonly value: string | null;
}

/** What a session has, in the order of its requests. */
export interface SessionHoldings {
  readonly holdings: readonly HoldingView[];
  readonly hasMore: boolean;
  /** Above every request number that its client can have used, unnumbered ones aside. */
  readonly nextSeq: number;
}

/** How a live acquire came to its end; the frozen answer for late duplicates. */
export type EndCause = 'released' | 'cancelled' | 'withdrawn' | 'broken';

/** What applying a command answers. */
export type Outcome =
  | {
      readonly code: 'OPENED';
      readonly session: SessionId;
      readonly ttlMs: number | null;
      readonly lockDelayMs: number;
    }
  | {
      readonly code: 'GRANTED';
      readonly token: Token;
      /** Slot numbers for each name in the order of the request; empty without a semaphore. */
      readonly slots: readonly (readonly number[])[];
    }
  /** `ahead`: how many requests stand before it in the longest of its queues. */
  | { readonly code: 'QUEUED'; readonly ahead: number }
  /** Release, cancel, close, end, break, expire, withdraw did what they were for. */
  | { readonly code: 'DONE' }
  /** `name` is the first one that was not free; `aheadIndex` names the waiter in front, else 0. */
  | {
      readonly code: 'LOCK_BUSY';
      readonly name: string;
      readonly holder: HolderView | null;
      /** A lock-delay that is in the way, when no holder is. */
      readonly ghost: GhostView | null;
      readonly aheadIndex: Index;
    }
  /** This acquire is over; token is 0 when it was never granted. */
  | { readonly code: 'ENDED'; readonly cause: EndCause; readonly token: Token }
  /** EMBARGO: nothing was done, for nothing is granted yet after a restore. */
  | {
      readonly code: 'NOT_HOLDER' | 'SESSION_GONE' | 'WINDOW' | 'INVALID' | 'STALE_SEQ' | 'EMBARGO';
      readonly message: string;
    };

/** closed: by itself. expired: its lease ran out. ended: by an operator. */
export type SessionEndCause = 'closed' | 'expired' | 'ended';

/** Facts that follow from one applied entry, in the order in which they happened. */
export type LockEvent =
  | { readonly type: 'sessionOpened'; readonly session: SessionId; readonly ttlMs: number | null }
  /** A session without TTL executed its first command: from now on it is kept for ever. */
  | { readonly type: 'leaseChanged'; readonly session: SessionId; readonly leaseMs: null }
  | {
      readonly type: 'sessionEnded';
      readonly session: SessionId;
      readonly cause: SessionEndCause;
      readonly reason: string;
    }
  | {
      readonly type: 'granted';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly names: readonly string[];
      readonly slots: readonly (readonly number[])[];
      readonly value: string | null;
    }
  /** The value of a grant was replaced. */
  | {
      readonly type: 'proclaimed';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly names: readonly string[];
      readonly value: string;
    }
  | {
      readonly type: 'queued';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly waitMs: number | null;
      readonly names: readonly string[];
    }
  /** A waiter is gone without a grant. */
  | {
      readonly type: 'left';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly cause: EndCause | SessionEndCause;
      readonly names: readonly string[];
    }
  /** A grant is over. */
  | {
      readonly type: 'freed';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly cause: EndCause | SessionEndCause;
      readonly names: readonly string[];
      /** For a break: who and why. */
      readonly reason: string;
    }
  /** A freed name stays closed for a lock-delay; follows the `freed` of its grant. */
  | {
      readonly type: 'delayed';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly name: string;
      readonly closedAt: Index;
      readonly delayMs: number;
    }
  /** That delay is over. */
  | {
      readonly type: 'lifted';
      readonly session: SessionId;
      readonly acquireSeq: number;
      readonly token: Token;
      readonly name: string;
      readonly closedAt: Index;
      readonly cause: 'over' | 'broken';
      readonly reason: string;
    };

/** All that follows from one entry. */
export interface Applied {
  readonly outcome: Outcome;
  readonly events: readonly LockEvent[];
}
