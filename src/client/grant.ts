import type { HoldfastError } from '../base/error.ts';
import type { SessionId, Token } from '../base/units.ts';
import type { LockMode } from '../locks/commands.ts';
import { Hold } from './hold.ts';
import type { GrantStart } from './hold.ts';
import { grantName } from './loss.ts';
import { invalid } from './options.ts';
import type { Session } from './session.ts';
import { SHOWN, shown } from './shown.ts';

/**
 * A lock that is held, for now. It may be lost at any moment: the process pauses, the network
 * ends, an operator breaks it; then another may hold it while this code still runs. Watch
 * `signal`, and give `token` to whatever you protect, which must refuse a smaller one than it saw.
 */
export interface Grant {
  /** What is locked; several for lockAll. */
  readonly names: readonly string[];
  /** The first of them. */
  readonly name: string;
  /** Fencing token: larger than that of every earlier conflicting grant. */
  readonly token: Token;
  /** Of the first name: `exclusive`, a semaphore's too, or `shared`. */
  readonly mode: LockMode;
  /** Slot numbers, ascending from 0, of the first name that is a semaphore; else empty. */
  readonly slots: readonly number[];
  /**
   * How one of the names is held. Throws INVALID for any other name, and where it is not known: of
   * what was found in a resumed session, but for the first name and for semaphores.
   */
  modeOf(name: string): LockMode;
  /** Slot numbers of one of the names; empty for a lock. Throws INVALID for any other name. */
  slotsOf(name: string): readonly number[];
  /**
   * Aborts when the grant is over or about to be, unless it was released. Its reason is a
   * HoldfastError: SESSION_EXPIRED, SESSION_ENDED, SESSION_GONE, UNAVAILABLE, EVENT_LOOP_BLOCKED,
   * CLUSTER_CHANGED, BROKEN, HOLD_OVER, HANDED_OVER or CLOSED. One for all handles of a grant.
   */
  readonly signal: AbortSignal;
  /** Whether it is believed to be held at this moment. Once false, always false. */
  held(): boolean;
  /** How long it will be believed without another renewal; 0 when over, Infinity without TTL. */
  remainingMs(): number;
  /** Throws LOCK_LOST unless held; notices a suspend of the machine that held() may miss. */
  assertHeld(): void;
  /**
   * Gives it back. True: by this call. False: it was released before. Rejects with LOCK_LOST if it
   * was lost, at once and without asking anybody; with OUTCOME_UNKNOWN or UNAVAILABLE if no node
   * answered within requestMs, and then goes on trying for as long as the session lives.
   */
  release(): Promise<boolean>;
  /**
   * Another handle of the same grant, for code that takes the lock within code that has it: same
   * token, no message. The lock goes back when the last handle is released. Throws LOCK_LOST unless
   * held. Nothing else lets a session in twice: a second acquire waits like any other.
   */
  reenter(): Grant;
  /**
   * Ends the belief here (HANDED_OVER), for all handles, gives nothing back, and returns a text
   * with which Client.takeOver takes the grant over in another process: it names the session, so
   * whoever reads it can act in it. This client renews the session for as long as it is open, and
   * does not end it when it closes. A session that is resumed is offered this grant again, see
   * ClientSession.save. Throws LOCK_LOST unless held.
   */
  handOver(): string;
  /** Releases; never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
  /** What it is, for logs: not with what it could be taken over. */
  toJSON(): GrantFacts;
}

/** A grant as JSON shows it. */
export interface GrantFacts {
  /** See Grant.names. */
  readonly names: readonly string[];
  /** See Grant.token. */
  readonly token: Token;
  /** See Grant.mode. */
  readonly mode: LockMode;
  /** See Grant.slots. */
  readonly slots: readonly number[];
  /** As assertHeld would say. */
  readonly isHeld: boolean;
}

/** One handle of a hold; the first one makes it. */
export class SessionGrant implements Grant {
  readonly names: readonly string[];
  readonly name: string;
  readonly token: Token;
  readonly mode: LockMode;
  protected readonly session: Session;
  protected readonly acquireSeq: number;
  private readonly hold: Hold;
  private releasing: Promise<boolean> | null = null;

  constructor(session: Session, start: GrantStart, hold: Hold = new Hold(session, start)) {
    this.session = session;
    this.hold = hold;
    this.names = start.names;
    this.name = start.names[0] ?? '';
    this.token = start.token;
    this.mode = start.mode;
    this.acquireSeq = start.acquireSeq;
    hold.enter(this);
    session.parts.onGrant?.(this);
  }

  get slots(): readonly number[] {
    return this.hold.start.slots.find((slots) => slots.length > 0) ?? [];
  }

  modeOf(name: string): LockMode {
    const at = this.placeOf(name);
    const { modes } = this.hold.start;
    if (modes !== null || at === 0) return modes?.[at] ?? this.mode;
    if (this.slotsOf(name).length > 0) return 'exclusive';
    throw invalid('name', 'the first one, of a grant that was found in a resumed session', name);
  }

  slotsOf(name: string): readonly number[] {
    return this.hold.start.slots[this.placeOf(name)] ?? [];
  }

  get signal(): AbortSignal {
    // Who asks after a stall of its own event loop asks before any timer of ours has run.
    this.isBelieved(true);
    return this.hold.signal;
  }

  held(): boolean {
    return this.isBelieved(false);
  }

  remainingMs(): number {
    return this.releasing === null ? this.hold.remainingMs() : 0;
  }

  assertHeld(): void {
    if (!this.isBelieved(true)) throw this.lostError();
  }

  release(): Promise<boolean> {
    if (this.releasing !== null) return this.releasing.then(() => false);
    if (!this.isBelieved(false)) return Promise.reject(this.lostError());
    this.releasing = this.hold.leave(this);
    return this.releasing;
  }

  reenter(): Grant {
    return this.share((session, start, hold) => new SessionGrant(session, start, hold));
  }

  /** A further handle of the same hold, of whatever kind. Throws LOCK_LOST unless held. */
  share<G extends Grant>(make: (session: Session, start: GrantStart, hold: Hold) => G): G {
    this.assertHeld();
    return make(this.session, this.hold.start, this.hold);
  }

  handOver(): string {
    this.assertHeld();
    return this.hold.handOver();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release();
    } catch {
      // Lost, or being released until decided: an error here would hide the caller's own.
    }
  }

  toJSON(): GrantFacts {
    const { names, token, mode, slots } = this;
    return { names, token, mode, slots, isHeld: this.isBelievedNow() };
  }

  [SHOWN](): string {
    return shown('Grant', { ...this.toJSON() });
  }

  private placeOf(name: string): number {
    const at = this.names.indexOf(name);
    if (at >= 0) return at;
    throw invalid('name', `one of the names of ${grantName(this)}`, name);
  }

  /** In which session it was granted. */
  get sessionId(): SessionId | null {
    return this.session.id;
  }

  /** What assertHeld would say now, without any of its effects: for onlookers. */
  isBelievedNow(): boolean {
    const isOpen = this.hold.loss === null && this.releasing === null && this.session.loss === null;
    return isOpen && this.hold.peekLeftUs() > 0;
  }

  /** Microseconds of lease time until the end of the belief, negative after it; for onlookers. */
  peekLeftUs(): number {
    return this.hold.peekLeftUs();
  }

  protected isBelieved(mustLook: boolean): boolean {
    return this.releasing === null && this.hold.isBelieved(mustLook);
  }

  protected lostError(): HoldfastError {
    return this.releasing === null ? this.hold.lostError() : this.hold.releasedError();
  }

  protected describe(): string {
    return grantName(this);
  }
}
