import { HoldfastError } from '../base/error.ts';
import { promiseWithin } from './promise-within.ts';
import type { Session } from './session.ts';
import { SessionCommand } from './session-command.ts';
import { callAt } from './timer.ts';

/** How long to wait until the cluster has confirmed that the session is over. */
const FAREWELL_MS = 2_000;

/**
 * Ends a session: nothing waits in it any more, holders may finish for `drainMs` while renewals go
 * on (bull#1615), then it is closed, which frees the rest in one entry. Never rejects.
 */
export async function endSession(session: Session, drainMs: number): Promise<void> {
  session.holdings.giveUpWaiting(
    new HoldfastError('CLOSED', 'the client was closed during the wait'),
  );
  if (drainMs > 0 && session.isAlive(false)) await drained(session, drainMs);
  const wasAlive = session.isAlive(true);
  session.lose({ code: 'CLOSED', text: 'the client was closed', details: {} });
  if (wasAlive) await close(session);
}

function drained(session: Session, drainMs: number): Promise<void> {
  const { clock } = session.parts;
  return new Promise((resolve) => {
    const limit = callAt(clock, clock.monoUs() + drainMs * 1000, resolve);
    session.holdings.whenIdle(() => {
      limit.cancel();
      resolve();
    });
  });
}

// If nobody confirms it, the cluster ends the session by itself after the TTL.
async function close(session: Session): Promise<void> {
  const { parts, sequence, id } = session;
  const settings = { ...parts.settings, requestMs: FAREWELL_MS };
  const wanted = { what: 'the end of the session', changes: true };
  const build = (seq: number) => ({ op: 'closeSession', session: id ?? '', seq }) as const;
  try {
    await promiseWithin<void>({ ...parts, settings }, wanted, (settle) => {
      const owner = { onOutcome: () => settle.resolve(), onFail: settle.reject };
      return new SessionCommand(sequence, build, owner);
    });
  } catch (error) {
    parts.logger.warn(error instanceof Error ? error.message : String(error));
  }
}
