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
