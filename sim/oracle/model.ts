// Sessions and locks of all forms once more (RAFT.md §12, §13), written for plainness and sharing
// no code with src/locks: what the log, entry by entry, should have come to.

import type { Index, SessionId, Term } from '../../src/base/units.ts';
import type { Acquire, Break, Cancel, CloseSession, Command } from '../../src/locks/commands.ts';
import type { LiftDelay, OpenSession, Proclaim, Release } from '../../src/locks/commands.ts';
import type { ReplicatedLimits, Withdraw } from '../../src/locks/commands.ts';
import type { EndCause, LockEvent, SessionEndCause } from '../../src/locks/outcomes.ts';
import { busy, granted, opened, slotsOf } from './model-answers.ts';
import { ModelEmbargo } from './model-embargo.ts';
import { ModelLimits } from './model-limits.ts';
import { ModelLocks } from './model-locks.ts';
import type { Meant } from './model-locks.ts';
import { acknowledge, delayedFact, factsOf, isCount, isFull } from './model-memory.ts';
import { liftedFact, namesOf, newSession, newStep, store, unexecuted } from './model-memory.ts';
import { isAskable, isOpenable, isText, weightOf } from './model-rules.ts';
import type {
  ModelClaim,
  ModelGhost,
  ModelRequest,
  ModelSession,
  ModelStep,
} from './model-state.ts';

type Numbered = Acquire | Cancel | Release | Proclaim | CloseSession;

/** The state after the entries so far. */
export class LockModel {
  readonly locks = new ModelLocks();
  readonly embargo = new ModelEmbargo();
  readonly limits: ModelLimits;
  private readonly sessions = new Map<SessionId, ModelSession>();
  private readonly nonces = new Map<string, ModelSession>();

  constructor(limits: ReplicatedLimits) {
    this.limits = new ModelLimits(limits);
  }

  isAlive(session: SessionId): boolean {
    return this.sessions.has(session);
  }

  /**
   * The state of a backup becomes that of a restored cluster (RAFT.md §15.7): what sessions with a
   * TTL had is gone, but for lock-delays that begin now. Gives what a log would tell of that.
   */
  becomeRestored(index: Index, hasEmbargo: boolean): readonly LockEvent[] {
    this.embargo.begin();
    const step = newStep(index, 0);
    for (const session of [...this.sessions.values()]) {
      if (session.open.ttlMs !== null) this.end(step, session, 'expired');
    }
    if (!hasEmbargo) this.embargo.end();
    this.grantNext(step, [...this.locks.names()]);
    return step.facts;
  }

