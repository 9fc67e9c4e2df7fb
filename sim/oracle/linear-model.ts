// What an observer knows who reads nothing but the committed log: the independent model that
// answers are measured against. It believes the events of each entry and works nothing out itself.

import { compareUtf8 } from '../../src/base/name.ts';
import type { Index, SessionId, Token } from '../../src/base/units.ts';
import type { Acquire, OpenSession } from '../../src/locks/commands.ts';
import type { HolderView, LockEvent, LockView, SessionView } from '../../src/locks/outcomes.ts';
import type { CommittedEntry } from './types.ts';

/** RAFT.md §12: what a session without TTL has until its first command. */
const PROVISIONAL_MS = 15_000;

type RequestEvent = Extract<LockEvent, { readonly acquireSeq: number }>;

/** A live acquire; its token is 0 while it waits. */
interface ModelRequest {
  readonly session: ModelSession;
  readonly command: Acquire;
  readonly index: Index;
  token: Token;
}

interface ModelSession {
  readonly id: SessionId;
  readonly index: Index;
  readonly command: OpenSession;
  leaseMs: number | null;
  /** Highest that any of its commands said. */
  ackedBelow: number;
  readonly requests: Map<number, ModelRequest>;
}

interface ModelLock {
  readonly holders: Set<ModelRequest>;
  readonly waiters: Set<ModelRequest>;
}

/** The state after the entries that were put in, one after another. */
export class LinearModel {
  private readonly sessions = new Map<SessionId, ModelSession>();
  private readonly locks = new Map<string, ModelLock>();

  /** Why the entry's events cannot follow from the state before; null if they can. */
  apply(entry: CommittedEntry): string | null {
    const problem = this.observeAll(entry);
    const { command } = entry;
    if (command === null || !('ackedBelow' in command)) return problem;
    const session = this.sessions.get(command.session);
    if (session !== undefined)
      session.ackedBelow = Math.max(session.ackedBelow, command.ackedBelow);
    return problem;
  }

  isAlive(session: SessionId): boolean {
    return this.sessions.has(session);
  }

  /** What the session has acknowledged; 0 for one that does not live. */
  ackedBelow(session: SessionId): number {
    return this.sessions.get(session)?.ackedBelow ?? 0;
  }

  /** Token of what the acquire holds, 0 while it waits, null when it is not alive. */
  tokenOf(session: SessionId, acquireSeq: number): Token | null {
    return this.sessions.get(session)?.requests.get(acquireSeq)?.token ?? null;
  }

  sessionView(id: SessionId): SessionView | null {
    const session = this.sessions.get(id);
    if (session === undefined) return null;
    const { ttlMs, lockDelayMs, name, meta, stampMs } = session.command;
    const count = (isHeld: boolean): number =>
      [...session.requests.values()]
        .filter((request) => (request.token !== 0) === isHeld)
        .reduce((sum, request) => sum + request.command.items.length, 0);
    const counts = { held: count(true), waiting: count(false) };
    const { leaseMs } = session;
    return { session: id, ttlMs, leaseMs, lockDelayMs, name, meta, openedMs: stampMs, ...counts };
  }

  /** Views of the sessions opened after entry `after`, oldest first. */
  sessionsAfter(after: Index): readonly SessionView[] {
    return [...this.sessions.values()]
      .filter((session) => session.index > after)
      .sort((left, right) => left.index - right.index)
      .flatMap((session) => this.sessionView(session.id) ?? []);
  }

  lockView(name: string): LockView {
    const lock = this.locks.get(name);
    if (lock === undefined) return { name, holders: [], waiters: [], waiterCount: 0 };
    const holders = [...lock.holders].sort(
      (left, right) => left.token - right.token || left.index - right.index,
    );
    const waiters = [...lock.waiters].sort((left, right) => left.index - right.index);
    return {
      name,
      holders: holders.map((request) => holderView(request, name)),
      waiters: waiters.map((request) => {
        const { session, acquireSeq, mode, sessionName, sinceMs } = holderView(request, name);
        return { session, acquireSeq, mode, index: request.index, sessionName, sinceMs };
      }),
      waiterCount: waiters.length,
    };
  }

  /** Names that are held or waited for, with this prefix and after this one, in byte order. */
  names(prefix: string, after: string): readonly string[] {
    return [...this.locks.keys()]
      .filter((name) => name.startsWith(prefix) && compareUtf8(name, after) > 0)
      .sort(compareUtf8);
  }

  private observeAll(entry: CommittedEntry): string | null {
    let ended: ModelSession | null = null;
    for (const event of entry.events) {
      if (event.type === 'sessionOpened') this.open(event.session, entry);
      const session = this.sessions.get(event.session);
      if (session === undefined) return `${event.type} of ${event.session}, which does not live`;
      if (event.type === 'sessionEnded') ended = session;
      else if (event.type === 'leaseChanged') session.leaseMs = event.leaseMs;
      else if (event.type !== 'sessionOpened') {
        const problem = this.observe(event, session, entry);
        if (problem !== null) return problem;
      }
    }
    if (ended === null) return null;
    this.sessions.delete(ended.id);
    return ended.requests.size === 0 ? null : `${ended.id} ended and still has something`;
  }

  private open(id: SessionId, { index, command }: CommittedEntry): void {
    if (command?.op !== 'openSession') return;
    const requests = new Map<number, ModelRequest>();
    const leaseMs = command.ttlMs ?? PROVISIONAL_MS;
    this.sessions.set(id, { id, index, command, leaseMs, ackedBelow: 0, requests });
  }

  private observe(
    event: RequestEvent,
    session: ModelSession,
    { index, command }: CommittedEntry,
  ): string | null {
    const { type, acquireSeq, names } = event;
    const known = session.requests.get(acquireSeq);
    const isNew = command?.op === 'acquire' && command.seq === acquireSeq && known === undefined;
    const request = isNew ? { session, command, index, token: 0 } : known;
    const what = `${type} of request ${acquireSeq} of ${session.id}`;
    if (request === undefined) return `${what}, which is not alive`;
    if (isNew) session.requests.set(acquireSeq, request);
    if (type === 'queued') {
      for (const name of names) this.obtain(name).waiters.add(request);
      return isNew ? null : `${what}, which was there before`;
    }
    if (type === 'granted') {
      for (const name of names) this.obtain(name).holders.add(request);
      const was = request.token;
      request.token = event.token;
      if (was !== 0 || event.token !== index) return `${what} with token ${event.token}`;
    } else session.requests.delete(acquireSeq);
    const from = type === 'freed' ? 'holders' : 'waiters';
    for (const name of names) this.leave(name, from, request);
    return null;
  }

  private obtain(name: string): ModelLock {
    const known = this.locks.get(name);
    if (known !== undefined) return known;
    const fresh = { holders: new Set<ModelRequest>(), waiters: new Set<ModelRequest>() };
    this.locks.set(name, fresh);
    return fresh;
  }

  private leave(name: string, from: keyof ModelLock, request: ModelRequest): void {
    const lock = this.locks.get(name);
    lock?.[from].delete(request);
    if (lock?.holders.size === 0 && lock.waiters.size === 0) this.locks.delete(name);
  }
}

function holderView({ session, command, token }: ModelRequest, name: string): HolderView {
  const { id, command: open } = session;
  return {
    token,
    session: id,
    acquireSeq: command.seq,
    mode: command.items.find((item) => item.name === name)?.mode ?? 'exclusive',
    sessionName: open.name,
    sessionMeta: open.meta,
    meta: command.meta,
    value: command.value,
    sinceMs: command.stampMs,
  };
}
