// The locks that are held or waited for. A free lock leaves no trace here.

import { NameMap } from '../base/name-map.ts';
import { OrderedNames } from '../base/ordered-names.ts';
import { Queue } from './queue.ts';
import type { Claim, Lock } from './state.ts';

const NOBODY: readonly Claim[] = [];

/** Locks by name; bounded by what sessions hold and wait for. */
export class LockTable {
  private readonly byName = new NameMap<Lock>();
  private readonly order = new OrderedNames();

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
    const lock: Lock = { name, holders: NOBODY, queue: null };
    this.byName.set(name, lock);
    this.order.add(name);
    return lock;
  }

  /** Forgets the lock if nobody holds it and nobody waits. */
  discardIfFree(lock: Lock): void {
    if (lock.holders.length > 0 || lock.queue !== null) return;
    this.byName.delete(lock.name);
    this.order.delete(lock.name);
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

/** Puts a claim into the queue of its lock. */
export function enqueue(claim: Claim): void {
  claim.lock.queue ??= new Queue<Claim>();
  claim.lock.queue.add(claim);
}

/** Takes a claim out of the queue of its lock, wherever it stands. */
export function dequeue(claim: Claim): void {
  const { lock } = claim;
  lock.queue?.delete(claim);
  if (lock.queue?.size === 0) lock.queue = null;
}

/** Makes a claim a holder of its lock. Its request has its token already. */
export function addHolder(claim: Claim): void {
  const { lock } = claim;
  // A literal takes room for one holder, a push for seventeen: a million locks feel it.
  if (lock.holders.length === 0) lock.holders = [claim];
  else lock.holders = lock.holders.toSpliced(holderPosition(claim), 0, claim);
}

/** The claim is a holder no more. */
export function removeHolder(claim: Claim): void {
  const { lock } = claim;
  const position = holderPosition(claim);
  if (lock.holders[position] === claim) lock.holders = lock.holders.toSpliced(position, 1);
}

/** The claim that heads the queue: the only one that may be granted next. */
export function headOf(lock: Lock): Claim | null {
  return lock.queue?.first() ?? null;
}

function holderPosition(claim: Claim): number {
  const { holders } = claim.lock;
  let low = 0;
  let high = holders.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const holder = holders[middle];
    if (holder !== undefined && compareHolders(holder, claim) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareHolders(left: Claim, right: Claim): number {
  return left.request.token - right.request.token || left.request.index - right.request.index;
}
