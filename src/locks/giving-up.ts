// The ways in which one request ends while its session lives on (RAFT.md §13): cancel and release
// by its client, withdraw by the leader, break by an operator.

import { probes } from '../base/probe.ts';
import type { Break, Cancel, Release, Withdraw } from './commands.ts';
import { endRequest, freeze } from './ending.ts';
import { grantPass } from './granting.ts';
import { breakDelay, formerGrantsOf } from './lock-delay.ts';
import { findGrant, grantsOf, notHolder } from './naming.ts';
import type { Outcome } from './outcomes.ts';
import { Request } from './state.ts';
import type { Session } from './state.ts';
import type { Step } from './step.ts';
import { acquireSeqProblem, operatorProblem } from './validation.ts';

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
  const grant = findGrant(step.state, session, command);
  if (!(grant instanceof Request)) {
    probes.sometimes('release-of-nothing', grant.code === 'NOT_HOLDER');
    return grant;
  }
  endRequest(step, grant, { cause: 'released', reason: '' });
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

/**
 * Frees every grant of the lock with this token, each with all its names, and ends the lock-delay
 * of every former one, likewise.
 */
export function breakLock(step: Step, command: Break): Outcome {
  const { name, token, session } = command;
  const problem = operatorProblem(command, step.state.rules.limits);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const lock = step.state.locks.find(name);
  const broken = grantsOf(lock, token, session);
  const former = formerGrantsOf(lock, token, session);
  if (broken.length + former.length === 0) return notHolder(step.state, command, session);
  const reason = `${command.by}: ${command.reason}`;
  for (const request of broken) endRequest(step, request, { cause: 'broken', reason });
  for (const grant of former) breakDelay(step, grant, reason);
  grantPass(step);
  return DONE;
}
