import { HoldfastError } from '../base/error.ts';
import type { ErrorDetails } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { LeaseUs, Token } from '../base/units.ts';
import type { LockMode } from '../locks/commands.ts';
import type { Timer } from '../ports/clock.ts';
import type { Grant } from './grant.ts';
import { grantText } from './hand-over.ts';
import type { Limited } from './hold-ends.ts';
import type { Held } from './holdings.ts';
import { grantName, lossReason } from './loss.ts';
import type { Loss } from './loss.ts';
import { promiseOfRelease, sendRelease } from './release.ts';
import type { Session } from './session.ts';
import { callAt } from './timer.ts';

/** What the cluster granted. */
export interface GrantStart {
  readonly names: readonly string[];
  readonly token: Token;
  readonly acquireSeq: number;
  /** Of the first name. */
  readonly mode: LockMode;
  /** Of each name; empty when all are as the first, null when only the first is known. */
  readonly modes: readonly LockMode[] | null;
  /** As in GRANTED: slot numbers for each name, or empty. */
  readonly slots: readonly (readonly number[])[];
  /** How long it is held at most, from now on; Infinity: for as long as the session lives. */
  readonly maxHoldMs: number;
}

const NO_HANDLES: readonly Grant[] = [];

/**
 * What one acquire holds, whatever number of handles it is held by. Invariant: the belief ends
 * once, by a loss or by the departure of the last handle, and before any byte that frees the lock
 * is sent (RAFT.md §14.2); the lock is given back once at most.
 */
export class Hold implements Held, Limited {
  readonly start: GrantStart;
  /** Why it is over without the doing of its holder; null while it is not. */
  loss: Loss | null = null;
  readonly untilUs: LeaseUs;
  isOver = false;
  private readonly session: Session;
  // Nearly always one, and an array that grows takes room for seventeen.
  private handles: readonly Grant[] = NO_HANDLES;
  // Made when first asked for: most grants of a busy client never need one.
  private controller: AbortController | null = null;
  private limit: Timer | null = null;

  constructor(session: Session, start: GrantStart) {
    this.session = session;
    this.start = start;
    session.holdings.hold(start.acquireSeq, this);
    if (start.maxHoldMs === Infinity) {
      this.untilUs = Infinity;
    } else {
      this.untilUs = session.parts.leaseClock.nowUs() + start.maxHoldMs * 1000;
      this.arm(start.maxHoldMs * 1000);
      session.limit(this);
    }
  }

  get names(): readonly string[] {
    return this.start.names;
  }

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.loss !== null) this.controller.abort(this.reason(this.loss));
    }
    return this.controller.signal;
  }

  /** Another handle of the same grant. */
  enter(handle: Grant): void {
    this.handles = this.handles.length === 0 ? [handle] : [...this.handles, handle];
  }

  /** One that has not left; there is one for as long as the hold is registered with its session. */
  handle(): Grant | undefined {
    return this.handles[0];
  }

  /** Whether it is believed at this moment. `mustLook`: see Lease.isAlive. */
  isBelieved(mustLook: boolean): boolean {
    if (this.loss !== null || !this.session.isAlive(mustLook)) return false;
    if (this.untilUs === Infinity) return true;
    const { leaseClock } = this.session.parts;
    const nowUs = mustLook ? leaseClock.lookUs() : leaseClock.nowUs();
    if (nowUs < this.untilUs) return true;
    this.onHoldOver();
    return false;
  }

  /** Milliseconds until the end of the belief unless the session is renewed. */
  remainingMs(): number {
    if (!this.isBelieved(false)) return 0;
    const sessionMs = this.session.remainingMs();
    if (this.untilUs === Infinity) return sessionMs;
    const heldMs = (this.untilUs - this.session.parts.leaseClock.nowUs()) / 1000;
    return Math.max(0, Math.min(sessionMs, heldMs));
  }

  /** Microseconds of lease time until the end of the belief, negative after it; for onlookers. */
  peekLeftUs(): number {
    const leftUs = this.session.peekLeftUs();
    if (this.untilUs === Infinity) return leftUs;
    return Math.min(leftUs, this.untilUs - this.session.parts.leaseClock.peekUs());
  }

  /** A handle is let go; the lock goes back with the last one. See Grant.release. */
  leave(handle: Grant): Promise<boolean> {
    const isLast = this.handles.length === 1;
    this.handles = isLast ? NO_HANDLES : this.handles.filter((each) => each !== handle);
    if (!isLast) return Promise.resolve(true);
    this.end();
    return promiseOfRelease(this.session, this.start);
  }

  /** Ends the belief, gives nothing back, and tells how another process takes it over. */
  handOver(): string {
    const { session, start } = this;
    const text = grantText(session, start);
    session.isHandedOver = true;
    this.onLost({ code: 'HANDED_OVER', text: 'it was handed over', details: {} });
    return text;
  }

  onLost(loss: Loss): void {
    if (this.loss !== null) return;
    this.loss = this.hasHeldFirst() ? this.holdOver(loss.details) : loss;
    this.end();
    this.controller?.abort(this.reason(this.loss));
  }

  /** Ends the belief with this loss, and sends the lock back. */
  giveBack(loss: Loss): void {
    if (this.loss !== null) return;
    this.onLost(loss);
    sendRelease(this.session, this.start);
  }

  /** Why a use of it is refused. */
  lostError(): HoldfastError {
    // A listener of the session's signal may ask before this hold was told.
    const loss = this.loss ?? this.session.loss;
    if (loss === null) return this.releasedError();
    const cause = this.reason(loss);
    const { text } = loss;
    const details = { ...loss.details, cause: loss.code };
    return new HoldfastError('LOCK_LOST', `${grantName(this.start)} is lost: ${text}`, {
      details,
      cause,
    });
  }

  /** LOCK_LOST, for a handle that was released. */
  releasedError(): HoldfastError {
    return new HoldfastError('LOCK_LOST', `${grantName(this.start)} was released`, {
      outcome: 'none',
    });
  }

  private end(): void {
    this.isOver = true;
    this.limit?.cancel();
    if (this.untilUs !== Infinity) this.session.unlimit();
    this.session.holdings.letGo(this.start.acquireSeq);
  }

  // The timer counts no suspend, and may fire early: the lease clock decides.
  private arm(leftUs: number): void {
    const { clock, leaseClock } = this.session.parts;
    this.limit = callAt(clock, clock.monoUs() + leftUs, () => {
      const nowUs = leaseClock.lookUs();
      if (nowUs < this.untilUs) this.arm(this.untilUs - nowUs);
      else this.onHoldOver();
    });
  }

  private onHoldOver(): void {
    probes.reach('hold-is-over');
    this.giveBack(this.holdOver({}));
  }

  // Whether its own limit ended the belief, of which nobody was told yet, before the lease did.
  private hasHeldFirst(): boolean {
    if (this.untilUs === Infinity) return false;
    const leftUs = this.untilUs - this.session.parts.leaseClock.peekUs();
    return leftUs <= 0 && leftUs <= this.session.peekLeftUs();
  }

  private holdOver(details: ErrorDetails): Loss {
    const { maxHoldMs } = this.start;
    const text = `it was held for the ${maxHoldMs} ms of maxHoldMs`;
    return { code: 'HOLD_OVER', text, details: { ...details, maxHoldMs } };
  }

  private reason(loss: Loss): HoldfastError {
    return lossReason(grantName(this.start), loss);
  }
}
