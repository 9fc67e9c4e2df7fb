// What others may see of sessions and locks. Copies: later entries do not change them.

import type { HolderView, LockView, SessionView, WaiterView } from './outcomes.ts';
import type { Claim, Lock, Session } from './state.ts';

/** A lock as seen from outside, with at most so many waiters; of a free one only the name. */
export function lockView(name: string, lock: Lock | null, waitersMax: number): LockView {
  if (lock === null) return { name, holders: [], waiters: [], waiterCount: 0 };
  const waiters = lock.queue?.head(waitersMax).map(waiterView) ?? [];
  const holders = lock.holders.map(holderView);
  return { name, holders, waiters, waiterCount: lock.queue?.size ?? 0 };
}

/** A grant as the loser of the race and an inspector see it. */
export function holderView({ request, item }: Claim): HolderView {
  const { session } = request;
  return {
    token: request.token,
    session: session.id,
    acquireSeq: request.seq,
    mode: item.mode,
    sessionName: session.name,
    sessionMeta: session.meta,
    meta: request.meta,
    value: request.value,
    sinceMs: request.sinceMs,
  };
}

/** A session with its lease (milliseconds) and the number of names it holds and waits for. */
export function sessionView(session: Session): SessionView {
  return {
    session: session.id,
    ttlMs: session.ttlMs,
    leaseMs: session.leaseMs(),
    lockDelayMs: session.lockDelayMs,
    name: session.name,
    meta: session.meta,
    openedMs: session.openedMs,
    held: session.held,
    waiting: session.waiting,
  };
}

function waiterView({ request, item }: Claim): WaiterView {
  return {
    session: request.session.id,
    acquireSeq: request.seq,
    mode: item.mode,
    index: request.index,
    sessionName: request.session.name,
    sinceMs: request.sinceMs,
  };
}
