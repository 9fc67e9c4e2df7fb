// What others may see of sessions and locks. Copies: later entries do not change them.

import { UNNUMBERED_SEQ_MIN } from './commands.ts';
import type { ReplicatedLimits } from './commands.ts';
import type { HolderView, LockView, SessionHoldings, SessionView, WaiterView } from './outcomes.ts';
import type { Claim, Lock, Request, Session } from './state.ts';

/** A lock as seen from outside, at most so many of each list; of a free one only the name. */
export function lockView(name: string, lock: Lock | null, shownMax: number): LockView {
  const counts = { holderCount: lock?.holders.length ?? 0, waiterCount: lock?.queue?.size ?? 0 };
  if (lock === null) return { name, holders: [], ghosts: [], waiters: [], ...counts };
  const waiters = lock.queue?.head(shownMax).map(waiterView) ?? [];
  const holders = lock.holders.slice(0, shownMax).map(holderView);
  return { name, holders, ghosts: [], waiters, ...counts };
}

/** A grant as the loser of the race and an inspector see it. */
export function holderView({ request, item }: Claim): HolderView {
  const { session } = request;
  return {
    token: request.token,
    session: session.id,
    acquireSeq: request.seq,
    mode: item.mode,
    permits: item.permits,
    slots: [],
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

/** Slot numbers of a grant for each of its names; empty when none is a semaphore. */
export function slotsOf(_request: Request): readonly (readonly number[])[] {
  return [];
}

/** The live requests of a session with a number above `after`, in the order of their numbers. */
export function sessionHoldings(
  session: Session,
  after: number,
  limit: number,
  limits: ReplicatedLimits,
): SessionHoldings {
  const seqs = [...session.requests.keys()].filter((seq) => seq > after).sort((a, b) => a - b);
  const holdings = seqs.slice(0, limit).flatMap((seq) => {
    const request = session.requests.get(seq);
    if (request === undefined) return [];
    const mode = request.claims[0]?.item.mode ?? 'exclusive';
    const { token, value } = request;
    return [
      { acquireSeq: seq, token, names: request.names(), mode, slots: slotsOf(request), value },
    ];
  });
  const known = [session.ackedBelow, ...session.requests.keys(), ...session.records.keys()];
  const used = known.filter((seq) => seq < UNNUMBERED_SEQ_MIN);
  const highest = used.reduce((left, right) => Math.max(left, right), 0);
  const nextSeq = highest + limits.windowMax + 1;
  return { holdings, hasMore: seqs.length > limit, nextSeq };
}

function waiterView({ request, item }: Claim): WaiterView {
  return {
    session: request.session.id,
    acquireSeq: request.seq,
    mode: item.mode,
    permits: item.permits,
    index: request.index,
    sessionName: request.session.name,
    sinceMs: request.sinceMs,
  };
}
