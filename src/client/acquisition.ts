// One acquire from the call to its end: granted, refused, given up, or lost with its session.

import { HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { MonoUs, Revision, Token } from '../base/units.ts';
import type { LockMode, RequestItem } from '../locks/commands.ts';
import type { EndCause, Outcome } from '../locks/outcomes.ts';
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
import { NOWHERE } from './deadlines.ts';
import type { Due } from './deadlines.ts';
import type { Ticket } from './exchange.ts';
import type { Grant } from './grant.ts';
import type { GrantStart } from './hold.ts';
import type { LockHome } from './lock.ts';
import type { Loss } from './loss.ts';
import { NumberedCommand } from './session-command.ts';
import type { Waiting } from './holdings.ts';
import type { Session } from './session.ts';

/** Nearly always. */
const AS_THE_FIRST: readonly LockMode[] = [];

/** What a request is for. */
export interface Wanted {
  /** At least one. */
  readonly items: readonly RequestItem[];
  /** Of the items. */
  readonly names: readonly string[];
  /** Of an election's campaign; null for a lock. */
  readonly value: string | null;
}

/** A checked acquire. */
export interface AcquireRequest extends Wanted {
  /** How long to wait in the queue, from the call. 0: not at all. Infinity: without limit. */
  readonly waitMs: number;
  /** See AcquireOptions; null: as the client's options say. */
  readonly maxHoldMs: number | null;
  /** JSON text. */
  readonly meta: string;
  /** Gives up the wait. */
  readonly signal: AbortSignal | null;
}

/** Who wants the lock. */
export interface AcquireOwner<G extends Grant> {
  /** Makes a grant of the session, at once. */
  make(session: Session, start: GrantStart): G;
  resolve(grant: G): void;
  /** Nothing is held, nor will be: what was sent is taken back by a cancel. */
  reject(reason: unknown): void;
}

/**
 * Invariant: its owner's promise is settled once. After a rejection a grant that still arrives is
 * nobody's, so a Cancel is sent until it is decided (RAFT.md §13, C10).
 */
export class Acquisition<G extends Grant> extends NumberedCommand implements Waiting, Due {
  dueUs: MonoUs;
  place = NOWHERE;
  turn = 0;
  private session: Session;
  private readonly home: LockHome;
  private readonly request: AcquireRequest;
  private readonly owner: AcquireOwner<G>;
  private readonly startedUs: MonoUs;
  private readonly onAbort: (() => void) | null = null;
  private ticket: Ticket | null = null;
  private ahead: number | null = null;
  private isOver = false;

  /** Throws CLOSED or CLUSTER_CHANGED. */
  constructor(home: LockHome, request: AcquireRequest, owner: AcquireOwner<G>) {
    const session = home.liveSession();
    super(session.sequence);
    this.session = session;
    this.home = home;
    this.request = request;
    this.owner = owner;
    const { clock, settings, deadlines } = session.parts;
    this.startedUs = clock.monoUs();
    this.dueUs = this.startedUs + Math.max(request.waitMs, settings.requestMs) * 1000;
    deadlines.add(this);
    const { signal } = request;
    if (signal === null) return;
    this.onAbort = () => this.giveUp(signal.reason);
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  start(): void {
    this.session.join(this);
  }

  onOpen(): void {
    if (!this.isOver) this.ticket = this.session.parts.requests.submit(this);
  }

  onOutcome(outcome: Outcome, _revision: Revision): void {
    this.ticket = null;
    switch (outcome.code) {
      case 'GRANTED':
        return this.onGranted(outcome.token, outcome.slots);
      case 'QUEUED':
        return this.onQueued(outcome.ahead);
      case 'LOCK_BUSY':
        return this.reject(busyError(this.attempt(), outcome));
      case 'ENDED':
        return this.onEnded(outcome.cause, '');
      case 'SESSION_GONE':
        return this.session.lose({ code: 'SESSION_GONE', text: outcome.message, details: {} });
      case 'STALE_SEQ':
        return this.reject(endedUnseenError(this.attempt()));
      case 'INVALID':
      case 'EMBARGO':
        return this.reject(new HoldfastError(errorCodeOf(outcome.code), outcome.message));
      default:
        return this.reject(
          new HoldfastError('INTERNAL', `an acquire was answered ${outcome.code}`),
        );
    }
  }

  // A grant that arrives when the lease is over is not a hold (etcd#11456): isAlive then ends the
  // session, and this acquire with it.
  onGranted(token: Token, slots: GrantStart['slots']): void {
    if (this.isOver) return;
    if (!this.session.isAlive(false)) return probes.reach('grant-arrives-after-lease');
    this.finish();
    const { session, request, owner, seq: acquireSeq } = this;
    this.sequence.settle(acquireSeq);
    const { names, items } = request;
    const mode = items[0]?.mode ?? 'exclusive';
    const maxHoldMs = request.maxHoldMs ?? session.parts.settings.maxHoldMs;
    const modes = items.some((item) => item.mode !== mode) ? modesOf(items) : AS_THE_FIRST;
    owner.resolve(owner.make(session, { names, token, acquireSeq, mode, modes, slots, maxHoldMs }));
  }

  onOver(cause: 'withdrawn' | 'broken', reason: string): void {
    this.sequence.settle(this.seq);
    this.onEnded(cause, reason);
  }

  onRefused(error: HoldfastError): void {
    this.reject(error);
  }

  onFail(error: HoldfastError): void {
    this.reject(error);
  }

  // What was not sent has no place in the lost session: it asks in another one.
  onLost(loss: Loss): void {
    if (this.isOver) return;
    const isUnsent = this.seq === 0;
    const isLastSession = loss.code === 'CLOSED' || loss.code === 'CLUSTER_CHANGED';
    if (isUnsent && !isLastSession) this.move();
    else this.reject(lostWaitError(this.attempt(), loss, this.mayStand()));
  }

  askAgain(): void {
    if (this.isOver || this.ahead === null || this.ticket !== null) return;
    probes.reach('waiter-asks-again');
    this.ticket = this.session.parts.requests.submit(this);
  }

  onDue(): void {
    if (this.ahead === null) this.onNoAnswer();
    else this.onWaitOver();
  }

  // The belief ends first, then the cancel is sent (RAFT.md §14.2).
  giveUp(reason: unknown): void {
    if (this.isOver) return;
    const mayStand = this.mayStand();
    this.reject(reason);
    const { seq } = this;
    if (seq === 0 || this.session.loss !== null) return;
    probes.sometimes('acquire-given-up-in-doubt', mayStand && this.ahead === null);
    if (mayStand) sendCancel(this.session, seq);
    else this.sequence.settle(seq);
  }

  private move(): void {
    this.ticket?.drop();
    this.ticket = null;
    try {
      this.session = this.home.liveSession();
    } catch (reason) {
      this.reject(reason);
      return;
    }
    probes.reach('acquire-moves-to-new-session');
    this.sequence = this.session.sequence;
    this.start();
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
    const { clock, deadlines } = this.session.parts;
    deadlines.remove(this);
    this.dueUs = this.startedUs + this.request.waitMs * 1000;
    if (clock.monoUs() >= this.dueUs) this.onWaitOver();
    else deadlines.add(this);
  }

  private onEnded(cause: EndCause, reason: string): void {
    if (cause === 'withdrawn') this.reject(waitOverError(this.attempt(), this.request.waitMs));
    else if (cause === 'broken') {
      const text = `the lock was granted and broken before this client learnt of it: ${reason}`;
      this.reject(new HoldfastError('BROKEN', text));
    } else this.reject(new HoldfastError('CANCELLED', `the request was ${cause}`));
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

  private reject(reason: unknown): void {
    if (this.isOver) return;
    this.finish();
    this.owner.reject(reason);
  }

  private finish(): void {
    this.isOver = true;
    this.session.parts.deadlines.remove(this);
    if (this.onAbort !== null) this.request.signal?.removeEventListener('abort', this.onAbort);
    this.ticket?.drop();
    this.session.forget(this.seq, this);
  }

  private attempt(): Attempt {
    const waitedMs = Math.floor((this.session.parts.clock.monoUs() - this.startedUs) / 1000);
    return { names: this.request.names, waitedMs, ahead: this.ahead };
  }

  protected override onNumbered(): void {
    this.session.holdings.expect(this.seq, this);
  }

  protected body(): CommandBody {
    const { session, seq, request } = this;
    const { items, waitMs, meta, value } = request;
    return {
      op: 'acquire',
      session: session.id ?? '',
      seq,
      items,
      waitMs: waitMs === Infinity ? null : waitMs,
      meta,
      value,
    };
  }
}

function modesOf(items: readonly RequestItem[]): readonly LockMode[] {
  return items.map(({ mode }) => mode);
}
