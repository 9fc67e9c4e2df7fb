// The ways in which one request ends while its session lives on (RAFT.md §13): cancel and release
// by its client, withdraw by the leader, break by an operator.

import { probes } from '../base/probe.ts';
import type { Token } from '../base/units.ts';
import type { Break, Cancel, Release, Withdraw } from './commands.ts';
import { endRequest, freeze } from './ending.ts';
import { grantPass } from './granting.ts';
import type { Outcome } from './outcomes.ts';
import type { Lock, Request, Session } from './state.ts';
import type { LockState, Step } from './step.ts';
import { acquireSeqProblem, breakProblem, quote } from './validation.ts';

const DONE: Outcome = { code: 'DONE' };

/**
 * Removes the waiter or returns the grant, whichever the acquire is by now. An acquire that was
 * not seen yet is recorded as cancelled whatever it contains: otherwise one that arrives late
 * would take a lock for a caller that went away (M-73).
 */
export function cancel(step: Step, session: Session, command: Cancel): Outcome {
  const { acquireSeq } = command;
  const problem = acquireSeqProblem(acquireSeq, command.seq);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const request = session.requests.get(acquireSeq);
  if (request !== undefined) {
    probes.sometimes('cancel-returns-grant', request.isGranted());
    endRequest(step, request, { cause: 'cancelled', reason: '' });
    grantPass(step);
  } else if (!session.records.has(acquireSeq)) {
    probes.reach('cancel-before-its-acquire');
    const outcome = { code: 'ENDED', cause: 'cancelled', token: 0 } as const;
    freeze(step, session, acquireSeq, { bodyHash: null, outcome });
  }
  return DONE;
}

/**
 * Frees the grant with all its names. 1. s holds "a" with token 10 and releases; the answer is
 * lost. 2. s acquires "a" again: token 14. 3. The release of 10 arrives again. It must not free
 * 14 (C1, M-62), nor another task's grant that shares the token (M-74).
 */
export function release(step: Step, session: Session, command: Release): Outcome {
  const { name, token, acquireSeq } = command;
  const matches = grantsOf(step.state.locks.find(name), token, session).filter(
    (request) => acquireSeq === null || request.seq === acquireSeq,
  );
  const [request] = matches;
  if (request === undefined) {
    probes.reach('release-of-nothing');
    return { code: 'NOT_HOLDER', message: notHolderText(step.state, command, session.id) };
  }
  if (matches.length > 1) {
    const count = `${matches.length} grants of ${quote(name)} with token ${token}`;
    return { code: 'INVALID', message: `acquireSeq must be given: the session has ${count}` };
  }
  endRequest(step, request, { cause: 'released', reason: '' });
  grantPass(step);
  return DONE;
}

/** Removes a waiter. Never a grant, which its holder may believe in already (M-72). */
export function withdraw(step: Step, command: Withdraw): Outcome {
  if (command.proposerTerm !== step.term) return DONE;
  const session = step.state.sessions.find(command.session);
  const request = session?.requests.get(command.acquireSeq);
  probes.sometimes('withdraw-meets-grant', request?.isGranted() === true);
  if (request !== undefined && !request.isGranted()) {
    endRequest(step, request, { cause: 'withdrawn', reason: '' });
    grantPass(step);
  }
  return DONE;
}

/** Frees every grant of the lock with this token, each with all its names. */
export function breakLock(step: Step, command: Break): Outcome {
  const problem = breakProblem(command, step.state.limits);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const lock = step.state.locks.find(command.name);
  const broken = grantsOf(lock, command.token, null).filter(
    (request) => command.session === null || request.session.id === command.session,
  );
  if (broken.length === 0) {
    return { code: 'NOT_HOLDER', message: notHolderText(step.state, command, command.session) };
  }
  const reason = `${command.by}: ${command.reason}`;
  for (const request of broken) endRequest(step, request, { cause: 'broken', reason });
  grantPass(step);
  return DONE;
}

/** Grants of a lock with this token, of one session or (null) of all, oldest acquire first. */
function grantsOf(lock: Lock | null, token: Token, session: Session | null): readonly Request[] {
  if (lock === null) return [];
  return lock.holders
    .map((holder) => holder.request)
    .filter((request) => request.token === token)
    .filter((request) => session === null || request.session === session);
}

function notHolderText(
  state: LockState,
  wanted: { readonly name: string; readonly token: Token },
  session: string | null,
): string {
  const holders = state.locks.find(wanted.name)?.holders ?? [];
  const tokens = holders.slice(0, 3).map((holder) => holder.request.token);
  const present = tokens.length === 0 ? 'nobody holds it' : `held with token ${tokens.join(', ')}`;
  const who = session === null ? 'nobody holds' : `session ${quote(session)} does not hold`;
  return `${who} ${quote(wanted.name)} with token ${String(wanted.token)}: ${present}`;
}
