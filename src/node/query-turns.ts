import type { LockView } from '../locks/outcomes.ts';
import type { QueryResult } from '../wire/client-messages.ts';

/** Rows that one turn of the loop looks at; a page has at most as many. */
const ROWS_PER_TURN = 1_000;
/** What a page of holdings weighs. */
const HOLDINGS_ROWS = 200;

/**
 * Answers queries a bounded amount at a time. A page of locks costs a millisecond or two, and
 * thousands of them may be confirmed by one round: answered at once they would stop the loop until
 * the others elect a new leader. In between come the heartbeats. Answering later is as right as
 * answering at once: the state only grows newer. Bounded by the doors' limits.
 */
export class QueryTurns {
  private readonly soon: (callback: () => void) => void;
  private waiting: (() => QueryResult)[] = [];
  private rowsLeft = ROWS_PER_TURN;
  private isScheduled = false;

  constructor(soon: (callback: () => void) => void) {
    this.soon = soon;
  }

  /** Runs `answer`, which hands its answer on and returns it to be weighed: now, or in its turn. */
  add(answer: () => QueryResult): void {
    if (this.waiting.length > 0 || this.rowsLeft <= 0) this.waiting.push(answer);
    else this.rowsLeft -= rowsOf(answer());
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.soon(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    this.rowsLeft = ROWS_PER_TURN;
    let answered = 0;
    for (const answer of this.waiting) {
      if (this.rowsLeft <= 0) break;
      this.rowsLeft -= rowsOf(answer());
      answered += 1;
    }
    this.waiting = this.waiting.slice(answered);
    if (this.waiting.length > 0) this.schedule();
  }
}

function rowsOf(result: QueryResult): number {
  switch (result.kind) {
    case 'locks':
      return result.locks.reduce((sum, lock) => sum + rowsOfLock(lock), 1);
    case 'lock':
      return 1 + rowsOfLock(result.lock);
    case 'sessions':
      return 1 + result.sessions.length;
    case 'holdings':
      // All that the session has is sorted for it, up to 10,000, whatever the page shows of it.
      return HOLDINGS_ROWS;
    default:
      return 1;
  }
}

function rowsOfLock({ holders, ghosts, waiters }: LockView): number {
  return 1 + holders.length + ghosts.length + waiters.length;
}
