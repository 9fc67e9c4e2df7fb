// The errors of an acquire: which lock, how long it waited, what was tried, what came last.

import { HoldfastError } from '../base/error.ts';
import type { Outcome } from '../locks/outcomes.ts';
import { ghostInfo, holderInfo } from './holder.ts';
import type { GhostInfo, HolderInfo } from './holder.ts';
import { lossReason, nameList } from './loss.ts';
import type { Loss } from './loss.ts';
import type { Refusal } from './refusal.ts';

/** What an acquire knows of itself when it fails. */
export interface Attempt {
  readonly names: readonly string[];
  readonly waitedMs: number;
  /** Requests before it in the queue when it was last told; null if it was never queued. */
  readonly ahead: number | null;
}

/**
 * LOCK_BUSY. `details.name` is the first of the names that was not free; `details.holder` says who
 * has it, `details.ghost` what keeps it closed instead. Both are null when it would be free but for
 * the earlier waiter of `details.aheadIndex`.
 */
export function busyError(
  attempt: Attempt,
  outcome: Extract<Outcome, { readonly code: 'LOCK_BUSY' }>,
): HoldfastError {
  const { name, aheadIndex } = outcome;
  const holder = outcome.holder === null ? null : holderInfo(outcome.holder);
  const ghost = outcome.ghost === null ? null : ghostInfo(outcome.ghost);
  const details = { ...attempt, name, holder, ghost, aheadIndex };
  const why = holder !== null ? holdingText(holder) : ghost !== null ? delayText(ghost) : null;
  const text = `${JSON.stringify(name)} is busy: ${why ?? 'others wait for it'}`;
  return new HoldfastError('LOCK_BUSY', text, { details });
}

function holdingText({ sessionName, mode, permits, token }: HolderInfo): string {
  const who = JSON.stringify(sessionName);
  if (permits !== null) {
    return `${who} holds ${permits[0]} of its ${permits[1]} permits with token ${token}`;
  }
  return `${who} holds it ${mode === 'shared' ? 'shared ' : ''}with token ${token}`;
}

function delayText({ sessionName, token, lockDelayMs }: GhostInfo): string {
  const holder = `its holder ${JSON.stringify(sessionName)} (token ${token})`;
  return `it is closed for ${lockDelayMs} ms after the session of ${holder} expired`;
}

/**
 * WAIT_OVER: it stood in the queue for as long as it was to wait; by the own clock, so it says so
 * when no node answers too, and the queue forgets it when one does.
 */
export function waitOverError(attempt: Attempt, waitMs: number): HoldfastError {
  const limit = `the ${waitMs} ms that it was to wait`;
  const text = `${nameList(attempt.names)} was not granted within ${limit}${queueText(attempt)}`;
  return new HoldfastError('WAIT_OVER', text, { details: { ...attempt, waitMs } });
}

/** How a WAIT_OVER tells where the request stood; begins with a semicolon, or is empty. */
export function queueText({ ahead }: Pick<Attempt, 'ahead'>): string {
  if (ahead === null) return '';
  const requests = ahead === 1 ? '1 request was' : `${ahead} requests were`;
  return `; ${requests} before it when it was queued`;
}

/**
 * WAIT_OVER: how the wait ended was not kept, for it was acknowledged, here or by a process that
 * has resumed the session; nothing is held.
 */
export function endedUnseenError(attempt: Attempt): HoldfastError {
  const text =
    `the wait for ${nameList(attempt.names)} ended while no node was reached, ` +
    'or because another process goes on with this session';
  return new HoldfastError('WAIT_OVER', `${text}; nothing is held`, { details: { ...attempt } });
}

/**
 * What was sent in a session is never believed once that is over, and carries the code of its loss,
 * which is the cause. `mayStand`: the cluster may have it in the queue, or grant it, for as long as
 * it does not know of that end.
 */
export function lostWaitError(attempt: Attempt, loss: Loss, mayStand: boolean): HoldfastError {
  const { waitedMs, names } = attempt;
  const text = `${nameList(names)} was not granted: after ${waitedMs} ms the session was over`;
  const cause = lossReason('the session', loss);
  const details = { ...attempt, ...loss.details };
  // Of the rest the cluster knows.
  const isOwnView = loss.code === 'UNAVAILABLE' || loss.code === 'EVENT_LOOP_BLOCKED';
  const outcome = isOwnView && mayStand ? 'unknown' : 'none';
  return new HoldfastError(loss.code, `${text}: ${loss.text}`, { outcome, details, cause });
}

/** What the client knows of the cluster when nobody answered. */
export interface ClusterView {
  /** Every address with its state. */
  readonly tried: string;
  /** What a node said last instead of deciding. */
  readonly refusal: Refusal | null;
  readonly isInDoubt: boolean;
}

/**
 * UNAVAILABLE: nobody decided. If it was sent it is cancelled, but may be granted until then.
 * OVERLOADED: the leader refused it to the last, and certainly never took it.
 */
export function noAnswerError(attempt: Attempt, cluster: ClusterView): HoldfastError {
  const { refusal, tried, isInDoubt } = cluster;
  const last = refusal === null ? '' : `; the last answer was ${refusal.code}: ${refusal.message}`;
  const text =
    `${nameList(attempt.names)} was neither granted nor refused within ${attempt.waitedMs} ms; ` +
    `tried ${tried}${last}`;
  const code = refusal?.code === 'OVERLOADED' && !isInDoubt ? 'OVERLOADED' : 'UNAVAILABLE';
  const outcome = isInDoubt ? 'unknown' : 'none';
  return new HoldfastError(code, text, { outcome, details: { ...attempt } });
}
