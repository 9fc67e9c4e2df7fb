import type { HoldfastError } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { ClientFrame } from '../wire/client-frame.ts';
import type { QueryResult } from '../wire/client-messages.ts';

/** The answer of a query that was not refused. */
export type QueryAnswer = Exclude<QueryResult, { readonly kind: 'refused' }>;

/** What the cluster decided, as opposed to what a node refused. */
export type Decision =
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly revision: Revision }
  | { readonly kind: 'answer'; readonly answer: QueryAnswer; readonly revision: Revision };

/** One thing asked of the leader, sent again until it is decided, dropped, or has failed. */
export interface Exchange {
  /** Adds the message of the next transmission; false while it may not go (the window is full). */
  transmit(frame: ClientFrame, requestId: number): boolean;
  /** Called once, with what the cluster decided. */
  decide(decision: Decision): void;
  /** Called once instead, when nothing more will be sent: client closed, cluster changed. */
  fail(error: HoldfastError): void;
}

/** What the submitter keeps of an exchange. */
export interface Ticket {
  /** True once it was sent and not certainly refused: it may have been applied. */
  isInDoubt(): boolean;
  /** True if it was in doubt already when it was last sent: the answer may be to a repetition. */
  mayBeRepeated(): boolean;
  /** Nobody wants the answer any more. Neither decide nor fail is called afterwards. */
  drop(): void;
}
