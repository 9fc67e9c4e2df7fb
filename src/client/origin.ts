// How a session comes to be: opened anew, resumed after a restart of its process, or shared with
// the process that opened it. Afterwards all are the same but for their numbers.

import type { HoldfastError } from '../base/error.ts';
import type { SessionId } from '../base/units.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { Adoption } from './adoption.ts';
import type { Ticket } from './exchange.ts';
import type { Loss } from './loss.ts';
import { Opening } from './opening.ts';
import type { Opened } from './opening.ts';
import { Recovery } from './recovery.ts';
import type { Session } from './session.ts';
import { DrawnNumbers, Sequence } from './sequence.ts';
import type { Numbering } from './sequence.ts';

const GONE: Loss = {
  code: 'SESSION_GONE',
  text: 'the cluster has no such session: it has expired, was closed or ended',
  details: {},
};

/** What a session needs until it is open, and its numbers. */
export interface Origin {
  readonly sequence: Numbering;
  readonly isShared: boolean;
  /** Somebody wants it. Idempotent. */
  begin(): void;
  /** Nobody waits for it any more. */
  onUnwanted(): void;
  onKeepAlive(result: KeepAliveResult): void;
  /** Another node leads, or a link came up. */
  onChange(): void;
  /** It is over before it began. Idempotent. */
  stop(): void;
}

/** Opened by the first acquire. */
export class NewOrigin implements Origin {
  readonly sequence = new Sequence();
  readonly isShared = false;
  private readonly session: Session;
  private opening: Ticket | null = null;

  constructor(session: Session) {
    this.session = session;
  }

  begin(): void {
    const { requests } = this.session.parts;
    this.opening ??= requests.submit(this.newOpening());
  }

  // What may have opened a session goes on, for the next acquire: each new one would leave one.
  onUnwanted(): void {
    if (this.opening?.isInDoubt() === true) return;
    this.stop();
  }

  onKeepAlive(): void {}

  onChange(): void {}

  stop(): void {
    this.opening?.drop();
    this.opening = null;
  }

  private newOpening(): Opening {
    const { parts } = this.session;
    return new Opening(parts, parts.settings, {
      onOpened: (opened) => this.onOpened(opened),
      onRefused: (error) => this.onRefused(error),
    });
  }

  private onOpened(opened: Opened): void {
    this.opening = null;
    if (this.session.onConfirmed(opened)) this.session.onOpen();
    else this.begin();
  }

  private onRefused(error: HoldfastError): void {
    this.opening = null;
    this.session.onRefused(error);
  }
}

/** Who wants a session that is there already. */
export interface FoundOwner {
  /** It is open. */
  onFound(): void;
  /** It will not be. */
  onMissing(loss: Loss): void;
}

/**
 * A session that this process did not open. It begins at once and is wanted for as long as the
 * client is open, whoever waits.
 */
abstract class FoundOrigin {
  protected readonly session: Session;
  private readonly adoption: Adoption;
  private readonly owner: FoundOwner;
  private isSettled = false;

  constructor(session: Session, id: SessionId, owner: FoundOwner) {
    this.session = session;
    this.owner = owner;
    this.adoption = new Adoption(session.parts, id, {
      onAdopted: (opened) => {
        if (!session.onConfirmed(opened)) return false;
        this.onAdopted();
        return true;
      },
      onGone: () => session.lose(GONE),
    });
  }

  begin(): void {
    this.adoption.begin();
  }

  onUnwanted(): void {}

  onKeepAlive(result: KeepAliveResult): void {
    this.adoption.onResult(result);
  }

  onChange(): void {
    this.adoption.hurry();
  }

  stop(): void {
    this.adoption.stop();
    if (!this.isSettled && this.session.loss !== null) this.owner.onMissing(this.session.loss);
    this.isSettled = true;
  }

  protected open(): void {
    this.isSettled = true;
    this.session.onOpen();
    this.owner.onFound();
  }

  protected abstract onAdopted(): void;
}

/** Of a former life of this process, whose requests are fenced off before any of this one. */
export class ResumedOrigin extends FoundOrigin implements Origin {
  readonly sequence = new Sequence();
  readonly isShared = false;
  private recovery: Recovery | null = null;

  override stop(): void {
    super.stop();
    this.recovery?.stop();
  }

  protected onAdopted(): void {
    this.recovery = new Recovery(this.session, this.sequence, {
      onRecovered: () => this.open(),
      onGone: (text) => this.session.lose({ ...GONE, text }),
      onFailed: (error) => this.session.onRefused(error),
    });
    this.recovery.start();
  }
}

/** Of another process, which handed a grant over; only releases are sent in it. */
export class SharedOrigin extends FoundOrigin implements Origin {
  readonly sequence: DrawnNumbers;
  readonly isShared = true;

  constructor(session: Session, id: SessionId, owner: FoundOwner) {
    super(session, id, owner);
    this.sequence = new DrawnNumbers(session.parts.random);
  }

  protected onAdopted(): void {
    this.open();
  }
}