  apply(index: Index, term: Term, command: Command): ModelStep {
    const step = newStep(index, term);
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
      case 'proclaim':
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
      case 'withdraw':
        return this.withdraw(step, command);
      case 'break':
        return this.break(step, command);
      case 'liftDelay':
        return this.liftDelay(step, command);
      case 'liftEmbargo':
        this.grantNext(step, this.embargo.lift(command, step.term, this));
        return 'DONE';
      case 'setLimits':
        return this.limits.set(command);
    }
  }

  private open(step: ModelStep, command: OpenSession): string {
    const known = this.nonces.get(command.nonce);
    if (known !== undefined) return unexecuted(step, opened(known));
    if (!isOpenable(command, this.limits.now)) return 'INVALID';
    const session = newSession(step, command);
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
      if (isKept) step.facts.push({ type: 'leaseChanged', session: session.id, leaseMs: null });
    }
    if (!isCount(seq, 1) || !isCount(ackedBelow, 0)) return unexecuted(step, 'INVALID');
    acknowledge(session, ackedBelow);
    const known = this.known(session, command);
    if (known !== null) return unexecuted(step, known);
    if (isFull(session, command, this.limits)) return unexecuted(step, 'WINDOW');
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

  private executeNumbered(
    step: ModelStep,
    session: ModelSession,
    command: Acquire | Cancel | Release | Proclaim,
  ): string {
    if (command.op === 'acquire') return this.acquire(step, session, command);
    if (command.op === 'release') return this.release(step, session, command);
    if (command.op === 'proclaim') return this.proclaim(step, session, command);
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
    const { items, seq, bodyHash: hash, waitMs, value } = command;
    let has = 0;
    for (const request of session.requests.values()) has += weightOf(request.claims);
    if (!isAskable(command, this.limits.now, has)) return 'INVALID';
    if (!items.every((item) => this.locks.agrees(item))) return 'INVALID';
    const names = items.map((item) => item.name);
    if (waitMs === 0 && !this.embargo.admits(names)) return 'EMBARGO';
    const inTheWay = this.locks.inTheWay(items);
    if (waitMs === 0 && inTheWay !== null) return busy(inTheWay);
    const claims: ModelClaim[] = [];
    const { index } = step;
    const request: ModelRequest = { session, seq, hash, index, names, claims, token: 0, value };
    for (const item of items) claims.push({ ...item, request, slots: [] });
    session.requests.set(seq, request);
    if (inTheWay === null && this.embargo.admits(names)) this.grant(step, request);
    else {
      this.locks.join(request);
      step.facts.push({ type: 'queued', waitMs, ...factsOf(request) });
    }
    return this.present(request);
  }

  private release(step: ModelStep, session: ModelSession, command: Release): string {
    const [request, another] = this.locks.grantsOf({ ...command, session: session.id });
    if (request === undefined) return 'NOT_HOLDER';
    return another === undefined ? this.finish(step, request, 'released') : 'INVALID';
  }

  private proclaim(step: ModelStep, session: ModelSession, command: Proclaim): string {
    const { value } = command;
    if (!isText(value, this.limits.now.metaBytesMax)) return 'INVALID';
    const [request, another] = this.locks.grantsOf({ ...command, session: session.id });
    if (request === undefined) return 'NOT_HOLDER';
    if (another !== undefined) return 'INVALID';
    request.value = value;
    step.facts.push({ type: 'proclaimed', token: request.token, value, ...factsOf(request) });
    return 'DONE';
  }

  /** All of it goes before somebody else is next. */
  private break(step: ModelStep, command: Break): string {
    const { metaBytesMax } = this.limits.now;
    const isSaid = isText(command.by, metaBytesMax) && isText(command.reason, metaBytesMax);
    if (!isSaid) return 'INVALID';
    const meant: Meant = { ...command, acquireSeq: null };
    const requests = this.locks.grantsOf(meant);
    const ghosts = this.locks.ghostsOf(meant);
    if (requests.length === 0 && ghosts.length === 0) return 'NOT_HOLDER';
    for (const request of requests) this.conclude(step, request, 'broken');
    for (const ghost of ghosts) this.lift(step, ghost, 'broken');
    this.grantNext(step, namesOf([...requests, ...ghosts.map(({ name }) => ({ names: [name] }))]));
    return 'DONE';
  }

  private withdraw(step: ModelStep, { session, acquireSeq, proposerTerm }: Withdraw): string {
    const request = this.sessions.get(session)?.requests.get(acquireSeq);
    const isDue = request?.token === 0 && proposerTerm === step.term;
    return isDue ? this.finish(step, request, 'withdrawn') : 'DONE';
  }

  private liftDelay(step: ModelStep, { name, closedAt, proposerTerm }: LiftDelay): string {
    if (proposerTerm !== step.term) return 'DONE';
    const all = this.locks.find(name)?.ghosts ?? [];
    for (const ghost of all.filter((each) => each.closedAt === closedAt)) {
      this.lift(step, ghost, 'over');
    }
    this.grantNext(step, [name]);
    return 'DONE';
  }

  private lift(step: ModelStep, ghost: ModelGhost, cause: 'over' | 'broken'): void {
    this.locks.lift(ghost);
    step.facts.push(liftedFact(ghost, cause));
  }

  /** One request ends; its session keeps the answer for those who ask late. */
  private finish(step: ModelStep, request: ModelRequest, cause: EndCause): string {
    this.conclude(step, request, cause);
    this.grantNext(step, request.names);
    return 'DONE';
  }

  private conclude(step: ModelStep, request: ModelRequest, cause: EndCause): void {
    const { session, seq, hash, token } = request;
    session.requests.delete(seq);
    this.remove(step, request, cause);
    store(session, seq, { hash, answer: `ENDED ${cause} ${token}` });
  }

  /** A session ends with all that it has; only then somebody else is next. */
  private end(step: ModelStep, session: ModelSession, cause: SessionEndCause): string {
    this.sessions.delete(session.id);
    this.nonces.delete(session.open.nonce);
    step.facts.push({ type: 'sessionEnded', session: session.id, cause, reason: '' });
    const requests = [...session.requests.values()];
    for (const request of requests) {
      this.remove(step, request, cause);
      if (cause === 'expired' && request.token > 0) this.delay(step, request);
    }
    this.grantNext(step, namesOf(requests));
    return 'DONE';
  }

  /** The lock-delay: what a grant had stays closed to others, one name like the other. */
  private delay(step: ModelStep, request: ModelRequest): void {
    const { lockDelayMs } = request.session.open;
    for (const claim of lockDelayMs > 0 ? request.claims : []) {
      this.locks.haunt(claim, step.index);
      step.facts.push(delayedFact(claim, step.index));
    }
  }

  private remove(step: ModelStep, request: ModelRequest, cause: EndCause | SessionEndCause): void {
    this.locks.leave(request);
    const { token } = request;
    const facts = { cause, ...factsOf(request) };
    if (token === 0) step.facts.push({ type: 'left', ...facts });
    else step.facts.push({ type: 'freed', token, reason: '', ...facts });
  }

  /** Who comes in may let in those behind: two who share a lock are together. */
  private grantNext(step: ModelStep, names: readonly string[]): void {
    const touched = new Set(names);
    const { locks, embargo } = this;
    const nextOne = (): ModelRequest | null => locks.nextAt(touched, embargo);
    for (let next = nextOne(); next !== null; next = nextOne()) {
      this.grant(step, next);
      for (const name of next.names) touched.add(name);
    }
  }

  private grant(step: ModelStep, request: ModelRequest): void {
    this.locks.take(request, step.index);
    const { token, value } = request;
    const slots = slotsOf(request);
    step.facts.push({ type: 'granted', token, slots, value, ...factsOf(request) });
  }

  private present(request: ModelRequest): string {
    return request.token > 0 ? granted(request) : `QUEUED ${this.locks.ahead(request)}`;
  }
}
