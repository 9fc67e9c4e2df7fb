// From the state of a backup to that of a new cluster (RAFT.md §15.7).

import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import { grantPass, leaveQueues } from './granting.ts';
import { leaveGhosts } from './lock-delay.ts';
import { removeHolder } from './lock-table.ts';
import type { Request, Session } from './state.ts';
import { touchLock } from './step.ts';
import type { LockState, Step } from './step.ts';

/**
 * Sessions with a TTL go with all that they have. Those without keep their grants, which an
 * operator must break one by one, their waiters and their answers: their clients may go on. An
 * embargo of 0 ms is none: then waiters are granted what the dropped sessions had.
 */
export function becomeRestored(state: LockState, at: Index, embargoMs: number): void {
  const dropped = [...state.sessions.all()].filter(({ ttlMs }) => ttlMs !== null);
  // All ghosts of a restore are closed at the same index, so those of one name are lifted together.
  const delayMs = dropped.reduce((longest, each) => Math.max(longest, each.lockDelayMs), 0);
  const step: Step = { state, index: at, term: 0, events: [], touched: [] };
  for (const session of dropped) dropSession(step, session, delayMs);
  probes.reach('restored-under-embargo');
  state.rules.setEmbargo(embargoMs === 0 ? null : { embargoMs, cursor: null }, state.rows);
  if (embargoMs === 0) grantWaiters(step);
}

// Some wait for what dropped sessions had, others for the end of an embargo of the old cluster.
function grantWaiters(step: Step): void {
  const { locks } = step.state;
  for (const name of locks.names()) {
    const lock = locks.find(name);
    if (lock !== null) touchLock(step, lock);
  }
  grantPass(step);
}

function dropSession(step: Step, session: Session, delayMs: number): void {
  const { sessions, locks, rows } = step.state;
  for (const request of session.requests.values()) {
    if (request.isGranted()) dropGrant(step, request, delayMs);
    else leaveQueues(step, request);
    for (const { lock } of request.claims) locks.discardIfFree(lock);
  }
  for (const record of session.records.values()) rows.drop(record);
  sessions.remove(session);
  rows.drop(session);
}

function dropGrant(step: Step, request: Request, delayMs: number): void {
  step.state.rows.drop(request);
  if (request.session.lockDelayMs > 0) leaveGhosts(step, request, delayMs);
  else for (const claim of request.claims) removeHolder(claim);
}
