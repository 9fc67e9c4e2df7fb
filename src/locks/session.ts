// The beginning and the ends of a session.

import { probes } from '../base/probe.ts';
import type { SessionId } from '../base/units.ts';
import type { EndSession, ExpireSession, OpenSession } from './commands.ts';
import { removeAllRequests } from './ending.ts';
import type { Ending } from './ending.ts';
import { grantPass } from './granting.ts';
import type { Outcome, SessionEndCause } from './outcomes.ts';
import { Session } from './state.ts';
import { tell } from './step.ts';
import type { Step } from './step.ts';
import { openProblem, operatorProblem, quote } from './validation.ts';

/** Opens a session, or answers again for the living one that has this nonce. */
export function openSession(step: Step, command: OpenSession): Outcome {
  const known = step.state.sessions.withNonce(command.nonce);
  probes.sometimes('open-repeated', known !== null);
  if (known !== null) return opened(known);
  const problem = openProblem(command, step.state.rules.limits);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const session = new Session(step.index, command);
  step.state.sessions.add(session);
  step.state.rows.touch(session);
  tell(step, { type: 'sessionOpened', session: session.id, ttlMs: session.ttlMs });
  return opened(session);
}

/** An operator ends somebody's session. Every event of it carries who and why: hence the bound. */
export function endSessionByOperator(step: Step, command: EndSession): Outcome {
  const problem = operatorProblem(command, step.state.rules.limits);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const session = step.state.sessions.find(command.session);
  if (session === null) return sessionGone(command.session);
  endSession(step, session, { cause: 'ended', reason: `${command.by}: ${command.reason}` });
  return { code: 'DONE' };
}

/**
 * The leader's lease for it ran out. An expiry of another term was decided by a leader whose
 * clock counts no more (A2). A session without TTL that has executed a command stays: an acquire
 * in flight could else be granted for ever and then be killed by an older expiry (M-83).
 */
export function expireSession(step: Step, command: ExpireSession): Outcome {
  const session = step.state.sessions.find(command.session);
  if (session !== null && command.proposerTerm === step.term && session.leaseMs() !== null) {
    endSession(step, session, { cause: 'expired', reason: '' });
  }
  return { code: 'DONE' };
}

/**
 * The order matters (RAFT.md §13): the session is gone first, then all its waiters from all
 * queues, then its grants, then one pass. A dead waiter must not be granted what its own session
 * gives up in the same entry (M-58).
 */
export function endSession(step: Step, session: Session, ending: Ending<SessionEndCause>): void {
  const { sessions, rows } = step.state;
  probes.sometimes('session-ends-held-and-waiting', session.held > 0 && session.waiting > 0);
  sessions.remove(session);
  rows.drop(session);
  tell(step, { type: 'sessionEnded', session: session.id, ...ending });
  removeAllRequests(step, session, ending);
  grantPass(step);
  for (const record of session.records.values()) rows.drop(record);
  session.records.clear();
}

/** The answer to whoever names a session that does not live. Never opens one. */
export function sessionGone(id: SessionId): Outcome {
  const message = `session ${quote(id)} has ended, or never existed`;
  return { code: 'SESSION_GONE', message };
}

function opened(session: Session): Outcome {
  const { id, ttlMs, lockDelayMs } = session;
  return { code: 'OPENED', session: id, ttlMs, lockDelayMs };
}
