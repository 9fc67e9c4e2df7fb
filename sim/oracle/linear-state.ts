// What an observer of the log knows of sessions and locks, and how it would show them.

import type { Index, SessionId, Token } from '../../src/base/units.ts';
import type { Acquire, OpenSession, RequestItem } from '../../src/locks/commands.ts';
import type {
  GhostView,
  HolderView,
  HoldingView,
  LockView,
  SessionView,
  WaiterView,
} from '../../src/locks/outcomes.ts';

/** A live acquire; its token is 0 while it waits. */
export interface SeenRequest {
  readonly session: SeenSession;
  readonly command: Acquire;
  readonly index: Index;
  token: Token;
  /** One list for each name, or none. */
  slots: readonly (readonly number[])[];
  value: string | null;
}

/** A session that lives, or one that expired and left ghosts. */
export interface SeenSession {
  readonly id: SessionId;
  readonly index: Index;
  readonly command: OpenSession;
  leaseMs: number | null;
  /** Highest that any of its commands said. */
  ackedBelow: number;
  /** Highest number of its commands, those aside that it did not number itself. */
  lastSeq: number;
  readonly requests: Map<number, SeenRequest>;
}

/** What a grant left behind at one lock. */
export interface SeenGhost {
  readonly request: SeenRequest;
  readonly closedAt: Index;
}

/** A lock that somebody holds, waits for or left closed. */
export interface SeenLock {
  readonly holders: Set<SeenRequest>;
  readonly ghosts: Set<SeenGhost>;
  readonly waiters: Set<SeenRequest>;
}

/** As an inspector sees a lock, with all its waiters. */
export function viewOfLock(name: string, lock: SeenLock): LockView {
  const waiters = [...lock.waiters].sort((left, right) => left.index - right.index);
  const ghosts = [...lock.ghosts].sort(byEnd);
  return {
    name,
    holders: [...lock.holders].sort(byGrant).map((request) => viewOfHolder(request, name)),
    ghosts: ghosts.map((ghost) => viewOfGhost(ghost, name)),
    waiters: waiters.map((request) => viewOfWaiter(request, name)),
    holderCount: lock.holders.size,
    waiterCount: waiters.length,
  };
}

/** As an inspector sees a session. */
export function viewOfSession(session: SeenSession): SessionView {
  const { ttlMs, lockDelayMs, name, meta, stampMs } = session.command;
  const count = (isHeld: boolean): number =>
    [...session.requests.values()]
      .filter((request) => (request.token !== 0) === isHeld)
      .flatMap((request) => request.command.items)
      .reduce((sum, { permits }) => sum + (permits?.[0] ?? 1), 0);
  const counts = { held: count(true), waiting: count(false) };
  const { id, leaseMs } = session;
  return { session: id, ttlMs, leaseMs, lockDelayMs, name, meta, openedMs: stampMs, ...counts };
}

/** As whoever resumes the session finds its request. */
export function viewOfHolding({ command, token, slots, value }: SeenRequest): HoldingView {
  const names = command.items.map((item) => item.name);
  const mode = command.items[0]?.mode ?? 'exclusive';
  return { acquireSeq: command.seq, token, names, mode, slots, value };
}

function viewOfHolder(request: SeenRequest, name: string): HolderView {
  const { session, command, token, value } = request;
  return {
    token,
    session: session.id,
    acquireSeq: command.seq,
    ...partsOf(request, name),
    sessionName: session.command.name,
    sessionMeta: session.command.meta,
    meta: command.meta,
    value,
    sinceMs: command.stampMs,
  };
}

function viewOfGhost({ request, closedAt }: SeenGhost, name: string): GhostView {
  const { session, command, token } = request;
  const { name: sessionName, lockDelayMs } = session.command;
  const of = { token, session: session.id, acquireSeq: command.seq };
  return { ...of, ...partsOf(request, name), sessionName, lockDelayMs, closedAt };
}

function viewOfWaiter(request: SeenRequest, name: string): WaiterView {
  const { session, command, index } = request;
  const { mode, permits } = partsOf(request, name);
  const of = { session: session.id, acquireSeq: command.seq };
  const { name: sessionName } = session.command;
  return { ...of, mode, permits, index, sessionName, sinceMs: command.stampMs };
}

/** What the request has, or wants, of one of its locks. */
function partsOf(
  { command, slots }: SeenRequest,
  name: string,
): Pick<RequestItem, 'mode' | 'permits'> & { readonly slots: readonly number[] } {
  const at = command.items.findIndex((item) => item.name === name);
  const { mode = 'exclusive', permits = null } = command.items[at] ?? {};
  return { mode, permits, slots: slots[at] ?? [] };
}

/** One entry ends one session, a restore ends many. */
function byEnd(left: SeenGhost, right: SeenGhost): number {
  const before = left.closedAt - right.closedAt;
  const byOpening = left.request.session.index - right.request.session.index;
  return before || byOpening || left.request.command.seq - right.request.command.seq;
}

function byGrant(left: SeenRequest, right: SeenRequest): number {
  return left.token - right.token || left.index - right.index;
}
