// What must hold of those who have a lock, holders and ghosts alike, and of its queue's kind.
// Everything is counted anew here, from the claims alone.

import { assert } from '../base/assert.ts';
import type { Ghost } from './ghost.ts';
import { firstHolders } from './lock-table.ts';
import type { Need } from './need.ts';
import type { SlotPool } from './slot-pool.ts';
import type { Lock } from './state.ts';
import type { LockState } from './step.ts';

/** Throws InvariantError if the tenants of a lock cannot have it together. */
export function checkTenants(state: LockState, lock: Lock): void {
  const { name, holder, crowd } = lock;
  const holders = firstHolders(lock, Infinity);
  const ghosts = crowd?.ghosts(Infinity) ?? [];
  assert(holder === null || crowd === null, `a lone holder is in no crowd: ${name}`);
  assert((holder?.need.permits ?? null) === null, `a semaphore's holders are a crowd: ${name}`);
  assert(crowd === null || holders.length + ghosts.length > 0, `an empty crowd is none: ${name}`);
  const needs = [...holders, ...ghosts].map(({ need }) => need);
  checkKind(lock, needs);
  const isTogether = needs.length < 2 || needs.every((need) => isShareable(need));
  assert(isTogether, `INV-15: who has a lock together may: ${name}`);
  for (const ghost of ghosts) checkGhost(state, lock, ghost);
  if (crowd === null) return;
  const slots = [
    ...holders.map((claim) => ({ need: claim.need, slots: crowd.slotsOf(claim) })),
    ...ghosts,
  ];
  checkSlots(name, crowd.slots, slots);
}

function isShareable({ mode, permits }: Need): boolean {
  return mode === 'shared' || permits !== null;
}

/** INV-15 for semaphores, and what "same N" means: all that hold, wait or haunt agree. */
function checkKind(lock: Lock, needs: readonly Need[]): void {
  const waiters = lock.queue === null ? [] : [...lock.queue.values()];
  const totals = [...needs, ...waiters.map(({ need }) => need)].map(
    ({ permits }) => permits?.[1] ?? null,
  );
  assert(new Set(totals).size === 1, `a name is one kind of lock at a time: ${lock.name}`);
}

function checkGhost(state: LockState, lock: Lock, ghost: Ghost): void {
  const { session, closedAt, token, ghosts } = ghost.grant;
  const isOver = state.sessions.find(session) === null && token > 0 && token < closedAt;
  assert(isOver, `INV-18: a ghost is of a session that expired: ${lock.name}`);
  const isPlaced = ghost.lock === lock && ghosts.includes(ghost);
  assert(isPlaced, `a ghost is of its lock and of its grant: ${lock.name}`);
}

function checkSlots(
  name: string,
  pool: SlotPool | null,
  tenants: readonly { readonly need: Need; readonly slots: readonly number[] }[],
): void {
  for (const { need, slots } of tenants) {
    const count = need.permits === null ? 0 : need.permits[0];
    assert(slots.length === count, `each has a slot for each permit: ${name}`);
    const isSorted = slots.every((slot, at) => at === 0 || slot > (slots[at - 1] ?? slot));
    assert(isSorted, `slots are told in ascending order: ${name}`);
  }
  if (pool === null) return;
  const taken = tenants.flatMap(({ slots }) => slots).sort((left, right) => left - right);
  assert(taken.length <= pool.total, `INV-15: permits held are at most all: ${name}`);
  assert(new Set(taken).size === taken.length, `INV-15: a slot has one holder: ${name}`);
  assert(pool.free === pool.total - taken.length, `what is not taken is free: ${name}`);
  const runs: (readonly [number, number])[] = [];
  let from = 0;
  for (const slot of [...taken, pool.total]) {
    if (slot > from) runs.push([from, slot]);
    from = slot + 1;
  }
  const isComplement = String(runs) === String(pool.freeRuns());
  assert(isComplement, `free slots are those that nobody has: ${name}`);
}
