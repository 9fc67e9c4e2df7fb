// Sessions and exclusive locks once more (RAFT.md §12, §13), written for plainness and sharing no
// code with src/locks: what the log, entry by entry, should have come to.

import type { Index, SessionId, Term } from '../../src/base/units.ts';
import type {
  Acquire,
  Break,
  Cancel,
  CloseSession,
  Command,
  OpenSession,
  Release,
  ReplicatedLimits,
} from '../../src/locks/commands.ts';
import type { EndCause, SessionEndCause } from '../../src/locks/outcomes.ts';
import { isAskable, isOpenable, isText, isWithin } from './model-rules.ts';
import { ModelLines } from './model-state.ts';
import type { ModelRequest, ModelSession, ModelStep } from './model-state.ts';

/** Numbers from here on are not remembered (HTTP without `seq`). */
const UNNUMBERED_MIN = 2 ** 52;

type Numbered = Acquire | Cancel | Release | CloseSession;

/** The state after the entries so far. */
export class LockModel {
  readonly lines = new ModelLines();
  private readonly limits: ReplicatedLimits;
  private readonly sessions = new Map<SessionId, ModelSession>();
  private readonly nonces = new Map<string, ModelSession>();

  constructor(limits: ReplicatedLimits) {
    this.limits = limits;
  }

  isAlive(session: SessionId): boolean {
    return this.sessions.has(session);
  }

  apply(index: Index, term: Term, command: Command): ModelStep {
    const step: ModelStep = { index, term, facts: [], answer: '', isExecuted: true };
    step.answer = this.execute(step, command);
    return step;
  }

  private execute(step: ModelStep, command: Command): string {
    switch (command.op) {
      case 'openSession':
        return this.open(step, command);
      case 'acquire':
      case 'cancel':
      case 'release':
      case 'closeSession':
        return this.numbered(step, command);
      case 'endSession': {
        const session = this.sessions.get(command.session);
        return session === undefined ? 'SESSION_GONE' : this.end(step, session, 'ended');
      }
      case 'expireSession': {
        const session = this.sessions.get(command.session);
        // One without TTL is mortal until its first command.
        const isMortal = session !== undefined && (session.open.ttlMs !== null || !session.isUsed);
        const isDue = isMortal && command.proposerTerm === step.term;
        return isDue ? this.end(step, session, 'expired') : 'DONE';
      }
      case 'withdraw': {
        const request = this.sessions.get(command.session)?.requests.get(command.acquireSeq);
        const isDue = request?.token === 0 && command.proposerTerm === step.term;
        return isDue ? this.finish(step, request, 'withdrawn') : 'DONE';
      }
      case 'break':
        return this.break(step, command);
    }
  }

  private open(step: ModelStep, command: OpenSession): string {
    const known = this.nonces.get(command.nonce);
    if (known !== undefined) return unexecuted(step, opened(known));
    if (!isOpenable(command, this.limits)) return 'INVALID';
    const session: ModelSession = {
      id: `${step.index}-${command.nonce}`,
      open: command,
      isUsed: false,
      ackedBelow: 0,
      answers: new Map(),
      requests: new Map(),
    };
    this.sessions.set(session.id, session);
    this.nonces.set(command.nonce, session);
    step.facts.push({ type: 'sessionOpened', session: session.id, ttlMs: command.ttlMs });
    return opened(session);
  }

  /** RAFT.md §12: a live acquire, STALE_SEQ, a stored answer, WINDOW, and only then execution. */
  private numbered(step: ModelStep, command: Numbered): string {
    const { seq, ackedBelow, bodyHash, op } = command;
    const session = this.sessions.get(command.session);
    if (session === undefined) return unexecuted(step, 'SESSION_GONE');
    if (!session.isUsed) {
      session.isUsed = true;
      const isKept = session.open.ttlMs === null;
      const { id } = session;
      if (isKept) step.facts.push({ type: 'leaseChanged', session: id, leaseMs: null });
    }
    if (!isCount(seq, 1) || !isCount(ackedBelow, 0)) return unexecuted(step, 'INVALID');
    acknowledge(session, ackedBelow);
    const known = this.known(session, command);
    if (known !== null) return unexecuted(step, known);
    if (this.isFull(session, command)) return unexecuted(step, 'WINDOW');
    if (op === 'closeSession') return this.end(step, session, 'closed');
    const answer = this.executeNumbered(step, session, command);
    if (!session.requests.has(seq)) store(session, seq, { hash: bodyHash, answer });
    return answer;
  }

  private known(session: ModelSession, { seq, bodyHash }: Numbered): string | null {
    const live = session.requests.get(seq);
    if (live !== undefined) return live.hash === bodyHash ? this.present(live) : 'INVALID';
    if (seq < session.ackedBelow) return 'STALE_SEQ';
    const stored = session.answers.get(seq);
    if (stored === undefined) return null;
    return stored.hash === null || stored.hash === bodyHash ? stored.answer : 'INVALID';
  }

  // What gives back must go through: it has a bound of its own, of all that can be given back. So
  // must the request that keeps all answers above it from being acknowledged.
  private isFull(session: ModelSession, { op, seq }: Numbered): boolean {
    const { windowMax, holdingsPerSessionMax } = this.limits;
    if (op === 'closeSession' || seq === session.ackedBelow) return false;
    const more = op === 'acquire' ? 0 : 2 * holdingsPerSessionMax;
    return session.answers.size >= windowMax + more;
  }

