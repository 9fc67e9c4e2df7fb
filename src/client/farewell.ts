import { HoldfastError } from '../base/error.ts';
import type { Drain } from './drain.ts';
import type { Loss } from './loss.ts';
import { promiseWithin } from './promise-within.ts';
import { DrawnNumbers } from './sequence.ts';
import type { Session } from './session.ts';
import { SessionCommand } from './session-command.ts';
import { callAt } from './timer.ts';

/** How long to wait until the cluster has confirmed that the session is over. */
const FAREWELL_MS = 2_000;

/**
 * Ends a session: nothing waits in it any more, holders may finish during the drain while renewals
 * go on (bull#1615), then it is closed, which frees the rest in one entry. A session that others
 * hold in too is left to them: then every grant of ours is given back for itself. Never rejects.
 */
export async function endSession(session: Session, drain: Drain): Promise<void> {
  session.holdings.giveUpWaiting(
    new HoldfastError('CLOSED', 'the client was closed during the wait'),
  );
  if (!drain.isOver && session.isAlive(false)) await drained(session, drain);
  const wasAlive = session.isAlive(true);
  const isOfOthers = session.isShared || session.isHandedOver;
  const loss: Loss = { code: 'CLOSED', text: 'the client was closed', details: {} };
  if (wasAlive && isOfOthers) {
    for (const [, held] of session.holdings.grants()) held.giveBack(loss);
  }
  session.lose(loss);
  if (!wasAlive) return;
  if (isOfOthers) await settled(session);
  else await close(session);
}

function drained(session: Session, drain: Drain): Promise<void> {
  return new Promise((resolve) => {
    drain.whenOver(resolve);
    session.holdings.whenIdle(resolve);
  });
}

// If nobody confirms it, the cluster ends the session by itself after the TTL. While it is resumed,
// the numbers of its former process are not known yet, so one is drawn that was none of them.
async function close(session: Session): Promise<void> {
  const { parts, id } = session;
  const sequence = session.isOpen ? session.sequence : new DrawnNumbers(parts.random);
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

// Until the cluster has confirmed what was given back and given up. If it does not in time, the
// rest ends with the session.
function settled(session: Session): Promise<void> {
  const { clock, logger } = session.parts;
  return new Promise((resolve) => {
    const limit = callAt(clock, clock.monoUs() + FAREWELL_MS * 1000, () => {
      logger.warn(`what was held was not confirmed as given back within ${FAREWELL_MS} ms`);
      resolve();
    });
    session.returns.whenNone(() => {
      limit.cancel();
      resolve();
    });
  });
}
