// The locks that are held, waited for, or closed by a ghost. A free lock leaves no trace here.

import { NameMap } from '../base/name-map.ts';
import { OrderedNames } from '../base/ordered-names.ts';
import { Crowd } from './crowd.ts';
import type { Ghost } from './ghost.ts';
import type { Need } from './need.ts';
import { Queue } from './queue.ts';
import type { Claim, Lock } from './state.ts';

const NOBODY: readonly Claim[] = [];

/** Locks by name; bounded by what sessions hold and wait for, or held when they expired. */
export class LockTable {
  private readonly byName = new NameMap<Lock>();
  private readonly order = new OrderedNames<Lock>();

  get size(): number {
    return this.byName.size;
  }

  find(name: string): Lock | null {
    return this.byName.get(name) ?? null;
  }

  /** The lock of this name, which begins to exist if need be: a claim must follow. */
  obtain(name: string): Lock {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const lock = newLock(name);
    this.byName.add(lock);
    this.order.add(lock);
    return lock;
  }

  /** Forgets the lock if nobody holds it, nobody waits, and no ghost closes it. */
  discardIfFree(lock: Lock): void {
    if (!isFree(lock)) return;
    if (this.byName.delete(lock)) this.order.delete(lock);
  }

  /** Names with `prefix` that come after `after` in byte order, at most `limit`. */
  page(prefix: string, after: string, limit: number): readonly string[] {
    return this.order.page(prefix, after, limit);
  }

  /** All names in byte order. */
  names(): IterableIterator<string> {
    return this.order.values();
  }
}

function newLock(name: string): Lock {
  return { name, holder: null, crowd: null, queue: null, next: null, unplacedAt: 0 };
}

/** Nobody holds it, nobody waits for it, and no ghost closes it. */
export function isFree(lock: Lock): boolean {
  return lock.holder === null && lock.crowd === null && lock.queue === null;
}

/** Puts a claim into the queue of its lock; false if one of the same entry is there. */
export function enqueue(claim: Claim): boolean {
  claim.lock.queue ??= new Queue<Claim>();
  return claim.lock.queue.add(claim);
}

/** Takes a claim out of the queue of its lock, wherever it stands. */
export function dequeue(claim: Claim): void {
  const { lock } = claim;
  lock.queue?.delete(claim);
  if (lock.queue?.size === 0) lock.queue = null;
}

/** Makes a claim a holder of its lock. Its request has its token already. */
export function addHolder(claim: Claim): void {
  const { lock, need } = claim;
  const isAlone = lock.holder === null && lock.crowd === null;
  if (isAlone && need.permits === null) lock.holder = claim;
  else crowdOf(lock, need).addHolder(claim);
}

/**
 * Makes a claim the holder that it was when its row was written, of these slots if the lock is a
 * semaphore. The caller knows that it is compatible with all that are there; false if not all of
 * the slots are free, or it should have others.
 */
export function admitHolder(claim: Claim, slots: readonly number[]): boolean {
  const { lock, need } = claim;
  if (need.permits !== null) return crowdOf(lock, need).admitHolder(claim, slots);
  addHolder(claim);
  return slots.length === 0;
}

/** Likewise for a ghost, which tells its slots. */
export function admitGhost(ghost: Ghost): boolean {
  return crowdOf(ghost.lock, ghost.need).admitGhost(ghost);
}

/** The claim is a holder no more. */
export function removeHolder(claim: Claim): void {
  const { lock } = claim;
  if (lock.holder === claim) lock.holder = null;
  else lock.crowd?.removeHolder(claim);
  dissolveIfEmpty(lock);
}

/** The claim is a holder no more, and its ghost keeps the lock closed in its place. */
export function leaveGhost(claim: Claim, ghost: Ghost): void {
  crowdOf(claim.lock, claim.need).replace(claim, ghost);
}

/** The ghost keeps the lock closed no more. */
export function removeGhost(ghost: Ghost): void {
  ghost.lock.crowd?.removeGhost(ghost);
  dissolveIfEmpty(ghost.lock);
}

/** The claim that heads the queue: the only one that may be granted next. */
export function headOf(lock: Lock): Claim | null {
  return lock.queue?.first() ?? null;
}

/** The first holders, by token and then by index of the acquire; looks at no others. */
export function firstHolders(lock: Lock, limit: number): readonly Claim[] {
  if (lock.crowd !== null) return lock.crowd.holders.head(limit);
  return lock.holder === null ? NOBODY : [lock.holder].slice(0, limit);
}

/** How many hold the lock, ghosts aside. */
export function holderCountOf(lock: Lock): number {
  return lock.crowd?.holders.size ?? (lock.holder === null ? 0 : 1);
}

/** A lone holder goes into the crowd that begins with it. */
function crowdOf(lock: Lock, need: Need): Crowd {
  if (lock.crowd !== null) return lock.crowd;
  const crowd = new Crowd(need);
  if (lock.holder !== null) crowd.addHolder(lock.holder);
  lock.holder = null;
  lock.crowd = crowd;
  return crowd;
}

function dissolveIfEmpty(lock: Lock): void {
  if (lock.crowd?.isEmpty() === true) lock.crowd = null;
}
