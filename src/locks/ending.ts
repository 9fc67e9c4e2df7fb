// How a live request comes to its end, and what stays of it for late duplicates.

import { UNNUMBERED_SEQ_MIN } from './commands.ts';
import { leaveQueues } from './granting.ts';
import { leaveGhosts } from './lock-delay.ts';
import { removeHolder } from './lock-table.ts';
import type { EndCause, Outcome, SessionEndCause } from './outcomes.ts';
import { FrozenRecord } from './state.ts';
import type { Request, Session } from './state.ts';
import { tell, touchLock } from './step.ts';
import type { Step } from './step.ts';

/** Why a request or a session ends; `reason` is for people and may be empty. */
export interface Ending<Cause> {
  readonly cause: Cause;
  readonly reason: string;
}

/**
 * Ends a waiter or a grant and freezes its record, so that a late duplicate of the acquire learns
 * of the end and cannot take the lock again. The caller runs the pass when all removals are done.
 */
export function endRequest(step: Step, request: Request, ending: Ending<EndCause>): void {
  removeRequest(step, request, ending);
  const { session, seq, bodyHash, token } = request;
  session.requests.delete(seq);
  freeze(step, session, seq, { bodyHash, outcome: { code: 'ENDED', cause: ending.cause, token } });
}

/** Removes all waiters of an ending session from all queues, then its grants; freezes nothing. */
export function removeAllRequests(
  step: Step,
  session: Session,
  ending: Ending<SessionEndCause>,
): void {
  const requests = [...session.requests.values()].sort((left, right) => left.index - right.index);
  for (const request of requests) {
    if (!request.isGranted()) removeRequest(step, request, ending);
  }
  for (const request of requests) {
    if (request.isGranted()) removeRequest(step, request, ending);
  }
  session.requests.clear();
}

/** Keeps the answer of a request that is over, unless nobody will ask for it again. */
export function freeze(
  step: Step,
  session: Session,
  seq: number,
  answer: { readonly bodyHash: number | null; readonly outcome: Outcome },
): void {
  if (seq < session.ackedBelow || seq >= UNNUMBERED_SEQ_MIN) return;
  const record = new FrozenRecord(session, seq, answer);
  session.records.add(record);
  step.state.rows.touch(record);
}

function removeRequest(
  step: Step,
  request: Request,
  ending: Ending<EndCause | SessionEndCause>,
): void {
  const { seq: acquireSeq, token } = request;
  const session = request.session.id;
  const { cause, reason } = ending;
  const names = request.names();
  if (request.isGranted()) {
    tell(step, { type: 'freed', session, acquireSeq, cause, names, token, reason });
    const isDelayed = ending.cause === 'expired' && request.session.lockDelayMs > 0;
    leaveLocks(step, request, isDelayed);
  } else {
    leaveQueues(step, request);
    tell(step, { type: 'left', session, acquireSeq, cause, names });
  }
  for (const { lock } of request.claims) {
    touchLock(step, lock);
    step.state.locks.discardIfFree(lock);
  }
}

/** Only an expiry leaves the names closed: its holder may not know yet that it lost them. */
function leaveLocks(step: Step, request: Request, isDelayed: boolean): void {
  step.state.rows.drop(request);
  if (isDelayed) leaveGhosts(step, request);
  else for (const claim of request.claims) removeHolder(claim);
  request.session.held -= request.weight();
}
