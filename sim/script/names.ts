// What the keys of operations stand for: a lock each, and few semaphores and elections besides, so
// that clients meet.

import type { Op } from './types.ts';

/** Permits of the semaphores. */
const TOTALS = [4, 3, 5] as const;
/** How many are asked for: mostly few, so that several hold some at the same time. */
const TAKEN = [1, 1, 2, 1, 3] as const;
/** One acquire of a semaphore in so many has the number of its permits wrong. */
const WRONG_ONE_IN = 16;

/** The lock of a key. */
export function lockName(key: number, keys: number): string {
  return `k${place(key, keys) + 1}`;
}

/** The semaphore of a key: half as many as locks. */
export function semaphoreName(key: number, keys: number): string {
  return `s${place(key, semaphores(keys)) + 1}`;
}

/** How many permits that semaphore has in all. */
export function semaphoreTotal(key: number, keys: number): number {
  return TOTALS[place(key, semaphores(keys)) % TOTALS.length] ?? 1;
}

/** The election of a key: a third as many as locks. */
export function electionName(key: number, keys: number): string {
  return `e${place(key, Math.ceil(keys / 3)) + 1}`;
}

/** The node that comes with the operation of this id. */
export function newcomerName(id: number): string {
  return `m${id}`;
}

/** How many permits the operation with this id asks for, and of how many it believes in all. */
export function permitsAsked(id: number, total: number): readonly [taken: number, total: number] {
  const believed = id % WRONG_ONE_IN === WRONG_ONE_IN - 1 ? total + 1 : total;
  return [Math.min(TAKEN[id % TAKEN.length] ?? 1, total), believed];
}

/** What is looked at or broken: the lock of the key; from `arg` 16 on its semaphore or election. */
export function nameByArg({ key, arg }: Pick<Op, 'key' | 'arg'>, keys: number): string {
  const kinds = [lockName, semaphoreName, electionName] as const;
  return (kinds[(arg >> 4) % kinds.length] ?? lockName)(key, keys);
}

function semaphores(keys: number): number {
  return Math.ceil(keys / 2);
}

function place(key: number, count: number): number {
  return key % count;
}
