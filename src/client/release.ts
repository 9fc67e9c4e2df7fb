// Giving a grant back: the belief has ended, now the cluster is told until it has heard it.

import { HoldfastError } from '../base/error.ts';
import type { MonoUs } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { CommandBody } from '../wire/command.ts';
import { NOWHERE } from './deadlines.ts';
import type { Due } from './deadlines.ts';
import type { Ticket } from './exchange.ts';
import type { GrantStart } from './hold.ts';
import { grantName } from './loss.ts';
import { unconfirmedError } from './promise-within.ts';
import type { Session } from './session.ts';
import { NumberedCommand } from './session-command.ts';

/** Who waits until it is given back. */
interface Caller {
  resolve(isReleased: true): void;
  /** The cluster had it no more, or nothing more will be sent, or nobody has confirmed it yet. */
  reject(error: HoldfastError): void;
}

/** Sent until it is decided; never refused for want of room. */
export function sendRelease(session: Session, grant: GrantStart): void {
  new Release(session, grant, null).send();
}

/** See Grant.release. */
export function promiseOfRelease(session: Session, grant: GrantStart): Promise<boolean> {
  return new Promise((resolve, reject) => {
    new Release(session, grant, { resolve, reject }).send();
  });
}

class Release extends NumberedCommand implements Due {
  dueUs: MonoUs = Infinity;
  place = NOWHERE;
  private readonly session: Session;
  private readonly grant: GrantStart;
  private readonly caller: Caller | null;
  private ticket: Ticket | null = null;

  constructor(session: Session, grant: GrantStart, caller: Caller | null) {
    super(session.sequence);
    this.session = session;
    this.grant = grant;
    this.caller = caller;
  }

  send(): void {
    const { returns, parts } = this.session;
    const { clock, settings, deadlines, requests } = parts;
    returns.begin();
    this.ticket = requests.submitFreeing(this);
    if (this.caller === null) return;
    this.dueUs = clock.monoUs() + settings.requestMs * 1000;
    deadlines.add(this);
  }

  // It goes on until it is decided all the same.
  onDue(): void {
    const { session, grant, ticket } = this;
    const isInDoubt = ticket?.isInDoubt() ?? false;
    const what = `the release of ${grantName(grant)}`;
    this.caller?.reject(unconfirmedError(session.parts, what, isInDoubt));
  }

  onOutcome(outcome: Outcome): void {
    this.finish();
    if (outcome.code === 'DONE' || this.isOwnDoing(outcome)) this.caller?.resolve(true);
    else this.caller?.reject(refusedError(this.grant, outcome));
  }

  onFail(error: HoldfastError): void {
    this.finish();
    this.caller?.reject(error);
  }

  protected body(): CommandBody {
    const { session, seq } = this;
    const { names, acquireSeq, token } = this.grant;
    return {
      op: 'release',
      session: session.id ?? '',
      seq,
      name: names[0] ?? '',
      acquireSeq,
      token,
    };
  }

  private finish(): void {
    this.session.returns.end();
    this.session.parts.deadlines.remove(this);
  }

  // No answer is kept for a release without a number of its session. 1. It is applied, its answer
  // lost. 2. Sent again, it finds no such grant: that is what it was for.
  private isOwnDoing(outcome: Outcome): boolean {
    const mayBeRepeated = this.ticket?.mayBeRepeated() ?? false;
    return this.session.isShared && outcome.code === 'NOT_HOLDER' && mayBeRepeated;
  }
}

function refusedError(grant: GrantStart, outcome: Outcome): HoldfastError {
  const text = 'message' in outcome ? outcome.message : `the answer was ${outcome.code}`;
  const details = { answer: outcome.code };
  return new HoldfastError('LOCK_LOST', `${grantName(grant)} was lost before: ${text}`, {
    details,
  });
}
