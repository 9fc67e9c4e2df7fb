// The granting rule (RAFT.md §13). A request is grantable if and only if it heads each of its
// queues and each of its needs is compatible with the holders of that name. Hence the smallest
// waiting index is never blocked by a waiter: no deadlock among requests, no starvation.

import { OrderedSet } from '../base/ordered-set.ts';
import { probes } from '../base/probe.ts';
import type { RequestItem } from './commands.ts';
import type { Ghost } from './ghost.ts';
import { kindProblem } from './kinds.ts';
import { addHolder, dequeue, firstHolders, headOf } from './lock-table.ts';
import type { Need } from './need.ts';
import type { Rules } from './rules.ts';
import type { Claim, Lock, Request } from './state.ts';
import { tell } from './step.ts';
import type { Step } from './step.ts';

/** Why a request cannot be granted: the first of its names that is not free, and who is there. */
export interface Obstacle {
  readonly name: string;
  /** A holder that cannot share the lock with it. */
  readonly holder: Claim | null;
  /** A lock-delay that is in the way, when no holder is. */
  readonly ghost: Ghost | null;
  /** The head of the queue, when neither is. */
  readonly waiter: Claim | null;
}

/** A name that is in force as something else than was asked for. */
export interface Disagreement {
  readonly problem: string;
}

/**
 * What stands before a new request, which has the largest index and so comes after all waiters.
 * All names are looked at: what disagrees is refused, however long it would have to wait.
 */
export function findObstacle(
  step: Step,
  items: readonly RequestItem[],
): Obstacle | Disagreement | null {
  let first: Obstacle | null = null;
  for (const item of items) {
    const lock = step.state.locks.find(item.name);
    if (lock === null) continue;
    const problem = kindProblem(item, lock);
    if (problem !== null) return { problem };
    first ??= obstacleAt(item, lock);
  }
  return first;
}

/** Makes a request, waiting or new, holder of all its names; its token is this entry's index. */
export function grant(step: Step, request: Request): void {
  request.token = step.index;
  for (const claim of request.claims) addHolder(claim);
  request.session.held += request.weight();
  step.state.rows.touch(request);
  tell(step, {
    type: 'granted',
    session: request.session.id,
    acquireSeq: request.seq,
    token: request.token,
    names: request.names(),
    slots: request.slots(),
    value: request.value,
  });
}

/**
 * The one pass of an entry, after all its removals: waiters of the touched locks in ascending
 * index, each grantable one granted, its locks touched in turn. Only heads of queues are looked
 * at, for nobody else is grantable. Several of one lock may follow each other here: a granted
 * reader makes the next waiter the head, and that one comes later in index. Hence candidates are
 * tested in ascending order, and whoever was passed over stays so: those granted after it head
 * queues that it does not stand in, or they would not be the heads. They add holders and take
 * nobody out of its way.
 */
export function grantPass(step: Step): void {
  if (step.touched.every((lock) => lock.queue === null)) return;
  const candidates = new OrderedSet<Request>((left, right) => left.index - right.index);
  for (const lock of step.touched) addHead(candidates, lock);
  let granted = 0;
  let request = candidates.first();
  while (request !== null) {
    candidates.delete(request);
    if (isGrantable(step.state.rules, request)) {
      leaveQueues(step, request);
      grant(step, request);
      granted++;
      for (const claim of request.claims) addHead(candidates, claim.lock);
    }
    request = candidates.first();
  }
  probes.sometimes('several-granted-at-once', granted > 1);
}

/** Takes a waiter out of all its queues; it is a waiter no more. */
export function leaveQueues(step: Step, request: Request): void {
  step.state.rows.drop(request);
  for (const claim of request.claims) dequeue(claim);
  request.session.waiting -= request.weight();
}

/** Whether a waiter may be granted now. */
export function isGrantable(rules: Rules, request: Request): boolean {
  const isNext = request.claims.every(
    (claim) => headOf(claim.lock) === claim && isCompatible(claim.need, claim.lock),
  );
  return isNext && request.claims.every(({ lock }) => rules.allow(lock.name));
}

/** Whether a need goes together with all holders and ghosts of its lock. */
export function isCompatible(need: Need, lock: Lock): boolean {
  if (lock.crowd !== null) return lock.crowd.isOpenTo(need);
  return lock.holder === null || (need.mode === 'shared' && lock.holder.need.mode === 'shared');
}

function obstacleAt(need: Need, lock: Lock): Obstacle | null {
  const { name } = lock;
  if (!isCompatible(need, lock)) {
    const holder = firstHolders(lock, 1)[0] ?? null;
    const ghost = holder === null ? (lock.crowd?.ghosts(1)[0] ?? null) : null;
    return { name, holder, ghost, waiter: null };
  }
  const waiter = headOf(lock);
  if (waiter !== null) return { name, holder: null, ghost: null, waiter };
  return null;
}

function addHead(candidates: OrderedSet<Request>, lock: Lock): void {
  const head = headOf(lock);
  if (head !== null) candidates.add(head.request);
}
