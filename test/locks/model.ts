// A second lock machine, written for plainness alone: flat lists, searched from end to end. It
// shares no code with the real one. Refusals are compared by code, not by text.

import type {
  Acquire,
  Break,
  ExpireSession,
  LiftDelay,
  LiftEmbargo,
  OpenSession,
  Proclaim,
  Release,
  Command,
  ReplicatedLimits,
  RequestItem,
} from '../../src/locks/commands.ts';
import {
  areLimits,
  freeSlots,
  ghostsOf,
  grantsMeant,
  isFree,
  isRefused,
  isUpTo,
  nextCursor,
} from './model-needs.ts';
import type { ModelGhost, ModelRequest, ModelSession, Tenant, Verdict } from './model-needs.ts';

type Numbered = Extract<Command, { readonly seq: number }>;

export class Model {
  limits: ReplicatedLimits;
  /** Waiters of names up to the cursor may be granted; null: of none. */
  embargo: { readonly cursor: string | null } | null = null;
  sessions: ModelSession[] = [];
  /** All live requests in the order of their entries. */
  requests: ModelRequest[] = [];
  /** In the order of the expiries, then of the numbers. */
  ghosts: ModelGhost[] = [];

  constructor(limits: ReplicatedLimits) {
    this.limits = limits;
  }

  apply(index: number, term: number, command: Command): Verdict {
    switch (command.op) {
      case 'openSession':
        return this.open(index, command);
      case 'endSession':
        return this.find(command.session) === null ? ['SESSION_GONE'] : this.end(index, command);
      case 'expireSession':
        return this.expire(index, term, command);
      case 'withdraw': {
        const { session, acquireSeq, proposerTerm } = command;
        const request = this.live(session, acquireSeq);
        if (request !== null && request.token === 0 && proposerTerm === term) {
          this.finish(index, [request], 'withdrawn');
        }
        return ['DONE'];
      }
      case 'break':
        return this.break(index, command);
      case 'liftDelay':
        return this.lift(index, term, command);
      case 'liftEmbargo':
        return this.liftEmbargo(index, term, command);
      case 'setLimits':
        if (areLimits(command.limits)) this.limits = command.limits;
        return [areLimits(command.limits) ? 'DONE' : 'INVALID'];
      default:
        return this.numbered(index, command);
    }
  }

  /** Who has the name: holders by token, then ghosts. */
  tenants(
    name: string,
  ): readonly (Tenant & { readonly session: string; readonly token: number })[] {
    const held = this.requests.flatMap(({ items, slots, session, token }) =>
      items.map((item, at) => ({ item, slots: slots[at] ?? [], session, token })),
    );
    const holders = held.filter(({ token }) => token > 0);
    return [...holders, ...this.ghosts].filter(({ item }) => item.name === name);
  }

  /** Live requests for the name that wait, or that hold. */
  asking(name: string, isHolder: boolean): readonly ModelRequest[] {
    const has = (request: ModelRequest) => request.items.some((item) => item.name === name);
    return this.requests.filter((request) => request.token > 0 === isHolder && has(request));
  }

  private open(index: number, command: OpenSession): Verdict {
    const known = this.sessions.find((session) => session.nonce === command.nonce);
    if (known !== undefined) return ['OPENED', known.id, known.ttlMs, known.lockDelayMs];
    const { nonce, ttlMs, lockDelayMs } = command;
    const { ttlMsMin, ttlMsMax, lockDelayMsMax } = this.limits;
    if (ttlMs !== null && (ttlMs < ttlMsMin || ttlMs > ttlMsMax)) return ['INVALID'];
    if (lockDelayMs > lockDelayMsMax) return ['INVALID'];
    const id = `${index}-${nonce}`;
    const answers = new Map();
    this.sessions.push({ id, nonce, ttlMs, lockDelayMs, isUsed: false, ackedBelow: 0, answers });
    return ['OPENED', id, ttlMs, lockDelayMs];
  }

