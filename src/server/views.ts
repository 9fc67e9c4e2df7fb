// How locks, holders and nodes look in JSON.

import type { HolderView, LockView, WaiterView } from '../locks/outcomes.ts';
import type { NodeStatus } from '../wire/client-messages.ts';

/** What JSON.stringify takes. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A lock; `holder` is the first of `holders`, for the usual case that there is only one. */
export function lockJson(lock: LockView): JsonObject {
  const holders = lock.holders.map(holderJson);
  return {
    name: lock.name,
    holder: holders[0] ?? null,
    holders,
    waiters: lock.waiters.map(waiterJson),
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
    sessionName: holder.sessionName,
    sessionMeta: parsed(holder.sessionMeta),
    meta: parsed(holder.meta),
    value: holder.value,
    since: isoTime(holder.sinceMs),
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
    stateHash: status.stateHash,
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

function waiterJson(waiter: WaiterView) {
  return {
    session: waiter.session,
    acquireSeq: waiter.acquireSeq,
    mode: waiter.mode,
    index: waiter.index,
    sessionName: waiter.sessionName,
    since: isoTime(waiter.sinceMs),
  };
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
