// What an observer knows who reads nothing but the committed log: the independent model that
// answers are measured against. It believes the events of each entry and works nothing out itself.

import { compareUtf8 } from '../../src/base/name.ts';
import type { Index, SessionId, Token } from '../../src/base/units.ts';
import { UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import type { HoldingView, LockEvent, LockView, SessionView } from '../../src/locks/outcomes.ts';
import { viewOfHolding, viewOfLock, viewOfSession } from './linear-state.ts';
import type { SeenLock, SeenRequest, SeenSession } from './linear-state.ts';
import type { CommittedEntry } from './types.ts';

/** RAFT.md §12: what a session without TTL has until its first command. */
const PROVISIONAL_MS = 15_000;

type RequestEvent = Extract<LockEvent, { readonly names: readonly string[] }>;
type DelayEvent = Extract<LockEvent, { readonly closedAt: Index }>;

/** The state after the entries that were put in, one after another. */
export class LinearModel {
  private readonly sessions = new Map<SessionId, SeenSession>();
  private readonly locks = new Map<string, SeenLock>();
  /** Grants that the present entry ended: they may leave ghosts. */
  private freed: SeenRequest[] = [];

  /** Why the entry's events cannot follow from the state before; null if they can. */
  apply(entry: CommittedEntry): string | null {
    const problem = this.observeAll(entry);
    const { command } = entry;
    if (command === null || !('ackedBelow' in command)) return problem;
    const session = this.sessions.get(command.session);
    if (session === undefined) return problem;
    session.ackedBelow = Math.max(session.ackedBelow, command.ackedBelow);
    if (command.seq < UNNUMBERED_SEQ_MIN) {
      session.lastSeq = Math.max(session.lastSeq, command.seq);
    }
    return problem;
  }

  isAlive(session: SessionId): boolean {
    return this.sessions.has(session);
  }

  /** What the session has acknowledged; 0 for one that does not live. */
  ackedBelow(session: SessionId): number {
    return this.sessions.get(session)?.ackedBelow ?? 0;
  }

  /** The highest number that it gave a command; 0 for one that does not live. */
  lastSeq(session: SessionId): number {
    return this.sessions.get(session)?.lastSeq ?? 0;
  }

  /** What the acquire has, or that it waits; null when it is not alive. */
  holding(session: SessionId, acquireSeq: number): HoldingView | null {
    const request = this.sessions.get(session)?.requests.get(acquireSeq);
    return request === undefined ? null : viewOfHolding(request);
  }

  /** Token of what the acquire holds, 0 while it waits, null when it is not alive. */
  tokenOf(session: SessionId, acquireSeq: number): Token | null {
    return this.sessions.get(session)?.requests.get(acquireSeq)?.token ?? null;
  }

  /** Its live requests with a number above this one, in their order; null if it does not live. */
  holdingsAfter(id: SessionId, after: number): readonly HoldingView[] | null {
    const session = this.sessions.get(id);
    if (session === undefined) return null;
    return [...session.requests.values()]
      .filter(({ command }) => command.seq > after)
      .sort((left, right) => left.command.seq - right.command.seq)
      .map(viewOfHolding);
  }

  sessionView(id: SessionId): SessionView | null {
    const session = this.sessions.get(id);
    return session === undefined ? null : viewOfSession(session);
  }

  /** Views of the sessions opened after entry `after`, oldest first. */
  sessionsAfter(after: Index): readonly SessionView[] {
    return [...this.sessions.values()]
      .filter((session) => session.index > after)
      .sort((left, right) => left.index - right.index)
      .map(viewOfSession);
  }

  lockView(name: string): LockView {
    const lock = this.locks.get(name);
    if (lock !== undefined) return viewOfLock(name, lock);
    return { name, holders: [], ghosts: [], waiters: [], holderCount: 0, waiterCount: 0 };
  }

  /** Locks of which there is anything, with this prefix and after this one, in byte order. */
  names(prefix: string, after: string): readonly string[] {
    return [...this.locks.keys()]
      .filter((name) => name.startsWith(prefix) && compareUtf8(name, after) > 0)
      .sort(compareUtf8);
  }

  private observeAll(entry: CommittedEntry): string | null {
    const ended: SeenSession[] = [];
    if (this.freed.length > 0) this.freed = [];
    for (const event of entry.events) {
      if (event.type === 'delayed' || event.type === 'lifted') {
        const problem = event.type === 'delayed' ? this.delay(event) : this.lift(event);
        if (problem !== null) return problem;
        continue;
      }
      if (event.type === 'sessionOpened') this.open(event.session, entry);
      const session = this.sessions.get(event.session);
      if (session === undefined) return `${event.type} of ${event.session}, which does not live`;
      if (event.type === 'sessionEnded') ended.push(session);
      else if (event.type === 'leaseChanged') session.leaseMs = event.leaseMs;
      else if (event.type !== 'sessionOpened') {
        const problem = this.observe(event, session, entry);
        if (problem !== null) return problem;
      }
    }
    for (const { id } of ended) this.sessions.delete(id);
    const having = ended.find(({ requests }) => requests.size > 0);
    return having === undefined ? null : `${having.id} ended and still has something`;
  }

  private open(id: SessionId, { index, command }: CommittedEntry): void {
    if (command?.op !== 'openSession') return;
    const requests = new Map<number, SeenRequest>();
    const leaseMs = command.ttlMs ?? PROVISIONAL_MS;
    const said = { leaseMs, ackedBelow: 0, lastSeq: 0 };
    this.sessions.set(id, { id, index, command, ...said, requests });
  }

  private observe(
    event: RequestEvent,
    session: SeenSession,
    { index, command }: CommittedEntry,
  ): string | null {
    const { type, acquireSeq } = event;
    const known = session.requests.get(acquireSeq);
    const isNew = command?.op === 'acquire' && command.seq === acquireSeq && known === undefined;
    const request = isNew ? newRequest(session, command, index) : known;
    const what = `${type} of request ${acquireSeq} of ${session.id}`;
    if (request === undefined) return `${what}, which is not alive`;
    if (isNew) session.requests.set(acquireSeq, request);
    switch (event.type) {
      case 'queued':
        this.move(event, request, null, 'waiters');
        return isNew ? null : `${what}, which was there before`;
      case 'granted': {
        const { token, slots, value } = event;
        const isRight = request.token === 0 && token === index;
        Object.assign(request, { token, slots, value });
        this.move(event, request, 'waiters', 'holders');
        return isRight ? null : `${what} with token ${token}`;
      }
      case 'proclaimed':
        request.value = event.value;
        return request.token === event.token ? null : `${what} with token ${event.token}`;
      case 'left':
      case 'freed':
        session.requests.delete(acquireSeq);
        this.move(event, request, type === 'freed' ? 'holders' : 'waiters', null);
        if (type === 'freed') this.freed.push(request);
        return (request.token === 0) === (type === 'left') ? null : `${what}, which is not so`;
    }
  }

  private move(
    { names }: RequestEvent,
    request: SeenRequest,
    from: 'waiters' | 'holders' | null,
    to: 'waiters' | 'holders' | null,
  ): void {
    for (const name of names) {
      const lock = this.obtain(name);
      if (from !== null) lock[from].delete(request);
      if (to !== null) lock[to].add(request);
      this.forget(name, lock);
    }
  }

  private delay({ session, acquireSeq, token, name, closedAt }: DelayEvent): string | null {
    const request = this.freed.find(
      (each) => each.session.id === session && each.command.seq === acquireSeq,
    );
    if (request?.token !== token) return `delayed ${name} of ${session}, which was not freed`;
    this.obtain(name).ghosts.add({ request, closedAt });
    return null;
  }

  private lift({ session, acquireSeq, name, closedAt }: DelayEvent): string | null {
    const lock = this.obtain(name);
    const ghost = [...lock.ghosts].find(
      ({ request, ...each }) =>
        each.closedAt === closedAt &&
        request.session.id === session &&
        request.command.seq === acquireSeq,
    );
    if (ghost === undefined) return `lifted ${name} of ${session}, which was not delayed`;
    lock.ghosts.delete(ghost);
    this.forget(name, lock);
    return null;
  }

  private obtain(name: string): SeenLock {
    const known = this.locks.get(name);
    if (known !== undefined) return known;
    const fresh: SeenLock = { holders: new Set(), ghosts: new Set(), waiters: new Set() };
    this.locks.set(name, fresh);
    return fresh;
  }

  private forget(name: string, { holders, ghosts, waiters }: SeenLock): void {
    if (holders.size === 0 && ghosts.size === 0 && waiters.size === 0) this.locks.delete(name);
  }
}

function newRequest(
  session: SeenSession,
  command: SeenRequest['command'],
  index: Index,
): SeenRequest {
  const hasSlots = command.items.some(({ permits }) => permits !== null);
  const slots = hasSlots ? command.items.map(() => []) : [];
  return { session, command, index, token: 0, slots, value: command.value };
}