  private numbered(index: number, command: Numbered): Verdict {
    const session = this.find(command.session);
    if (session === null) return ['SESSION_GONE'];
    const { seq, bodyHash, ackedBelow, op } = command;
    session.isUsed = true;
    session.ackedBelow = Math.max(session.ackedBelow, ackedBelow);
    for (const old of [...session.answers.keys()]) {
      if (old < session.ackedBelow) session.answers.delete(old);
    }
    const live = this.live(session.id, seq);
    if (live !== null) return live.hash === bodyHash ? this.present(live) : ['INVALID'];
    if (seq < session.ackedBelow) return ['STALE_SEQ'];
    const answer = session.answers.get(seq);
    if (answer !== undefined) {
      return answer.hash === null || answer.hash === bodyHash ? answer.verdict : ['INVALID'];
    }
    const isFull = session.answers.size >= this.limits.windowMax && seq !== session.ackedBelow;
    if ((op === 'acquire' || op === 'proclaim') && isFull) return ['WINDOW'];
    if (op === 'closeSession') return this.end(index, command);
    const verdict = this.execute(index, session, command);
    if (this.live(session.id, seq) === null) this.store(session, seq, bodyHash, verdict);
    return verdict;
  }

  private execute(index: number, session: ModelSession, command: Numbered): Verdict {
    if (command.op === 'acquire') return this.acquire(index, command);
    if (command.op === 'release') return this.release(index, command);
    if (command.op === 'proclaim') return this.proclaim(command);
    if (command.op === 'closeSession' || command.acquireSeq === command.seq) return ['INVALID'];
    const request = this.live(session.id, command.acquireSeq);
    if (request !== null) this.finish(index, [request], 'cancelled');
    else if (!session.answers.has(command.acquireSeq)) {
      this.store(session, command.acquireSeq, null, ['ENDED', 'cancelled', 0]);
    }
    return ['DONE'];
  }

  private acquire(index: number, command: Acquire): Verdict {
    const { session, seq, bodyHash: hash, items, value } = command;
    if (isRefused(command, this)) return ['INVALID'];
    if (command.waitMs === 0 && !this.allows(items)) return ['EMBARGO'];
    const busy = command.waitMs === 0 ? this.busy(items) : null;
    if (busy !== null) return busy;
    const request = { session, seq, hash, index, items, value, token: 0, slots: [] };
    this.requests.push(request);
    this.pass(index);
    return this.present(request);
  }

  private busy(items: readonly RequestItem[]): Verdict | null {
    for (const item of items) {
      const { name } = item;
      const tenants = this.tenants(name);
      if (!isFree(item, tenants)) {
        const holder = tenants.find((one) => !('closedAt' in one));
        const ghost = holder === undefined ? tenants[0] : undefined;
        const first = [holder?.token ?? null, holder?.session ?? null];
        return ['LOCK_BUSY', name, ...first, ghost?.token ?? null, ghost?.session ?? null, 0];
      }
      const [waiter] = this.asking(name, false);
      if (waiter !== undefined) {
        return ['LOCK_BUSY', name, null, null, null, null, waiter.index];
      }
    }
    return null;
  }

  private release(index: number, command: Release): Verdict {
    const grants = grantsMeant(this.requests, command);
    if (grants.length > 1) return ['INVALID'];
    if (grants.length === 0) return ['NOT_HOLDER'];
    this.finish(index, grants, 'released');
    return ['DONE'];
  }

  private proclaim(command: Proclaim): Verdict {
    const [grant, another] = grantsMeant(this.requests, command);
    if (another !== undefined) return ['INVALID'];
    if (grant === undefined) return ['NOT_HOLDER'];
    grant.value = command.value;
    return ['DONE'];
  }

  private break(index: number, { name, token, session }: Break): Verdict {
    const isMeant = (one: { readonly session: string; readonly token: number }) =>
      one.token === token && (session === null || one.session === session);
    const grants = this.asking(name, true).filter(isMeant);
    const ghosts = this.ghosts.filter((ghost) => ghost.item.name === name && isMeant(ghost));
    if (grants.length + ghosts.length === 0) return ['NOT_HOLDER'];
    this.ghosts = this.ghosts.filter(
      (one) => !ghosts.some((ghost) => ghost.session === one.session && ghost.seq === one.seq),
    );
    this.finish(index, grants, 'broken');
    return ['DONE'];
  }

