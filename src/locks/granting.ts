// The granting rule (RAFT.md §13). A request is grantable if and only if it heads each of its
// queues and each of its needs is compatible with the holders of that name. Hence the smallest
// waiting index is never blocked by a waiter: no deadlock among requests, no starvation.

import { OrderedSet } from '../base/ordered-set.ts';
import type { RequestItem } from './commands.ts';
import { addHolder, dequeue, headOf } from './lock-table.ts';
import type { Claim, Lock, Request } from './state.ts';
import type { Step } from './step.ts';
import { slotsOf } from './views.ts';

/** Why a request cannot be granted: the first of its names that is not free, and who is there. */
export interface Obstacle {
  readonly name: string;
  /** A holder that cannot share the lock with it; null when only waiters stand before it. */
  readonly holder: Claim | null;
  /** The head of the queue, when no holder is in the way. */
  readonly waiter: Claim | null;
}

/** Whether two claims of one lock may be held together. */
export function areCompatible(left: RequestItem, right: RequestItem): boolean {
  return left.mode === 'shared' && right.mode === 'shared';
}

/** What stands before a new request, which has the largest index and so comes after all waiters. */
export function findObstacle(step: Step, items: readonly RequestItem[]): Obstacle | null {
  for (const item of items) {
    const lock = step.state.locks.find(item.name);
    if (lock === null) continue;
    const holder = conflictingHolder(item, lock);
    if (holder !== null) return { name: item.name, holder, waiter: null };
    const waiter = headOf(lock);
    if (waiter !== null) return { name: item.name, holder: null, waiter };
  }
  return null;
}

/** Makes a request, waiting or new, holder of all its names; its token is this entry's index. */
export function grant(step: Step, request: Request): void {
  request.token = step.index;
  for (const claim of request.claims) addHolder(claim);
  request.session.held += request.claims.length;
  step.state.rows.touch(request);
  step.events.push({
    type: 'granted',
    session: request.session.id,
    acquireSeq: request.seq,
    token: request.token,
    names: request.names(),
    slots: slotsOf(request),
    value: request.value,
  });
}

/**
 * The one pass of an entry, after all its removals: waiters of the touched locks in ascending
 * index, each grantable one granted, its locks touched in turn. Only heads of queues are looked
 * at: nobody else is grantable, and a head that was passed over cannot become grantable later in
 * the pass, for whoever is granted shares no name with a waiter of smaller index.
 */
export function grantPass(step: Step): void {
  if (step.touched.every((lock) => lock.queue === null)) return;
  const candidates = new OrderedSet<Request>((left, right) => left.index - right.index);
  for (const lock of step.touched) addHead(candidates, lock);
  let request = candidates.first();
  while (request !== null) {
    candidates.delete(request);
    if (isGrantable(request)) {
      leaveQueues(step, request);
      grant(step, request);
      for (const claim of request.claims) addHead(candidates, claim.lock);
    }
    request = candidates.first();
  }
}

/** Takes a waiter out of all its queues; it is a waiter no more. */
export function leaveQueues(step: Step, request: Request): void {
  step.state.rows.drop(request);
  for (const claim of request.claims) dequeue(claim);
  request.session.waiting -= request.claims.length;
}

/** Whether a waiter may be granted now. */
export function isGrantable(request: Request): boolean {
  return request.claims.every(
    (claim) => headOf(claim.lock) === claim && conflictingHolder(claim.item, claim.lock) === null,
  );
}

function conflictingHolder(item: RequestItem, lock: Lock): Claim | null {
  for (const holder of lock.holders) {
    if (!areCompatible(item, holder.item)) return holder;
  }
  return null;
}

function addHead(candidates: OrderedSet<Request>, lock: Lock): void {
  const head = headOf(lock);
  if (head !== null) candidates.add(head.request);
}
