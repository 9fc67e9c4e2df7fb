// What must hold after every applied entry, each under an English sentence (RAFT.md §1). Looks at
// the whole state: for tests and the simulator, not for a node at work.

import { assert } from '../base/assert.ts';
import { compareUtf8 } from '../base/name.ts';
import { checkTenants } from './invariants-of-tenants.ts';
import { isGrantable } from './granting.ts';
import { firstHolders } from './lock-table.ts';
import { piecesOf } from './pieces.ts';
import { hashOfRows, rowsOf } from './rows.ts';
import type { Claim, Lock, Request, Session } from './state.ts';
import type { LockState } from './step.ts';

/** Throws InvariantError, with the invariant as a sentence, if the state contradicts itself. */
export function checkInvariants(state: LockState): void {
  checkLocks(state);
  for (const session of state.sessions.all()) checkSession(state, session);
  checkHash(state);
}

function checkLocks(state: LockState): void {
  let count = 0;
  let last = '';
  for (const name of state.locks.names()) {
    assert(compareUtf8(last, name) < 0, `names are listed in byte order, each once: ${name}`);
    const lock = state.locks.find(name);
    assert(lock !== null && lock.name === name, `a listed name is a lock: ${name}`);
    checkLock(state, lock);
    last = name;
    count++;
  }
  assert(count === state.locks.size, 'every lock is listed');
}

function checkLock(state: LockState, lock: Lock): void {
  const holders = firstHolders(lock, Infinity);
  const waiters = lock.queue === null ? [] : [...lock.queue.values()];
  const isUsed = lock.holder !== null || lock.crowd !== null || lock.queue !== null;
  assert(isUsed, `a free lock leaves no trace: ${lock.name}`);
  assert(lock.queue === null || waiters.length > 0, `an empty queue is none: ${lock.name}`);
  checkTenants(state, lock);
  for (const holder of holders) checkClaim(state, lock, { claim: holder, isHolder: true });
  for (const waiter of waiters) checkClaim(state, lock, { claim: waiter, isHolder: false });
  checkOrder(lock, [...holders, ...waiters]);
}

/** Holders come sorted by token: whoever asked earlier was granted in the same entry or earlier. */
function checkOrder(lock: Lock, claims: readonly Claim[]): void {
  let last = 0;
  for (const { request } of claims) {
    assert(request.index > last, `INV-19: a lock goes in the order of the log: ${lock.name}`);
    last = request.index;
  }
}

function checkClaim(
  state: LockState,
  lock: Lock,
  { claim, isHolder }: { readonly claim: Claim; readonly isHolder: boolean },
): void {
  const { request } = claim;
  const { session } = request;
  const isAlive = state.sessions.find(session.id) === session;
  assert(isAlive, `INV-15, INV-18: holders and waiters have a living session: ${lock.name}`);
  const isKnown = session.requests.get(request.seq) === request && request.claims.includes(claim);
  assert(isKnown, `a holder or waiter is a live request of its session: ${lock.name}`);
  assert(request.isGranted() === isHolder, `a grant is in no queue: ${lock.name}`);
  const isPlaced = claim.lock === lock && state.locks.find(lock.name) === lock;
  assert(isPlaced, `a claim is of its lock: ${lock.name}`);
}

function checkSession(state: LockState, session: Session): void {
  let held = 0;
  let waiting = 0;
  for (const request of session.requests.values()) {
    checkRequest(state, request);
    if (request.isGranted()) held += request.weight();
    else waiting += request.weight();
  }
  assert(held === session.held, `a session counts what it holds: ${session.id}`);
  assert(waiting === session.waiting, `a session counts what it waits for: ${session.id}`);
  const isBounded = held + waiting <= state.rules.highest.holdingsPerSessionMax;
  assert(isBounded, `a session holds and waits within its limit: ${session.id}`);
  for (const { seq } of session.records.values()) {
    const isNeeded = seq >= session.ackedBelow && !session.requests.has(seq);
    assert(isNeeded, `INV-14: records are of ended, unacknowledged requests: ${session.id}`);
  }
}

function checkRequest({ rules }: LockState, request: Request): void {
  assert(request.claims.length > 0, `a request has a name: ${request.rowKey()}`);
  for (const claim of request.claims) {
    const { holder, crowd, queue } = claim.lock;
    const isHolder = holder === claim || crowd?.holders.has(claim) === true;
    const isWaiter = queue?.has(claim) === true;
    assert(isHolder === request.isGranted(), `a grant holds all names: ${request.rowKey()}`);
    assert(isWaiter === !request.isGranted(), `a waiter is in all queues: ${request.rowKey()}`);
  }
  const isIdle = !request.isGranted() && isGrantable(rules, request);
  assert(!isIdle, `LIV-6: nobody waits for what can be granted: ${request.rowKey()}`);
}

function checkHash(state: LockState): void {
  const hash = hashOfRows(rowsOf(piecesOf(state)));
  assert(hash === state.rows.stateHash(), 'INV-5: the hash is the sum of all rows');
}
