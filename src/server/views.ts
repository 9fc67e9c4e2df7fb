// How locks, holders and nodes look in JSON.

import type { Revision } from '../base/units.ts';
import type {
  GhostView,
  HolderView,
  HoldingView,
  LockView,
  SessionView,
  WaiterView,
} from '../locks/outcomes.ts';
import type { LockTimes, MembershipView, NodeStatus, WatchEvent } from '../wire/client-messages.ts';

/** What JSON.stringify takes. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A lock; `holder` is the first of `holders`, for the usual case that there is only one. `times`
 * come with a question about this lock alone.
 */
export function lockJson(lock: LockView, times: LockTimes | null = null): JsonObject {
  const holders = lock.holders.map((holder, at) => ({
    ...holderJson(holder),
    ...leftJson('leaseLeftMs', times?.holders[at]),
  }));
  return {
    name: lock.name,
    holder: holders[0] ?? null,
    holders,
    ghosts: lock.ghosts.map((ghost, at) => ({
      ...ghostJson(ghost),
      ...leftJson('delayLeftMs', times?.ghosts[at]),
    })),
    waiters: lock.waiters.map(waiterJson),
    holderCount: lock.holderCount,
    waiterCount: lock.waiterCount,
  };
}

/** A holder with its metadata as JSON again. */
export function holderJson(holder: HolderView): JsonObject {
  return {
    token: holder.token,
    session: holder.session,
    acquireSeq: holder.acquireSeq,
    mode: holder.mode,
    permits: holder.permits,
    slots: holder.slots,
    sessionName: holder.sessionName,
    sessionMeta: parsed(holder.sessionMeta),
    meta: parsed(holder.meta),
    value: holder.value,
    since: isoTime(holder.sinceMs),
  };
}

/** A lock-delay: what keeps a lock closed after its holder's session expired. */
export function ghostJson(ghost: GhostView): JsonObject {
  return {
    token: ghost.token,
    session: ghost.session,
    acquireSeq: ghost.acquireSeq,
    mode: ghost.mode,
    permits: ghost.permits,
    slots: ghost.slots,
    sessionName: ghost.sessionName,
    lockDelayMs: ghost.lockDelayMs,
    closedAt: ghost.closedAt,
  };
}

/** A session, without what it holds. */
export function sessionJson(view: SessionView): JsonObject {
  return summaryJson({ ...view, meta: parsed(view.meta) });
}

/** The same, of one whose metadata is parsed. */
export function summaryJson(
  view: Omit<SessionView, 'meta'> & { readonly meta: unknown },
): JsonObject {
  return {
    session: view.session,
    name: view.name,
    meta: view.meta,
    ttlMs: view.ttlMs,
    lockDelayMs: view.lockDelayMs,
    opened: isoTime(view.openedMs),
    held: view.held,
    waiting: view.waiting,
  };
}

/** What a session holds, or (token null) waits for, by one request. */
export function holdingJson(view: HoldingView): JsonObject {
  return {
    acquireSeq: view.acquireSeq,
    token: view.token === 0 ? null : view.token,
    names: view.names,
    mode: view.mode,
    slots: slotsByName(view.names, view.slots),
    value: view.value,
  };
}

/** One list of slots for each name, though none at all are told when no name is a semaphore. */
export function slotsByName(
  names: readonly unknown[],
  slots: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  return names.map((_, at) => slots[at] ?? []);
}

/** What happened to a lock; fields that its type does not have are left out. */
export function watchEventJson(event: WatchEvent, revision: Revision): JsonObject {
  const { type, name, session, acquireSeq, token, value, cause, reason, delayMs } = event;
  return {
    type,
    name,
    session,
    acquireSeq,
    ...(token === 0 ? {} : { token }),
    ...(value === null ? {} : { value }),
    ...(cause === '' ? {} : { cause }),
    ...(reason === '' ? {} : { reason }),
    ...(type === 'delayed' ? { delayMs } : {}),
    revision,
  };
}

/** What this node says of itself and of the others (DESIGN.md §9). */
export function statusJson(status: NodeStatus): JsonObject {
  return {
    id: status.nodeId,
    clusterName: status.clusterName,
    clusterId: status.clusterId,
    storeId: status.storeId,
    role: status.role,
    isReady: status.isReady,
    term: status.term,
    leader: status.leaderId,
    leaderAddress: status.leaderAddress,
    commit: status.commitIndex,
    applied: status.appliedIndex,
    last: status.lastIndex,
    durable: status.durableIndex,
    stuckMs: status.stuckMs,
    stateHash: status.stateHash,
    anchor: status.anchorIndex,
    checkpoint: status.checkpointIndex,
    membership: status.membership,
    configIndex: status.configIndex,
    embargoLeftMs: status.embargoLeftMs,
    alarms: status.alarms,
    sessions: status.sessions,
    locks: status.locks,
    pid: status.pid,
    bootCount: status.bootCount,
    version: status.version,
    peers: status.peers.map((peer) => ({
      id: peer.nodeId,
      address: peer.address,
      isConnected: peer.isConnected,
      match: peer.matchIndex,
    })),
  };
}

/** Who takes part. */
export function membershipJson(view: MembershipView): JsonObject {
  return {
    configIndex: view.configIndex,
    isCommitted: view.isCommitted,
    isJoint: view.isJoint,
    members: view.members.map((member) => ({
      id: member.nodeId,
      storeId: member.storeId,
      address: member.address,
      role: member.role,
      isConnected: member.isConnected,
      isCaughtUp: member.isCaughtUp,
      match: member.matchIndex,
    })),
    retired: view.retired,
  };
}

function waiterJson(waiter: WaiterView) {
  return {
    session: waiter.session,
    acquireSeq: waiter.acquireSeq,
    mode: waiter.mode,
    permits: waiter.permits,
    index: waiter.index,
    sessionName: waiter.sessionName,
    since: isoTime(waiter.sinceMs),
  };
}

// What the leader's clock says; nothing when it was not asked.
function leftJson(word: string, leftMs: number | null | undefined): JsonObject {
  return leftMs === undefined ? {} : { [word]: leftMs };
}

// Metadata came from a client as text; a foreign one may have sent anything.
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const DATE_MS_MAX = 8.64e15;

function isoTime(ms: number): string | null {
  return Math.abs(ms) <= DATE_MS_MAX ? new Date(ms).toISOString() : null;
}
