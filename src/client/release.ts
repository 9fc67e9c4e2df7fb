// Giving a grant back: the belief has ended, now the cluster is told until it has heard it.

import { HoldfastError } from '../base/error.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { Ticket } from './exchange.ts';
import type { GrantStart } from './hold.ts';
import { grantName } from './loss.ts';
import { rejectLate } from './promise-within.ts';
import type { Session } from './session.ts';
import { SessionCommand } from './session-command.ts';

/** Who gives it back. */
export interface ReleaseOwner {
  onReleased(): void;
  /** The cluster had it no more, or nothing more will be sent. */
  onRefused(error: HoldfastError): void;
}

/** Sent until it is decided; never refused for want of room. */
export function sendRelease(session: Session, grant: GrantStart, owner: ReleaseOwner): Ticket {
  const { names, acquireSeq, token } = grant;
  const id = session.id ?? '';
  const name = names[0] ?? '';
  const onOutcome = (outcome: Outcome): void => {
    session.returns.end();
    if (outcome.code === 'DONE' || isOwnDoing(session, outcome, ticket)) owner.onReleased();
    else owner.onRefused(refusedError(grant, outcome));
  };
  const onFail = (error: HoldfastError): void => {
    session.returns.end();
    owner.onRefused(error);
  };
  const command = new SessionCommand(
    session.sequence,
    (seq) => ({ op: 'release', session: id, seq, name, acquireSeq, token }),
    { onOutcome, onFail },
  );
  session.returns.begin();
  const ticket = session.parts.requests.submitFreeing(command);
  return ticket;
}

/** See Grant.release. */
export function promiseOfRelease(session: Session, grant: GrantStart): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const ticket = sendRelease(session, grant, {
      onReleased: () => {
        limit.cancel();
        resolve(true);
      },
      onRefused: (error) => {
        limit.cancel();
        reject(error);
      },
    });
    const limit = rejectLate(session.parts, `the release of ${grantName(grant)}`, ticket, reject);
  });
}

// No answer is kept for a release without a number of its session. 1. It is applied, its answer
// lost. 2. Sent again, it finds no such grant: that is what it was for.
function isOwnDoing(session: Session, outcome: Outcome, ticket: Ticket): boolean {
  return session.isShared && outcome.code === 'NOT_HOLDER' && ticket.mayBeRepeated();
}

function refusedError(grant: GrantStart, outcome: Outcome): HoldfastError {
  const text = 'message' in outcome ? outcome.message : `the answer was ${outcome.code}`;
  const details = { answer: outcome.code };
  return new HoldfastError('LOCK_LOST', `${grantName(grant)} was lost before: ${text}`, {
    details,
  });
}
