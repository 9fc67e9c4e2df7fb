// The host's call-backs as promises that reject with HoldfastError. For HTTP only: the links of
// clients use the call-backs themselves.

import { HoldfastError } from '../base/error.ts';
import type { Revision, SessionId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { Host, HostReply } from '../node/host-types.ts';
import type { Clock } from '../ports/clock.ts';
import type { Query, QueryResult } from '../wire/client-messages.ts';
import type { CommandBody } from '../wire/command.ts';
import { encodeBody } from '../wire/command.ts';
import { errorCodeOf } from '../wire/outcome.ts';
import { ghostJson, holderJson } from './views.ts';

/** Whom to call and how long to wait. */
export interface HostCallsOptions {
  readonly host: Host;
  readonly clock: Clock;
  /** A call without an answer for this long is given up. */
  readonly answerMs: number;
}

/** Outcomes that are no errors. */
export type Success = Extract<Outcome, { code: 'OPENED' | 'GRANTED' | 'QUEUED' | 'DONE' }>;

/** A command that took effect; `revision` is the index of its entry. */
export interface Applied {
  readonly revision: Revision;
  readonly outcome: Success;
}

/** Requests to the host of this process. */
export class HostCalls {
  readonly host: Host;
  readonly clock: Clock;
  private readonly answerMs: number;

  constructor(options: HostCallsOptions) {
    this.host = options.host;
    this.clock = options.clock;
    this.answerMs = options.answerMs;
  }

  /** Applies one command; anything but success rejects. */
  execute(command: CommandBody, ackedBelow = 0): Promise<Applied> {
    const body = encodeBody(command);
    return this.within<Applied>('OUTCOME_UNKNOWN', (settle) => {
      this.host.execute({ body, ackedBelow }, ({ revision, outcome }) => {
        if (isSuccess(outcome)) settle({ revision, outcome });
        else settle(outcomeError(outcome, revision));
      });
    });
  }

  /** A linearizable answer; refusals reject. */
  query(query: Query): Promise<{ readonly revision: Revision; readonly result: QueryResult }> {
    return this.within('UNAVAILABLE', (settle) => {
      this.host.query(query, (answer) => {
        const { result } = answer;
        const isRefused = result.kind === 'refused';
        settle(isRefused ? new HoldfastError(result.code, result.message) : answer);
      });
    });
  }

  /** Renews the lease; gives its length. */
  keepAlive(session: SessionId): Promise<number | null> {
    return this.within('UNAVAILABLE', (settle) => {
      this.host.keepAlive(session, ({ code, ttlMs }) => {
        if (code === 'OK') settle(ttlMs);
        else if (code === 'SESSION_GONE') settle(sessionGone(session, 'it is not renewed'));
        else
          settle(new HoldfastError('NOT_LEADER', 'this node does not lead; nothing was renewed'));
      });
    });
  }

  private within<T>(
    lateCode: 'OUTCOME_UNKNOWN' | 'UNAVAILABLE',
    start: (settle: (result: T | HoldfastError) => void) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(this.answerMs * US_PER_MS, () => {
        reject(new HoldfastError(lateCode, `no answer within ${this.answerMs} ms`));
      });
      start((result) => {
        timer.cancel();
        if (HoldfastError.is(result)) reject(result);
        else resolve(result);
      });
    });
  }
}

/** The error that says that a session is no more. */
export function sessionGone(session: SessionId, what: string): HoldfastError {
  const text = `session ${JSON.stringify(session)} has ended or never existed; ${what}`;
  return new HoldfastError('SESSION_GONE', text);
}

/** How an acquire that was once live came to its end. */
export function endError(cause: string, reason: string): HoldfastError {
  switch (cause) {
    case 'withdrawn':
      return new HoldfastError('WAIT_OVER', 'the lock was not granted in time; the wait is over');
    case 'broken':
      return new HoldfastError('BROKEN', `the lock was broken${reason && ` by ${reason}`}`);
    default:
      return new HoldfastError('CANCELLED', `the request with this seq was ${cause} before`);
  }
}

function isSuccess(outcome: { readonly code: string }): outcome is Success {
  return ['OPENED', 'GRANTED', 'QUEUED', 'DONE'].includes(outcome.code);
}

type Failure = Exclude<HostReply['outcome'], Success>;

function outcomeError(outcome: Failure, revision: Revision): HoldfastError {
  if ('message' in outcome) {
    const code = errorCodeOf(outcome.code);
    return new HoldfastError(code, outcome.message, { details: { revision } });
  }
  if (outcome.code === 'ENDED') return endError(outcome.cause, '');
  return busyError(outcome, revision);
}

function busyError(
  { name, holder, ghost }: Extract<Outcome, { code: 'LOCK_BUSY' }>,
  revision: Revision,
): HoldfastError {
  return new HoldfastError('LOCK_BUSY', `${JSON.stringify(name)} is taken: ${reason()}`, {
    details: {
      revision,
      name,
      token: (holder ?? ghost)?.token ?? null,
      holder: holder === null ? null : holderJson(holder),
      ghost: ghost === null ? null : ghostJson(ghost),
    },
  });

  function reason(): string {
    if (holder !== null) return `session ${holder.session} holds it`;
    if (ghost === null) return 'others wait for it';
    return `session ${ghost.session} expired and left a lock-delay of ${ghost.lockDelayMs} ms`;
  }
}
