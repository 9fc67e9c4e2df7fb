import type { Index, SessionId, Term, Token } from '../../src/base/units.ts';
import type { OpenSession, RequestItem } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';

/** A session that lives. */
export interface ModelSession {
  readonly id: SessionId;
  readonly open: OpenSession;
  isUsed: boolean;
  ackedBelow: number;
  /** Answers that are kept, by seq; a null hash stands for any content. */
  readonly answers: Map<number, { readonly hash: number | null; readonly answer: string }>;
  /** Live acquires by seq, in the order in which they came. */
  readonly requests: Map<number, ModelRequest>;
}

/** A live acquire. */
export interface ModelRequest {
  readonly session: ModelSession;
  readonly seq: number;
  readonly hash: number;
  readonly index: Index;
  readonly names: readonly string[];
  /** One for each name, in their order. */
  readonly claims: readonly ModelClaim[];
  /** 0 while it waits. */
  token: Token;
  value: string | null;
}

/** What a request wants, or has, of one lock. */
export interface ModelClaim extends RequestItem {
  readonly request: ModelRequest;
  /** Of a semaphore that it holds; else empty. */
  slots: readonly number[];
}

/** The claim of a grant whose session expired, in force until its lock-delay is over. */
export interface ModelGhost extends ModelClaim {
  readonly closedAt: Index;
}

/** Whatever is known of a lock that somebody has, waits for, or closed. */
export interface ModelLock {
  /** In the order in which they were granted. */
  readonly holders: ModelClaim[];
  readonly ghosts: ModelGhost[];
  /** In the order in which they came. */
  readonly queue: ModelClaim[];
}

/** One entry on its way through the model. */
export interface ModelStep {
  readonly index: Index;
  readonly term: Term;
  /** What follows, in any order. */
  readonly facts: LockEvent[];
  /** The answer in one line, without the texts that are for people. */
  answer: string;
  /** False when it was answered from memory, or refused, and must change nothing. */
  isExecuted: boolean;
}