  private expire(index: number, term: number, command: ExpireSession): Verdict {
    const session = this.find(command.session);
    const isKept = session?.ttlMs === null && session.isUsed;
    if (session === null || command.proposerTerm !== term || isKept) return ['DONE'];
    this.ghosts.push(...ghostsOf(this.requests, session, index));
    return this.end(index, command);
  }

  private lift(index: number, term: number, command: LiftDelay): Verdict {
    const { name, closedAt, proposerTerm } = command;
    if (proposerTerm !== term) return ['DONE'];
    this.ghosts = this.ghosts.filter(
      (ghost) => ghost.item.name !== name || ghost.closedAt !== closedAt,
    );
    this.pass(index);
    return ['DONE'];
  }

  private liftEmbargo(index: number, term: number, lift: LiftEmbargo): Verdict {
    if (lift.proposerTerm !== term || lift.afterName !== this.embargo?.cursor) return ['DONE'];
    const cursor = nextCursor(this, lift.afterName);
    this.embargo = cursor === null ? null : { cursor };
    this.pass(index);
    return ['DONE'];
  }

  private allows(items: readonly RequestItem[]): boolean {
    return this.embargo === null || items.every(({ name }) => isUpTo(name, this.embargo?.cursor));
  }

  /** What a restore makes of it: only those without TTL stay. */
  becomeRestored(at: number, embargoMs: number): void {
    for (const session of this.sessions.filter(({ ttlMs }) => ttlMs !== null))
      this.ghosts.push(...ghostsOf(this.requests, session, at));
    this.sessions = this.sessions.filter(({ ttlMs }) => ttlMs === null);
    this.requests = this.requests.filter(({ session }) => this.find(session) !== null);
    this.embargo = embargoMs > 0 ? { cursor: null } : null;
    this.pass(at);
  }

  private end(index: number, { session: id }: { readonly session: string }): Verdict {
    this.sessions = this.sessions.filter((session) => session.id !== id);
    this.requests = this.requests.filter((request) => request.session !== id);
    this.pass(index);
    return ['DONE'];
  }

  private finish(index: number, ended: readonly ModelRequest[], cause: string): void {
    this.requests = this.requests.filter((request) => !ended.includes(request));
    for (const { session: id, seq, hash, token } of ended) {
      const session = this.find(id);
      if (session !== null) this.store(session, seq, hash, ['ENDED', cause, token]);
    }
    this.pass(index);
  }

  /** Looks at every waiter again and again, until nobody who could be granted is left. */
  private pass(index: number): void {
    for (;;) {
      const next = this.requests.find(
        (request) => request.token === 0 && this.isGrantable(request),
      );
      if (next === undefined) return;
      next.slots = next.items.map((item) => freeSlots(item, this.tenants(item.name)));
      next.token = index;
    }
  }

  private isGrantable(request: ModelRequest): boolean {
    if (!this.allows(request.items)) return false;
    return request.items.every(
      (item) =>
        this.asking(item.name, false)[0] === request && isFree(item, this.tenants(item.name)),
    );
  }

  private present(request: ModelRequest): Verdict {
    if (request.token > 0) {
      const isOfSlots = request.items.some((item) => item.permits !== null);
      return ['GRANTED', request.token, JSON.stringify(isOfSlots ? request.slots : [])];
    }
    const lengths = request.items.map(({ name }) => {
      return this.asking(name, false).filter((other) => other.index < request.index).length;
    });
    return ['QUEUED', Math.max(...lengths)];
  }

  private store(session: ModelSession, seq: number, hash: number | null, verdict: Verdict): void {
    if (seq >= session.ackedBelow) session.answers.set(seq, { hash, verdict });
  }

  private find(id: string): ModelSession | null {
    return this.sessions.find((session) => session.id === id) ?? null;
  }

  private live(session: string, seq: number): ModelRequest | null {
    const isIt = (request: ModelRequest) => request.session === session && request.seq === seq;
    return this.requests.find(isIt) ?? null;
  }
}
