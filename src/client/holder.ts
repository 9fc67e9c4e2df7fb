import type { SessionId, Token } from '../base/units.ts';
import type { HolderView, LockView, WaiterView } from '../locks/outcomes.ts';

/** Who holds a lock, as everybody may see it. */
export interface HolderInfo {
  readonly token: Token;
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly mode: 'exclusive' | 'shared';
  readonly sessionName: string;
  /** Metadata of the session and of the grant. */
  readonly sessionMeta: unknown;
  readonly meta: unknown;
  /** Wall time of the leader that appended the acquire, for display. */
  readonly sinceMs: number;
}

/** A lock with those who hold it and the first of those who wait, oldest first. */
export interface LockInfo {
  readonly name: string;
  /** The first holder; null when the lock is free. */
  readonly holder: HolderInfo | null;
  readonly holders: readonly HolderInfo[];
  /** Of a long queue only the head: at most 500, in a list at most 20. */
  readonly waiters: readonly WaiterView[];
  /** All that wait, shown or not. */
  readonly waiterCount: number;
}

/** A view of the cluster with its metadata parsed. */
export function lockInfo(view: LockView): LockInfo {
  const holders = view.holders.map(holderInfo);
  return { ...view, holder: holders[0] ?? null, holders };
}

/** One holder with its metadata parsed. */
export function holderInfo(view: HolderView): HolderInfo {
  const { token, session, acquireSeq, mode, sessionName, sinceMs } = view;
  const sessionMeta = parseMeta(view.sessionMeta);
  return {
    token,
    session,
    acquireSeq,
    mode,
    sessionName,
    sessionMeta,
    meta: parseMeta(view.meta),
    sinceMs,
  };
}

// Others may write what they like into their metadata: text that is no JSON is shown as it is.
function parseMeta(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
