import type { Index, SessionId, Term, Token } from '../base/units.ts';
import type { Command } from './commands.ts';
import type { Applied, LockView, SessionHoldings, SessionView } from './outcomes.ts';

/** A value that rows are made of; arrays are positional. */
export type RowValue = string | number | boolean | null | readonly RowValue[];

/** One piece of state: a session, a grant, waiter or ghost, a request's frozen record. */
export interface Row {
  /** ASCII prefix by kind, then an order-preserving key; unique. */
  readonly key: string;
  readonly value: RowValue;
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
  /** Keys of rows changed since the last call, each once; null value in `row` means deleted. */
  takeChangedKeys(): readonly string[];
  row(key: string): Row | null;
  /**
   * Throws InvariantError where the state contradicts itself (invariants.ts). Looks at everything:
   * for tests and the simulator.
   */
  checkInvariants(): void;
}
