import type { Index, SessionId, Token } from '../base/units.ts';
import type { LockMode } from '../locks/commands.ts';
import type { GhostView, HolderView, LockView, WaiterView } from '../locks/outcomes.ts';
import type { LockTimes } from '../wire/client-messages.ts';

/** What a lock is taken by, or was. */
interface Possession {
  /** Fencing token of the grant. */
  readonly token: Token;
  /** The session that it belongs to. */
  readonly session: SessionId;
  /** Number of the acquire within its session: with it, the name of the grant. */
  readonly acquireSeq: number;
  /** `exclusive`: alone, a semaphore too. `shared`: with other shared ones. */
  readonly mode: LockMode;
  /** [taken, total] of a semaphore; null for a lock. */
  readonly permits: readonly [taken: number, total: number] | null;
  /** Numbers of the slots of a semaphore that it has, ascending from 0; else empty. */
  readonly slots: readonly number[];
  /** The name that the client gave itself. */
  readonly sessionName: string;
}

/** Who holds a lock, as everybody may see it. */
export interface HolderInfo extends Possession {
  /** Metadata of the session; the text itself when it is no JSON. */
  readonly sessionMeta: unknown;
  /** Metadata of the grant; the text itself when it is no JSON. */
  readonly meta: unknown;
  /** What the leader of an election proclaimed; null for any other holder. */
  readonly value: string | null;
  /** Wall time of the leader that appended the acquire, for display. */
  readonly sinceMs: number;
  /**
   * How long until its session would expire if nobody renewed it, by the leader's clock: for
   * display. null: never, or not told; only `inspect` tells.
   */
  readonly leaseLeftMs: number | null;
}

/**
 * What keeps a lock closed after its holder's session expired with a lock-delay: the former grant;
 * `break` with its token opens the lock at once.
 */
export interface GhostInfo extends Possession {
  /** How long the lock stays closed from the expiry on, at least. */
  readonly lockDelayMs: number;
  /** Revision of the expiry. */
  readonly closedAt: Index;
  /** How much of that is left by the leader's clock; null: not told; only `inspect` tells. */
  readonly delayLeftMs: number | null;
}

/** A lock with the first of those who hold it and of those who wait, oldest first. */
export interface LockInfo {
  /** What is locked. */
  readonly name: string;
  /** The first holder; null when nobody holds it: then it is free, unless ghosts close it. */
  readonly holder: HolderInfo | null;
  /** Of very many only the first. */
  readonly holders: readonly HolderInfo[];
  /** Lock-delays; of very many only the first. */
  readonly ghosts: readonly GhostInfo[];
  /** Of a long queue only the head: at most 500, in a list at most 20. */
  readonly waiters: readonly WaiterView[];
  /** All that hold it, shown or not. */
  readonly holderCount: number;
  /** All that wait, shown or not. */
  readonly waiterCount: number;
}

/** A view of the cluster with its metadata parsed. */
export function lockInfo(view: LockView, times: LockTimes | null): LockInfo {
  const holders = view.holders.map((holder, at) => holderInfo(holder, times?.holders[at]));
  const ghosts = view.ghosts.map((ghost, at) => ghostInfo(ghost, times?.ghosts[at]));
  return { ...view, holder: holders[0] ?? null, holders, ghosts };
}

/** One holder with its metadata parsed. */
export function holderInfo(view: HolderView, leaseLeftMs?: number | null): HolderInfo {
  return {
    ...view,
    sessionMeta: parseMeta(view.sessionMeta),
    meta: parseMeta(view.meta),
    leaseLeftMs: leaseLeftMs ?? null,
  };
}

/** One ghost. */
export function ghostInfo(view: GhostView, delayLeftMs?: number): GhostInfo {
  return { ...view, delayLeftMs: delayLeftMs ?? null };
}

/** Others may write what they like into their metadata: text that is no JSON is shown as it is. */
export function parseMeta(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
