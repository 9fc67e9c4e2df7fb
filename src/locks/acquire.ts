// Asking for locks: granted at once, queued, or refused as busy.

import { probes } from '../base/probe.ts';
import type { Acquire } from './commands.ts';
import { refusedByEmbargo } from './embargo.ts';
import { findObstacle, grant } from './granting.ts';
import type { Obstacle } from './granting.ts';
import { enqueue } from './lock-table.ts';
import { needOf } from './need.ts';
import type { Outcome } from './outcomes.ts';
import { Claim, Request } from './state.ts';
import type { Session } from './state.ts';
import { tell } from './step.ts';
import type { Step } from './step.ts';
import { acquireProblem } from './validation.ts';
import { ghostView, holderView } from './views.ts';

/**
 * Executes an acquire that was never seen before. A session's second request for a lock queues
 * like anybody's: a grant belongs to one acquire, not to its session (C6).
 */
export function acquire(step: Step, session: Session, command: Acquire): Outcome {
  const problem = acquireProblem(command, step.state.rules.limits, session.held + session.waiting);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const obstacle = findObstacle(step, command.items);
  if (obstacle !== null && 'problem' in obstacle) {
    probes.reach('kind-of-name-refused');
    return { code: 'INVALID', message: obstacle.problem };
  }
  const isAllowed = command.items.every(({ name }) => step.state.rules.allow(name));
  if (!isAllowed && command.waitMs === 0) return refusedByEmbargo(step.state.rules);
  if (obstacle !== null && command.waitMs === 0) return lockBusy(obstacle);
  const request = begin(step, session, command);
  if (obstacle !== null || !isAllowed) return wait(step, request);
  grant(step, request);
  return granted(request);
}

/** The answer to whoever asked for what is granted by now. */
export function granted(request: Request): Outcome {
  return { code: 'GRANTED', token: request.token, slots: request.slots() };
}

/** How many requests stand before a waiter in the longest of its queues. */
export function aheadOf(request: Request): number {
  let ahead = 0;
  for (const claim of request.claims) {
    ahead = Math.max(ahead, claim.lock.queue?.rank(claim) ?? 0);
  }
  return ahead;
}

function begin(step: Step, session: Session, command: Acquire): Request {
  const request = new Request(session, step.index, command);
  const { locks } = step.state;
  request.claims = command.items.map(
    (item) => new Claim(request, locks.obtain(item.name), needOf(item)),
  );
  session.requests.add(request);
  return request;
}

function wait(step: Step, request: Request): Outcome {
  probes.sometimes('several-names-wait', request.claims.length > 1);
  for (const claim of request.claims) enqueue(claim);
  request.session.waiting += request.weight();
  step.state.rows.touch(request);
  tell(step, {
    type: 'queued',
    session: request.session.id,
    acquireSeq: request.seq,
    waitMs: request.waitMs,
    names: request.names(),
  });
  return { code: 'QUEUED', ahead: aheadOf(request) };
}

function lockBusy({ name, holder, ghost, waiter }: Obstacle): Outcome {
  probes.sometimes('busy-behind-a-waiter', waiter !== null);
  probes.sometimes('busy-for-lock-delay', ghost !== null);
  return {
    code: 'LOCK_BUSY',
    name,
    holder: holder === null ? null : holderView(holder),
    ghost: ghost === null ? null : ghostView(ghost),
    aheadIndex: waiter === null ? 0 : waiter.request.index,
  };
}
