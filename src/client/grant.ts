import { HoldfastError } from '../base/error.ts';
import type { SessionId, Token } from '../base/units.ts';
import type { LockMode } from '../locks/commands.ts';
import type { Timer } from '../ports/clock.ts';
import type { Outcome } from '../locks/outcomes.ts';
import { lossReason, nameList } from './loss.ts';
import { invalid } from './options.ts';
import type { Loss } from './loss.ts';
import type { Held } from './holdings.ts';
import type { Session } from './session.ts';
import { SessionCommand } from './session-command.ts';
import { callAt } from './timer.ts';

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
  /** Slot numbers of one of the names; empty for a lock. Throws INVALID for any other name. */
  slotsOf(name: string): readonly number[];
  /**
   * Aborts when the grant is over or about to be, without the holder's own doing. Its reason is a
   * HoldfastError: SESSION_GONE, BROKEN, CLOSED, UNAVAILABLE, EVENT_LOOP_BLOCKED, CLUSTER_CHANGED.
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
  /** Releases; never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the cluster granted. */
export interface GrantStart {
  readonly names: readonly string[];
  readonly token: Token;
  readonly acquireSeq: number;
  /** Of the first name. */
  readonly mode: LockMode;
  /** As in GRANTED: slot numbers for each name, or empty. */
  readonly slots: readonly (readonly number[])[];
}

/** Grant of a session; registers itself there. */
export class SessionGrant implements Grant, Held {
  readonly names: readonly string[];
  readonly name: string;
  readonly token: Token;
  readonly mode: LockMode;
  protected readonly session: Session;
  protected readonly acquireSeq: number;
  private readonly slotLists: readonly (readonly number[])[];
  // Made when first asked for: most grants of a busy client never need one.
  private controller: AbortController | null = null;
  private loss: Loss | null = null;
  private releasing: Promise<boolean> | null = null;

  constructor(session: Session, start: GrantStart) {
    this.session = session;
    this.names = start.names;
    this.name = start.names[0] ?? '';
    this.token = start.token;
    this.mode = start.mode;
    this.acquireSeq = start.acquireSeq;
    this.slotLists = start.slots;
    session.holdings.hold(this.acquireSeq, this);
  }

  get slots(): readonly number[] {
    return this.slotLists.find((slots) => slots.length > 0) ?? [];
  }

  slotsOf(name: string): readonly number[] {
    const at = this.names.indexOf(name);
    if (at >= 0) return this.slotLists[at] ?? [];
    throw invalid('name', `one of the names of ${this.describe()}`, name);
  }

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.loss !== null) this.controller.abort(this.reason(this.loss));
    }
    return this.controller.signal;
  }

  held(): boolean {
    return this.isBelieved(false);
  }

  remainingMs(): number {
    return this.isBelieved(false) ? this.session.remainingMs() : 0;
  }

  assertHeld(): void {
    if (!this.isBelieved(true)) throw this.lostError();
  }

  release(): Promise<boolean> {
    if (this.releasing !== null) return this.releasing.then(() => false);
    if (!this.isBelieved(false)) return Promise.reject(this.lostError());
    // The belief ends before the bytes leave (RAFT.md §14.2).
    this.session.holdings.letGo(this.acquireSeq);
    this.releasing = new Promise((resolve, reject) => this.sendRelease(resolve, reject));
    return this.releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release();
    } catch {
      // Lost, or being released until decided: an error here would hide the caller's own.
    }
  }

  /** In which session it was granted. */
  get sessionId(): SessionId | null {
    return this.session.id;
  }

  /** What assertHeld would say now, without any of its effects: for onlookers. */
  isBelievedNow(): boolean {
    const isOpen = this.loss === null && this.releasing === null && this.session.loss === null;
    return isOpen && this.session.peekLeftUs() > 0;
  }

  /** Microseconds of lease time until the end of the belief, negative after it; for onlookers. */
  peekLeftUs(): number {
    return this.session.peekLeftUs();
  }

  onLost(loss: Loss): void {
    if (this.loss !== null || this.releasing !== null) return;
    this.loss = loss;
    this.session.holdings.letGo(this.acquireSeq);
    this.controller?.abort(this.reason(loss));
  }

  protected isBelieved(mustLook: boolean): boolean {
    return this.loss === null && this.releasing === null && this.session.isAlive(mustLook);
  }

  private reason(loss: Loss): HoldfastError {
    return lossReason(this.describe(), loss);
  }

  protected lostError(): HoldfastError {
    // A listener of the session's signal may ask before this grant was told.
    const loss = this.loss ?? this.session.loss;
    if (loss === null || this.releasing !== null) {
      return new HoldfastError('LOCK_LOST', `${this.describe()} was released`, { outcome: 'none' });
    }
    const cause = this.reason(loss);
    const { details, text } = loss;
    return new HoldfastError('LOCK_LOST', `${this.describe()} is lost: ${text}`, {
      details,
      cause,
    });
  }

  private sendRelease(resolve: (isMine: boolean) => void, reject: (error: Error) => void): void {
    const { session, name, token, acquireSeq } = this;
    const { clock, settings, links } = session.parts;
    let limit: Timer | null = null;
    const onOutcome = (outcome: Outcome): void => {
      limit?.cancel();
      if (outcome.code === 'DONE') resolve(true);
      else reject(this.refusedError(outcome));
    };
    const onFail = (error: HoldfastError): void => {
      limit?.cancel();
      reject(error);
    };
    const id = session.id ?? '';
    const command = new SessionCommand(
      session.sequence,
      (seq) => ({ op: 'release', session: id, seq, name, acquireSeq, token }),
      { onOutcome, onFail },
    );
    const ticket = session.parts.requests.submitFreeing(command);
    limit = callAt(clock, clock.monoUs() + settings.requestMs * 1000, () => {
      const code = ticket.isInDoubt() ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE';
      const text =
        `no leader confirmed the release of ${this.describe()} within ${settings.requestMs} ms; ` +
        `it is tried again until the session ends. Tried ${links.describe()}`;
      reject(new HoldfastError(code, text));
    });
  }

  private refusedError(outcome: Outcome): HoldfastError {
    const text = 'message' in outcome ? outcome.message : `the answer was ${outcome.code}`;
    const details = { answer: outcome.code };
    return new HoldfastError('LOCK_LOST', `${this.describe()} was lost before: ${text}`, {
      details,
    });
  }

  protected describe(): string {
    return `the lock ${nameList(this.names)} (token ${this.token})`;
  }
}
