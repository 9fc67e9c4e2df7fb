import { HoldfastError } from '../base/error.ts';
import { utf8Length } from '../base/name.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { Timer } from '../ports/clock.ts';
import type { Ticket } from './exchange.ts';
import { SessionGrant } from './grant.ts';
import type { Grant } from './grant.ts';
import type { GrantStart, Hold } from './hold.ts';
import { META_BYTES_MAX, invalid, outOfRange } from './options.ts';
import { rejectLate } from './promise-within.ts';
import type { Session } from './session.ts';
import { SessionCommand } from './session-command.ts';
import { SHOWN, shown } from './shown.ts';

/** A won election, for as long as the grant is held; see Grant. */
export interface Leadership extends Grant {
  /** What observers are told: the value of the campaign, or the last that was proclaimed. */
  readonly value: string;
  /**
   * Replaces the value, at most 4 KiB of text; observers are told. Proclamations take effect in
   * the order of the calls. Rejects with LOCK_LOST if this is no longer the leader, at once or by
   * the word of the cluster; with OUTCOME_UNKNOWN or UNAVAILABLE if no node answered within
   * requestMs, and then goes on trying for as long as the session lives; with INVALID.
   */
  proclaim(value: string): Promise<void>;
  /** Gives the leadership back; see Grant.release. */
  resign(): Promise<boolean>;
}

/** Leadership of a session. */
export class SessionLeadership extends SessionGrant implements Leadership {
  private proclaimed: string;
  // Settles once all proclamations before it are decided.
  private turn: Promise<void> = Promise.resolve();

  constructor(session: Session, start: GrantStart, value: string, hold?: Hold) {
    super(session, start, hold);
    this.proclaimed = value;
  }

  get value(): string {
    return this.proclaimed;
  }

  async proclaim(value: string): Promise<void> {
    checkValue(value);
    if (!this.isBelieved(false)) throw this.lostError();
    return new Promise((resolve, reject) => {
      const proclamation = new Proclamation(this.session, `what ${this.describe()} proclaims`, {
        resolve,
        reject,
      });
      // One at a time: what a node refuses for now is sent again after what came later.
      this.turn = this.turn.then(() => this.send(value, proclamation));
    });
  }

  resign(): Promise<boolean> {
    return this.release();
  }

  override [SHOWN](): string {
    const { name, token, value } = this;
    return shown('Leadership', { name, token, value, isHeld: this.isBelievedNow() });
  }

  // Settles when the cluster has decided, or never will.
  private send(value: string, proclamation: Proclamation): Promise<void> {
    if (!this.isBelieved(false)) {
      proclamation.settle(this.lostError());
      return Promise.resolve();
    }
    return new Promise((decided) => {
      const { session, name, token, acquireSeq } = this;
      const settle = (error: HoldfastError | null): void => {
        proclamation.settle(error);
        decided();
      };
      const onOutcome = (outcome: Outcome): void => {
        const isDone = outcome.code === 'DONE';
        if (isDone) this.proclaimed = value;
        settle(isDone ? null : this.refusal(outcome));
      };
      const id = session.id ?? '';
      const command = new SessionCommand(
        session.sequence,
        (seq) => ({ op: 'proclaim', session: id, seq, name, acquireSeq, token, value }),
        { onOutcome, onFail: settle },
      );
      proclamation.ticket = session.parts.requests.submit(command);
    });
  }

  private refusal(outcome: Outcome): HoldfastError {
    const text = 'message' in outcome ? outcome.message : `the answer was ${outcome.code}`;
    const code = outcome.code === 'INVALID' ? 'INVALID' : 'LOCK_LOST';
    const details = { answer: outcome.code };
    return new HoldfastError(code, `${this.describe()} proclaims nothing: ${text}`, { details });
  }
}

/** Who waits for one, for requestMs from the call, whether its turn has come by then or not. */
class Proclamation {
  /** Of its command, once it is its turn. */
  ticket: Ticket | null = null;
  private readonly caller: { resolve(): void; reject(error: HoldfastError): void };
  private readonly limit: Timer;

  constructor(session: Session, what: string, caller: Proclamation['caller']) {
    this.caller = caller;
    const sent = { isInDoubt: () => this.ticket?.isInDoubt() ?? false };
    this.limit = rejectLate(session.parts, what, sent, caller.reject);
  }

  settle(error: HoldfastError | null): void {
    this.limit.cancel();
    if (error === null) this.caller.resolve();
    else this.caller.reject(error);
  }
}

/** Text that a leader proclaims. Throws HoldfastError INVALID. */
export function checkValue(value: unknown): string {
  const bytes = typeof value === 'string' ? utf8Length(value) : -1;
  if (typeof value === 'string' && bytes >= 0 && bytes <= META_BYTES_MAX) return value;
  const expected = `well-formed text of at most ${META_BYTES_MAX} bytes`;
  throw bytes > META_BYTES_MAX
    ? outOfRange('value', expected, `${bytes} bytes`)
    : invalid('value', expected, value);
}
