// What others may see of sessions and locks. Copies: later entries do not change them.

import type { Ghost } from './ghost.ts';
import { firstHolders, holderCountOf } from './lock-table.ts';
import type { GhostView, HolderView, LockView, SessionView, WaiterView } from './outcomes.ts';
import type { Claim, Lock, Session } from './state.ts';

/** A lock as seen from outside, at most so many of each list; of a free one only the name. */
export function lockView(name: string, lock: Lock | null, shownMax: number): LockView {
  if (lock === null) {
    return { name, holders: [], ghosts: [], waiters: [], holderCount: 0, waiterCount: 0 };
  }
  const holders = firstHolders(lock, shownMax);
  const ghosts = lock.crowd?.ghosts(shownMax) ?? [];
  const waiters = lock.queue?.head(shownMax) ?? [];
  return {
    name,
    holders: holders.map(holderView),
    ghosts: ghosts.map(ghostView),
    waiters: waiters.map(waiterView),
    holderCount: holderCountOf(lock),
    waiterCount: lock.queue?.size ?? 0,
  };
}

/** A grant as the loser of the race and an inspector see it. */
export function holderView(claim: Claim): HolderView {
  const { request, lock, need } = claim;
  const { session } = request;
  return {
    token: request.token,
    session: session.id,
    acquireSeq: request.seq,
    mode: need.mode,
    permits: need.permits,
    slots: lock.crowd?.slotsOf(claim) ?? [],
    sessionName: session.name,
    sessionMeta: session.meta,
    meta: request.meta,
    value: request.value,
    sinceMs: request.sinceMs,
  };
}

/** A lock-delay as the loser of the race and an inspector see it. */
export function ghostView({ grant, need, slots }: Ghost): GhostView {
  return {
    token: grant.token,
    session: grant.session,
    acquireSeq: grant.acquireSeq,
    mode: need.mode,
    permits: need.permits,
    slots,
    sessionName: grant.sessionName,
    lockDelayMs: grant.lockDelayMs,
    closedAt: grant.closedAt,
  };
}

/** A session with its lease (milliseconds) and the weight of what it holds and waits for. */
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

function waiterView({ request, need }: Claim): WaiterView {
  return {
    session: request.session.id,
    acquireSeq: request.seq,
    mode: need.mode,
    permits: need.permits,
    index: request.index,
    sessionName: request.session.name,
    sinceMs: request.sinceMs,
  };
}
