// Exactly once (RAFT.md §12): whatever the network repeats, a numbered request of a session takes
// effect at most once, and every retry learns of that one effect. Decided here, at apply, on every
// node; a check before the log would only be an optimisation.

import { unreachable } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import { acquire, aheadOf, granted } from './acquire.ts';
import type { Acquire, Cancel, CloseSession, Proclaim, Release } from './commands.ts';
import { freeze } from './ending.ts';
import { cancel, release } from './giving-up.ts';
import type { Outcome } from './outcomes.ts';
import { proclaim } from './proclaim.ts';
import type { RowLedger } from './rows.ts';
import type { Rules } from './rules.ts';
import { endSession, sessionGone } from './session.ts';
import type { FrozenRecord, Request, Session } from './state.ts';
import { tell } from './step.ts';
import type { Step } from './step.ts';
import { requestProblem } from './validation.ts';

/** A command that its session numbers. */
export type NumberedCommand = Acquire | Cancel | Release | Proclaim | CloseSession;

/**
 * Answers a numbered command, and executes it only if it was never seen. The order of the tests:
 * live reference, STALE_SEQ, stored record, WINDOW, execute. A live acquire may lie below
 * ackedBelow, for QUEUED and GRANTED may be acknowledged.
 */
export function answerOnce(step: Step, command: NumberedCommand): Outcome {
  const session = step.state.sessions.find(command.session);
  probes.sometimes('release-meets-ended-session', session === null && command.op === 'release');
  if (session === null) return sessionGone(command.session);
  noteUse(step, session);
  const problem = requestProblem(command);
  if (problem !== null) return { code: 'INVALID', message: problem };
  noteAcknowledged(step, session, command.ackedBelow);
  const known = knownAnswer(session, command);
  if (known !== null) return known;
  if (isWindowFull(session, command, step.state.rules)) return windowFull(session);
  const outcome = execute(step, session, command);
  const isOver = !session.requests.has(command.seq) && command.op !== 'closeSession';
  if (isOver) freeze(step, session, command.seq, { bodyHash: command.bodyHash, outcome });
  return outcome;
}

function execute(step: Step, session: Session, command: NumberedCommand): Outcome {
  switch (command.op) {
    case 'acquire':
      return acquire(step, session, command);
    case 'release':
      return release(step, session, command);
    case 'cancel':
      return cancel(step, session, command);
    case 'proclaim':
      return proclaim(step, session, command);
    case 'closeSession':
      endSession(step, session, { cause: 'closed', reason: '' });
      return { code: 'DONE' };
    default:
      return unreachable(command);
  }
}

function knownAnswer(session: Session, command: NumberedCommand): Outcome | null {
  const { seq, bodyHash } = command;
  const live = session.requests.get(seq);
  if (live !== undefined) {
    return live.bodyHash === bodyHash ? presentState(live) : otherContent(seq);
  }
  if (seq < session.ackedBelow) {
    probes.reach('duplicate-below-acknowledged');
    const text = `request ${seq} lies below ${session.ackedBelow}, which was acknowledged`;
    return { code: 'STALE_SEQ', message: `${text}; it is not executed again` };
  }
  const record = session.records.get(seq);
  if (record === undefined) return null;
  probes.reach('duplicate-answered-from-record');
  probes.sometimes('acquire-after-its-cancel', record.bodyHash === null);
  const isSame = record.bodyHash === null || record.bodyHash === bodyHash;
  return isSame ? record.outcome : otherContent(seq);
}

/** A long-lived request has no frozen reply while it lives: a retry learns of its present state. */
function presentState(request: Request): Outcome {
  probes.reach(request.isGranted() ? 'duplicate-of-grant' : 'duplicate-of-waiter');
  if (request.isGranted()) return granted(request);
  return { code: 'QUEUED', ahead: aheadOf(request) };
}

/** Somebody knows the id, so the open was not a late duplicate that nobody waits for. */
function noteUse(step: Step, session: Session): void {
  if (session.isUsed) return;
  session.isUsed = true;
  step.state.rows.touch(session);
  if (session.ttlMs !== null) return;
  tell(step, { type: 'leaseChanged', session: session.id, leaseMs: null });
}

/** The client's word that it knows all answers below `ackedBelow`: their records may go. */
function noteAcknowledged(step: Step, session: Session, ackedBelow: number): void {
  const before = session.ackedBelow;
  if (ackedBelow <= before) return;
  const { rows } = step.state;
  session.ackedBelow = ackedBelow;
  rows.touch(session);
  // Costs the smaller of the range and the records.
  if (ackedBelow - before > session.records.size) {
    for (const record of session.records.values()) {
      if (record.seq < ackedBelow) forget(rows, record);
    }
    return;
  }
  for (let seq = before; seq < ackedBelow; seq++) {
    const record = session.records.get(seq);
    if (record !== undefined) forget(rows, record);
  }
}

function forget(rows: RowLedger, record: FrozenRecord): void {
  rows.drop(record);
  record.session.records.delete(record.seq);
}

/**
 * Frozen answers count, live requests do not. The request at which the client's acknowledgement
 * stands must go through: until it is decided, nothing makes room. Cancel, release and close must
 * go through with a full window too, or a client could not give back what it has; they meet a
 * second bound, wide enough to give back all that a session can hold (two records each), also if
 * it came to it under other limits.
 */
function isWindowFull(
  session: Session,
  command: NumberedCommand,
  { limits, highest }: Rules,
): boolean {
  if (command.op === 'closeSession' || command.seq === session.ackedBelow) return false;
  const isExempt = command.op === 'cancel' || command.op === 'release';
  const exempt = isExempt ? 2 * highest.holdingsPerSessionMax : 0;
  return session.records.size >= limits.windowMax + exempt;
}

function windowFull(session: Session): Outcome {
  probes.reach('answers-window-full');
  const text = `the session has ${session.records.size} answers that it did not acknowledge`;
  return { code: 'WINDOW', message: `${text}; raise ackedBelow` };
}

function otherContent(seq: number): Outcome {
  const message = `request ${seq} came before with other content; each needs a number of its own`;
  return { code: 'INVALID', message };
}
