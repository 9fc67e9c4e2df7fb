// One acquire from the call to its end: granted, refused, given up, or lost with its session.

import { HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { MonoUs, Revision, Token } from '../base/units.ts';
import type { RequestItem } from '../locks/commands.ts';
import type { EndCause, Outcome } from '../locks/outcomes.ts';
import type { Timer } from '../ports/clock.ts';
import type { CommandBody } from '../wire/command.ts';
import { errorCodeOf } from '../wire/outcome.ts';
import {
  busyError,
  endedUnseenError,
  lostWaitError,
  noAnswerError,
  waitOverError,
} from './acquire-error.ts';
import type { Attempt } from './acquire-error.ts';
import { sendCancel } from './cancel.ts';
import type { Ticket } from './exchange.ts';
import type { GrantStart } from './hold.ts';
import type { Loss } from './loss.ts';
import { SessionCommand } from './session-command.ts';
import type { CommandOwner } from './session-command.ts';
import type { Waiting } from './holdings.ts';
import type { Session } from './session.ts';
import { callAt } from './timer.ts';

/** A checked acquire. */
export interface AcquireRequest {
  /** At least one. */
  readonly items: readonly RequestItem[];
  /** How long to wait in the queue, from the call. 0: not at all. Infinity: without limit. */
  readonly waitMs: number;
  /** See AcquireOptions; null: as the client's options say. */
  readonly maxHoldMs: number | null;
  /** JSON text. */
  readonly meta: string;
  /** Of an election's campaign; null for a lock. */
  readonly value: string | null;
  /** Gives up the wait. */
  readonly signal: AbortSignal | null;
}

/** Who wants the lock. */
export interface AcquireOwner {
  /** Whoever wants it makes a grant of the session out of it, at once. */
  onGranted(session: Session, start: GrantStart): void;
  /** Nothing is held, nor will be: what was sent is taken back by a cancel. */
  onFailed(reason: unknown): void;
  /** The session was lost before anything was sent in it. Throws when there will be no other. */
  nextSession(): Session;
}

/**
 * Invariant: exactly one of the owner's call-backs runs, once. After onFailed a grant that still
 * arrives is nobody's, so a Cancel is sent until it is decided (RAFT.md §13, C10).
 */
export class Acquisition implements Waiting, CommandOwner {
  private session: Session;
  private readonly request: AcquireRequest;
  private readonly owner: AcquireOwner;
  private command: SessionCommand;
  private readonly startedUs: MonoUs;
  private readonly onAbort = (): void => this.giveUp(this.request.signal?.reason);
  private ticket: Ticket | null = null;
  private limit: Timer;
  private ahead: number | null = null;
  private isOver = false;

  constructor(session: Session, request: AcquireRequest, owner: AcquireOwner) {
    this.session = session;
    this.request = request;
    this.owner = owner;
    this.command = this.newCommand();
    const { clock, settings } = session.parts;
    this.startedUs = clock.monoUs();
    const answerMs = Math.max(request.waitMs, settings.requestMs);
    this.limit = callAt(clock, this.startedUs + answerMs * 1000, () => this.onNoAnswer());
    request.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  start(): void {
    this.session.join(this);
  }

  onOpen(): void {
    if (!this.isOver) this.ticket = this.session.parts.requests.submit(this.command);
  }

  onOutcome(outcome: Outcome, _revision: Revision): void {
    this.ticket = null;
    switch (outcome.code) {
      case 'GRANTED':
        return this.onGranted(outcome.token, outcome.slots);
      case 'QUEUED':
        return this.onQueued(outcome.ahead);
      case 'LOCK_BUSY':
        return this.fail(busyError(this.attempt(), outcome));
      case 'ENDED':
        return this.onEnded(outcome.cause, '');
      case 'SESSION_GONE':
        return this.session.lose({ code: 'SESSION_GONE', text: outcome.message, details: {} });
      case 'STALE_SEQ':
        return this.fail(endedUnseenError(this.attempt()));
      case 'INVALID':
      case 'EMBARGO':
        return this.fail(new HoldfastError(errorCodeOf(outcome.code), outcome.message));
      default:
        return this.fail(new HoldfastError('INTERNAL', `an acquire was answered ${outcome.code}`));
    }
  }

  // A grant that arrives when the lease is over is not a hold (etcd#11456): isAlive then ends the
  // session, and this acquire with it.
  onGranted(token: Token, slots: GrantStart['slots']): void {
    if (this.isOver) return;
    if (!this.session.isAlive(false)) return probes.reach('grant-arrives-after-lease');
    this.finish();
    this.session.sequence.settle(this.command.seq);
    const names = this.names();
    const mode = this.request.items[0]?.mode ?? 'exclusive';
    const acquireSeq = this.command.seq;
    const maxHoldMs = this.request.maxHoldMs ?? this.session.parts.settings.maxHoldMs;
    this.owner.onGranted(this.session, { names, token, acquireSeq, mode, slots, maxHoldMs });
  }

  onOver(cause: 'withdrawn' | 'broken', reason: string): void {
    this.session.sequence.settle(this.command.seq);
    this.onEnded(cause, reason);
  }

  onRefused(error: HoldfastError): void {
    this.fail(error);
  }

  onFail(error: HoldfastError): void {
    this.fail(error);
  }

  // What was not sent has no place in the lost session: it asks in another one.
  onLost(loss: Loss): void {
    if (this.isOver) return;
    const isUnsent = this.command.seq === 0;
    const isLastSession = loss.code === 'CLOSED' || loss.code === 'CLUSTER_CHANGED';
    if (isUnsent && !isLastSession) this.move();
    else this.fail(lostWaitError(this.attempt(), loss, this.mayStand()));
  }

  askAgain(): void {
    if (this.isOver || this.ahead === null || this.ticket !== null) return;
    probes.reach('waiter-asks-again');
    this.ticket = this.session.parts.requests.submit(this.command);
  }

  // The belief ends first, then the cancel is sent (RAFT.md §14.2).
  giveUp(reason: unknown): void {
    if (this.isOver) return;
    const mayStand = this.mayStand();
    this.fail(reason);
    const { seq } = this.command;
    if (seq === 0 || this.session.loss !== null) return;
    probes.sometimes('acquire-given-up-in-doubt', mayStand && this.ahead === null);
    if (mayStand) sendCancel(this.session, seq);
    else this.session.sequence.settle(seq);
  }

  private move(): void {
    this.ticket?.drop();
    this.ticket = null;
    try {
      this.session = this.owner.nextSession();
    } catch (reason) {
      this.fail(reason);
      return;
    }
    probes.reach('acquire-moves-to-new-session');
    this.command = this.newCommand();
    this.start();
  }

  private newCommand(): SessionCommand {
    return new SessionCommand(this.session.sequence, (seq) => this.body(seq), this);
  }

  // Whether the cluster may have it in the queue, or have granted it.
  private mayStand(): boolean {
    return this.ahead !== null || (this.ticket?.isInDoubt() ?? false);
  }

  private onQueued(ahead: number): void {
    if (this.isOver) return;
    const isNew = this.ahead === null;
    this.ahead = ahead;
    if (!isNew) return;
    this.limit.cancel();
    const { clock } = this.session.parts;
    const dueUs = this.startedUs + this.request.waitMs * 1000;
    if (clock.monoUs() >= dueUs) this.onWaitOver();
    else this.limit = callAt(clock, dueUs, () => this.onWaitOver());
  }

  private onEnded(cause: EndCause, reason: string): void {
    if (cause === 'withdrawn') this.fail(waitOverError(this.attempt(), this.request.waitMs));
    else if (cause === 'broken') {
      const text = `the lock was granted and broken before this client learnt of it: ${reason}`;
      this.fail(new HoldfastError('BROKEN', text));
    } else this.fail(new HoldfastError('CANCELLED', `the request was ${cause}`));
  }

  private onWaitOver(): void {
    this.giveUp(waitOverError(this.attempt(), this.request.waitMs));
  }

  private onNoAnswer(): void {
    const { links, requests } = this.session.parts;
    const refusal = requests.lastRefusal();
    const isInDoubt = this.ticket?.isInDoubt() ?? false;
    const cluster = { tried: links.describe(), refusal, isInDoubt };
    this.giveUp(noAnswerError(this.attempt(), cluster));
  }

  private fail(reason: unknown): void {
    if (this.isOver) return;
    this.finish();
    this.owner.onFailed(reason);
  }

  private finish(): void {
    this.isOver = true;
    this.limit.cancel();
    this.request.signal?.removeEventListener('abort', this.onAbort);
    this.ticket?.drop();
    this.session.forget(this.command.seq, this);
  }

  private attempt(): Attempt {
    const waitedMs = Math.floor((this.session.parts.clock.monoUs() - this.startedUs) / 1000);
    return { names: this.names(), waitedMs, ahead: this.ahead };
  }

  private names(): readonly string[] {
    return this.request.items.map((item) => item.name);
  }

  private body(seq: number): CommandBody {
    this.session.holdings.expect(seq, this);
    const { items, waitMs, meta, value } = this.request;
    return {
      op: 'acquire',
      session: this.session.id ?? '',
      seq,
      items,
      waitMs: waitMs === Infinity ? null : waitMs,
      meta,
      value,
    };
  }
}
