import { HoldfastError } from '../base/error.ts';
import type { Timer } from '../ports/clock.ts';
import type { Exchange, Ticket } from './exchange.ts';
import type { SessionParts } from './session.ts';
import { callAt } from './timer.ts';

/** How an exchange settles the promise that was made for it. */
export interface Settle<T> {
  resolve(value: T): void;
  reject(error: HoldfastError): void;
  /** See Ticket. */
  mayBeRepeated(): boolean;
}

export interface Wanted {
  /** What is waited for, as the subject of an error message. */
  readonly what: string;
  /** True for a command: sent and not answered, its outcome is unknown. */
  readonly changes: boolean;
}

/**
 * A promise of what an exchange brings. After requestMs it rejects with UNAVAILABLE, or with
 * OUTCOME_UNKNOWN for a command that may have been applied, and the exchange is dropped.
 */
export function promiseWithin<T>(
  parts: Pick<SessionParts, 'clock' | 'settings' | 'requests' | 'links'>,
  wanted: Wanted,
  make: (settle: Settle<T>) => Exchange,
): Promise<T> {
  const { clock, settings, requests } = parts;
  return new Promise((resolve, reject) => {
    let limit: Timer | null = null;
    const ticket: Ticket = requests.submit(
      make({
        resolve: (value) => {
          limit?.cancel();
          resolve(value);
        },
        reject: (error) => {
          limit?.cancel();
          reject(error);
        },
        mayBeRepeated: () => ticket.mayBeRepeated(),
      }),
    );
    limit = callAt(clock, clock.monoUs() + settings.requestMs * 1000, () => {
      const isUnknown = wanted.changes && ticket.isInDoubt();
      ticket.drop();
      reject(lateError(parts, wanted.what, isUnknown));
    });
  });
}

/**
 * Rejects after requestMs unless it is cancelled: with OUTCOME_UNKNOWN if it may have been applied,
 * else with UNAVAILABLE. The ticket's exchange goes on until it is decided.
 */
export function rejectLate(
  parts: Pick<SessionParts, 'clock' | 'settings' | 'links'>,
  what: string,
  ticket: Pick<Ticket, 'isInDoubt'>,
  reject: (error: HoldfastError) => void,
): Timer {
  const { clock, settings } = parts;
  return callAt(clock, clock.monoUs() + settings.requestMs * 1000, () => {
    reject(unconfirmedError(parts, what, ticket.isInDoubt()));
  });
}

/** What rejectLate rejects with. */
export function unconfirmedError(
  parts: Pick<SessionParts, 'settings' | 'links'>,
  what: string,
  isInDoubt: boolean,
): HoldfastError {
  const text =
    `no leader confirmed ${what} within ${parts.settings.requestMs} ms; ` +
    `it is tried again until the session ends. Tried ${parts.links.describe()}`;
  return new HoldfastError(isInDoubt ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE', text);
}

function lateError(
  parts: Pick<SessionParts, 'settings' | 'requests' | 'links'>,
  what: string,
  isUnknown: boolean,
): HoldfastError {
  const { settings, requests, links } = parts;
  const last = requests.lastRefusal();
  const said = last === null ? '' : `; the last answer was ${last.code}: ${last.message}`;
  const { requestMs } = settings;
  const text = `${what} did not come within ${requestMs} ms; tried ${links.describe()}${said}`;
  return new HoldfastError(isUnknown ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE', text);
}
