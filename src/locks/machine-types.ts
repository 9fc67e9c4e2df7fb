import type { Index, SessionId, Term, Token } from '../base/units.ts';
import type { Command, ReplicatedLimits } from './commands.ts';
import type { Applied, LockEvent, LockView, SessionHoldings, SessionView } from './outcomes.ts';

/** A value that rows are made of; arrays are positional. */
export type RowValue = string | number | boolean | null | readonly RowValue[];

/** One piece of state: a session, a grant, waiter or ghost, a request's frozen record. */
export interface Row {
  /** ASCII prefix by kind, then an order-preserving key; unique. */
  readonly key: string;
  readonly value: RowValue;
}

/** A row as it is now; a null value: it is gone. */
export interface ChangedRow {
  readonly key: string;
  readonly value: RowValue | null;
}

/** Old clients may still believe: nothing is granted for so long, by the leader's clock. */
export interface Embargo {
  readonly embargoMs: number;
  /** Waiters of names up to here were tested already while it is being lifted; null: it holds. */
  readonly cursor: string | null;
}

/** An event that tells of what begins to live. */
export type LivingFact = Extract<
  LockEvent,
  { readonly type: 'sessionOpened' | 'queued' | 'delayed' }
>;

/**
 * Builds a machine from the rows of a checkpoint. Works in steps, so that the caller may let other
 * work pass between two calls, each of which takes a time proportional to its argument.
 */
export interface MachineLoader {
  /**
   * Rows in key order (compared as UTF-8 bytes), each once. Throws RowError for one that makes no
   * sense.
   */
  add(rows: readonly Row[]): void;
  /** How many rows came. */
  readonly count: number;
  /**
   * Does at most about `stepMax` pieces of the work that is left; true when the machine is whole.
   * Throws RowError when the rows do not belong together.
   */
  finish(stepMax: number): boolean;
  /** The machine, once `finish` returned true. Its rows count as unchanged. */
  machine(): LockMachine;
}

/**
 * The replicated state of all sessions and locks. `apply` is total and a pure function of state
 * and entry: no clock, no randomness, no exceptions for any input (DET-2).
 */
export interface LockMachine {
  apply(index: Index, term: Term, command: Command): Applied;
  session(id: SessionId): SessionView | null;
  /** null: held without limit; undefined: there is no such session. Makes no view of it. */
  ttlMsOf(id: SessionId): number | null | undefined;
  sessionCount(): number;
  /** Sessions with id index > `after`, oldest first, at most `limit`. */
  sessions(after: Index, limit: number): readonly SessionView[];
  /**
   * A free lock is a view without holders and waiters. Of holders, ghosts and waiters the
   * first `shownMax` each are shown, all unless given.
   */
  inspect(name: string, shownMax?: number): LockView;
  /**
   * Locks that are held, waited for, or closed by a ghost: name > `after`, in byte order, at most
   * `limit`.
   */
  list(prefix: string, after: string, limit: number, shownMax?: number): readonly LockView[];
  /** Token of what that acquire holds; 0 when it waits, is over, or never was. */
  tokenOf(session: SessionId, acquireSeq: number): Token;
  /** Live requests of a session with a number above `after`; null for a session that is gone. */
  holdings(session: SessionId, after: number, limit: number): SessionHoldings | null;
  /** How many `list` would show. */
  lockCount(): number;
  /** Order-free sum of the hashes of all rows, 16 hex digits: equal state, equal hash. */
  stateHash(): string;
  /** Rows that `takeChanges` would give: a checkpoint would write so many. */
  changedCount(): number;
  /**
   * A frozen copy of the rows that appeared, changed or vanished and were not taken since, each
   * once; null: the row is gone. At most `limit`, all unless given. Costs as much as it gives.
   */
  takeChanges(limit?: number): readonly ChangedRow[];
  /** All rows, in no order that matters; the state must not change meanwhile. */
  rows(): Iterable<Row>;
  /** The limits in force. */
  limits(): ReplicatedLimits;
  /** The highest maximum TTL that was ever in force: an embargo's measure. */
  highestTtlMs(): number;
  /** While nothing is granted after a restore (RAFT.md §13, embargo); else null. */
  embargo(): Embargo | null;
  /**
   * What whoever keeps deadlines must know of the sessions, waiters and ghosts that live, told as
   * the events that began them: for one who comes to a machine that was loaded. May be taken in
   * parts while entries are applied: what begins meanwhile may be told or not. Null tells of
   * nothing: with it a step takes a bounded time, however little there is among very much.
   */
  living(): Iterable<LivingFact | null>;
  /**
   * Turns a backup's state into that of a new cluster (RAFT.md §15.7): sessions with a TTL are
   * dropped with all they have, grants with a lock-delay become ghosts closed at `at`, grants of
   * sessions without TTL stay, and nothing is granted until the embargo is lifted. Without one
   * (0 ms) waiters that nobody stands before any more are granted, with `at` for a token.
   */
  becomeRestored(at: Index, embargoMs: number): void;
  /**
   * Throws InvariantError where the state contradicts itself (invariants.ts). Looks at everything:
   * for tests and the simulator.
   */
  checkInvariants(): void;
}