  private executeNumbered(
    step: ModelStep,
    session: ModelSession,
    command: Acquire | Cancel | Release,
  ): string {
    if (command.op === 'acquire') return this.acquire(step, session, command);
    if (command.op === 'release') return this.release(step, session, command);
    const { acquireSeq, seq } = command;
    if (!isCount(acquireSeq, 1) || acquireSeq === seq) return 'INVALID';
    const request = session.requests.get(acquireSeq);
    if (request !== undefined) return this.finish(step, request, 'cancelled');
    if (!session.answers.has(acquireSeq)) {
      store(session, acquireSeq, { hash: null, answer: 'ENDED cancelled 0' });
    }
    return 'DONE';
  }

  private acquire(step: ModelStep, session: ModelSession, command: Acquire): string {
    let has = 0;
    for (const request of session.requests.values()) has += request.names.length;
    if (!isAskable(command, this.limits, has)) return 'INVALID';
    const { seq, bodyHash: hash, waitMs } = command;
    const names = command.items.map((item) => item.name);
    for (const name of waitMs === 0 ? names : []) {
      const first = this.lines.first(name);
      if (first !== null) return busy(name, first);
    }
    const request: ModelRequest = { session, seq, hash, index: step.index, names, token: 0 };
    session.requests.set(seq, request);
    this.lines.join(request);
    if (this.lines.isFirst(request)) grant(step, request);
    else step.facts.push({ type: 'queued', waitMs, ...factsOf(request) });
    return this.present(request);
  }

  private release(step: ModelStep, session: ModelSession, command: Release): string {
    const { name, token, acquireSeq } = command;
    const holder = this.lines.first(name);
    const isIt =
      holder !== null &&
      holder.token > 0 &&
      holder.token === token &&
      holder.session === session &&
      (acquireSeq === null || holder.seq === acquireSeq);
    return isIt ? this.finish(step, holder, 'released') : 'NOT_HOLDER';
  }

  private break(step: ModelStep, command: Break): string {
    const { metaBytesMax } = this.limits;
    const isSaid = isText(command.by, metaBytesMax) && isText(command.reason, metaBytesMax);
    if (!isSaid) return 'INVALID';
    const holder = this.lines.first(command.name);
    const isIt =
      holder !== null &&
      holder.token > 0 &&
      holder.token === command.token &&
      (command.session === null || holder.session.id === command.session);
    return isIt ? this.finish(step, holder, 'broken') : 'NOT_HOLDER';
  }

  /** One request ends; its session keeps the answer for those who ask late. */
  private finish(step: ModelStep, request: ModelRequest, cause: EndCause): string {
    const { session, seq, hash, token } = request;
    session.requests.delete(seq);
    this.remove(step, request, cause);
    store(session, seq, { hash, answer: `ENDED ${cause} ${token}` });
    this.grantNext(step, request.names);
    return 'DONE';
  }

  /** A session ends with all that it has; only then somebody else is next. */
  private end(step: ModelStep, session: ModelSession, cause: SessionEndCause): string {
    this.sessions.delete(session.id);
    this.nonces.delete(session.open.nonce);
    step.facts.push({ type: 'sessionEnded', session: session.id, cause, reason: '' });
    const requests = [...session.requests.values()];
    for (const request of requests) this.remove(step, request, cause);
    this.grantNext(
      step,
      requests.flatMap((request) => request.names),
    );
    return 'DONE';
  }

  private remove(step: ModelStep, request: ModelRequest, cause: EndCause | SessionEndCause): void {
    this.lines.leave(request);
    const { token } = request;
    const facts = { cause, ...factsOf(request) };
    if (token === 0) step.facts.push({ type: 'left', ...facts });
    else step.facts.push({ type: 'freed', token, reason: '', ...facts });
  }

  private grantNext(step: ModelStep, names: readonly string[]): void {
    for (const request of this.lines.candidates(names)) grant(step, request);
  }

  private present(request: ModelRequest): string {
    const { token } = request;
    return token > 0 ? `GRANTED ${token}` : `QUEUED ${this.lines.ahead(request)}`;
  }
}

function grant(step: ModelStep, request: ModelRequest): void {
  request.token = step.index;
  step.facts.push({ type: 'granted', token: request.token, ...factsOf(request) });
}

function acknowledge(session: ModelSession, ackedBelow: number): void {
  if (ackedBelow <= session.ackedBelow) return;
  session.ackedBelow = ackedBelow;
  for (const seq of session.answers.keys()) if (seq < ackedBelow) session.answers.delete(seq);
}

function store(
  session: ModelSession,
  seq: number,
  answer: { readonly hash: number | null; readonly answer: string },
): void {
  if (seq >= session.ackedBelow && seq < UNNUMBERED_MIN) session.answers.set(seq, answer);
}

function unexecuted(step: ModelStep, answer: string): string {
  step.isExecuted = false;
  return answer;
}

function opened({ id, open }: ModelSession): string {
  return `OPENED ${id} ${open.ttlMs}`;
}

function busy(name: string, { token, session, index }: ModelRequest): string {
  if (token > 0) return `LOCK_BUSY ${name} ${token} ${session.id} 0`;
  return `LOCK_BUSY ${name} 0 null ${index}`;
}

function factsOf({ session, seq, names }: ModelRequest): {
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly names: readonly string[];
} {
  return { session: session.id, acquireSeq: seq, names };
}

function isCount(value: number, min: number): boolean {
  return isWithin(value, min, Number.MAX_SAFE_INTEGER);
}
