// A second lock machine, written for plainness alone: flat lists, searched from end to end. It
// shares no code with the real one. Refusals are compared by code, not by text.

import type {
  Acquire,
  Break,
  Cancel,
  CloseSession,
  Command,
  ExpireSession,
  OpenSession,
  Release,
  ReplicatedLimits,
} from '../../src/locks/commands.ts';

/** What the model says of an answer: the outcome without texts and views. */
export type Verdict = readonly (string | number | null)[];

interface ModelSession {
  readonly id: string;
  readonly nonce: string;
  readonly ttlMs: number | null;
  isUsed: boolean;
  ackedBelow: number;
  readonly answers: Map<number, { hash: number | null; verdict: Verdict }>;
}

export interface ModelRequest {
  readonly session: string;
  readonly seq: number;
  readonly hash: number;
  readonly index: number;
  readonly names: readonly string[];
  /** 0 while it waits. */
  token: number;
}

export class Model {
  readonly limits: ReplicatedLimits;
  sessions: ModelSession[] = [];
  /** All live requests in the order of their entries. */
  requests: ModelRequest[] = [];

  constructor(limits: ReplicatedLimits) {
    this.limits = limits;
  }

  apply(index: number, term: number, command: Command): Verdict {
    switch (command.op) {
      case 'openSession':
        return this.open(index, command);
      case 'acquire':
      case 'cancel':
      case 'release':
      case 'closeSession':
        return this.numbered(index, command);
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
      case 'proclaim':
      case 'liftDelay':
        return ['DONE'];
    }
  }

  private open(index: number, command: OpenSession): Verdict {
    const known = this.sessions.find((session) => session.nonce === command.nonce);
    if (known !== undefined) return ['OPENED', known.id, known.ttlMs];
    const { nonce, ttlMs } = command;
    if (ttlMs !== null && (ttlMs < this.limits.ttlMsMin || ttlMs > this.limits.ttlMsMax)) {
      return ['INVALID'];
    }
    const id = `${index}-${nonce}`;
    const answers = new Map();
    this.sessions.push({ id, nonce, ttlMs, isUsed: false, ackedBelow: 0, answers });
    return ['OPENED', id, ttlMs];
  }

  private numbered(index: number, command: Acquire | Cancel | Release | CloseSession): Verdict {
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
    if (op === 'acquire' && isFull) return ['WINDOW'];
    if (op === 'closeSession') return this.end(index, command);
    const verdict = this.execute(index, session, command);
    if (this.live(session.id, seq) === null) this.store(session, seq, bodyHash, verdict);
    return verdict;
  }

  private execute(
    index: number,
    session: ModelSession,
    command: Acquire | Cancel | Release,
  ): Verdict {
    if (command.op === 'acquire') return this.acquire(index, command);
    if (command.op === 'release') return this.release(index, command);
    if (command.acquireSeq === command.seq) return ['INVALID'];
    const request = this.live(session.id, command.acquireSeq);
    if (request !== null) this.finish(index, [request], 'cancelled');
    else if (!session.answers.has(command.acquireSeq)) {
      this.store(session, command.acquireSeq, null, ['ENDED', 'cancelled', 0]);
    }
    return ['DONE'];
  }

  private acquire(index: number, command: Acquire): Verdict {
    const names = command.items.map((item) => item.name);
    const mine = this.requests.filter((request) => request.session === command.session);
    const holdings = mine.reduce((sum, request) => sum + request.names.length, names.length);
    if (new Set(names).size < names.length || holdings > this.limits.holdingsPerSessionMax) {
      return ['INVALID'];
    }
    if (command.waitMs === 0) {
      for (const name of names) {
        const inTheWay = this.requests.filter((request) => request.names.includes(name));
        const holder = inTheWay.find((request) => request.token > 0);
        const [first] = inTheWay;
        if (holder !== undefined) return ['LOCK_BUSY', name, holder.token, holder.session, 0];
        if (first !== undefined) return ['LOCK_BUSY', name, null, null, first.index];
      }
    }
    const { session, seq, bodyHash: hash } = command;
    const request = { session, seq, hash, index, names, token: 0 };
    this.requests.push(request);
    this.pass(index);
    return this.present(request);
  }

  private release(index: number, command: Release): Verdict {
    const { session, acquireSeq, token, name } = command;
    const grant = this.requests.find(
      (request) =>
        request.session === session &&
        request.token === token &&
        request.token > 0 &&
        request.names.includes(name) &&
        (acquireSeq === null || request.seq === acquireSeq),
    );
    if (grant === undefined) return ['NOT_HOLDER'];
    this.finish(index, [grant], 'released');
    return ['DONE'];
  }

  private break(index: number, { name, token, session }: Break): Verdict {
    const grants = this.requests.filter(
      (request) =>
        request.token > 0 &&
        request.token === token &&
        request.names.includes(name) &&
        (session === null || request.session === session),
    );
    if (grants.length === 0) return ['NOT_HOLDER'];
    this.finish(index, grants, 'broken');
    return ['DONE'];
  }

  private expire(index: number, term: number, command: ExpireSession): Verdict {
    const session = this.find(command.session);
    const isKept = session?.ttlMs === null && session.isUsed;
    if (session !== null && command.proposerTerm === term && !isKept) this.end(index, command);
    return ['DONE'];
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

  /** Every waiter, oldest first: granted if no older request touches any of its names. */
  private pass(index: number): void {
    const taken = new Set(
      this.requests.filter((request) => request.token > 0).flatMap((request) => request.names),
    );
    for (const request of this.requests) {
      if (request.token > 0) continue;
      if (request.names.every((name) => !taken.has(name))) request.token = index;
      for (const name of request.names) taken.add(name);
    }
  }

  private present(request: ModelRequest): Verdict {
    if (request.token > 0) return ['GRANTED', request.token];
    const lengths = request.names.map((name) => {
      const waiters = this.requests.filter((other) => other.token === 0);
      return waiters.filter((other) => other.index < request.index && other.names.includes(name))
        .length;
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
    return (
      this.requests.find((request) => request.session === session && request.seq === seq) ?? null
    );
  }
}
