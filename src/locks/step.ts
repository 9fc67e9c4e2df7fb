// What one applied entry works with.

import type { Index, Term } from '../base/units.ts';
import type { LockTable } from './lock-table.ts';
import type { LockEvent } from './outcomes.ts';
import type { RowLedger } from './rows.ts';
import type { Rules } from './rules.ts';
import type { SessionTable } from './session-table.ts';
import type { Lock } from './state.ts';

/** The whole replicated state. */
export interface LockState {
  readonly rules: Rules;
  readonly sessions: SessionTable;
  readonly locks: LockTable;
  readonly rows: RowLedger;
}

/** One entry on its way through the machine. */
export interface Step {
  readonly state: LockState;
  readonly index: Index;
  readonly term: Term;
  /** Facts so far, in the order in which they happened. */
  readonly events: LockEvent[];
  /** Locks that lost a holder or a waiter by this entry: the pass looks at their queues. */
  readonly touched: Lock[];
}
