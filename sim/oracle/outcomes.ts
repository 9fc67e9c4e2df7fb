// What an answer may say: measured against the entry that it is of, the state there, and the
// answers that the same request was given before.

import type { Command } from '../../src/locks/commands.ts';
import type { HoldingView, LockView, Outcome } from '../../src/locks/outcomes.ts';
import type { Refused } from '../../src/wire/client-messages.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import type { LinearModel } from './linear-model.ts';
import type { CommittedEntry } from './types.ts';

/** Codes after which nobody can tell whether the transmission took effect (RAFT.md §12). */
const UNCERTAIN: ReadonlySet<(Outcome | Refused)['code']> = new Set([
  'OUTCOME_UNKNOWN',
  'INTERNAL',
] as const);

/** Whether a refusal promises that this transmission did nothing (INV-13). */
export function isCertain(refusal: Outcome | Refused): boolean {
  return !UNCERTAIN.has(refusal.code);
}

/** Whether two pieces of plain data are equal. */
export function isSameData(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left === null || right === null) return false;
  if (Array.isArray(left) && Array.isArray(right) && left.length !== right.length) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!isSameData(Reflect.get(left, key), Reflect.get(right, key))) return false;
  }
  return true;
}

/** The same for answers; most are told apart by one field. */
export function isSameOutcome(left: Outcome | Refused, right: Outcome | Refused): boolean {
  if (left.code !== right.code) return false;
  if (left.code === 'DONE') return true;
  return isSameData(left, right);
}

/** Whether the entry's command is the one that a client meant by this. */
export function isCarriedBy(command: Command | null, body: CommandBody): boolean {
  if (command?.op !== body.op) return false;
  if ('seq' in body) {
    return 'seq' in command && command.seq === body.seq && command.session === body.session;
  }
  if (body.op === 'openSession') return 'nonce' in command && command.nonce === body.nonce;
  return isSameData(command, body);
}

/**
 * Whether a later answer to a numbered request goes with an earlier one (INV-14). Those of a live
 * acquire tell its present state; all others are frozen. `earlier` and `later` are neither
 * WINDOW nor SESSION_GONE, which say nothing of the request.
 */
export function mayFollow(earlier: Outcome, later: Outcome): boolean {
  if (later.code === 'STALE_SEQ') return true;
  if (earlier.code === 'QUEUED') return ['QUEUED', 'GRANTED', 'ENDED'].includes(later.code);
  if (earlier.code === 'GRANTED' && later.code === 'ENDED') return later.token === earlier.token;
  return isSameOutcome(earlier, later);
}

/**
 * What is wrong with an answer, given the state after its entry; null if nothing is. `isFirst`:
 * the request was not answered before, so the answer is of this state and no memory.
 */
export function outcomeProblem(
  entry: CommittedEntry,
  model: LinearModel,
  isFirst: boolean,
): string | null {
  const { command, outcome } = entry;
  if (command === null || outcome === null) return null;
  const hasEnded = entry.events.some((event) => event.type === 'sessionEnded');
  const isGone = outcome.code === 'SESSION_GONE';
  if (command.op === 'endSession') return isGone === hasEnded ? 'the session lived' : null;
  if (!('seq' in command)) return null;
  if (isGone === (hasEnded || model.isAlive(command.session))) {
    return isGone ? 'the session lives' : 'the session does not live';
  }
  if (outcome.code === 'STALE_SEQ' && command.seq >= model.ackedBelow(command.session)) {
    return 'its answer was not acknowledged';
  }
  if (command.op !== 'acquire') return null;
  const holding = model.holding(command.session, command.seq);
  return acquireProblem(outcome, holding, () =>
    isFirst && outcome.code === 'LOCK_BUSY' ? model.lockView(outcome.name) : null,
  );
}

function acquireProblem(
  outcome: Outcome,
  holding: HoldingView | null,
  busyLock: () => LockView | null,
): string | null {
  const token = holding?.token ?? null;
  if (outcome.code === 'GRANTED') {
    if (token !== outcome.token) return `it holds ${token}`;
    return isSameData(outcome.slots, holding?.slots) ? null : 'it holds other slots';
  }
  if (outcome.code === 'QUEUED') return token === 0 ? null : 'it does not wait';
  if (outcome.code === 'ENDED' && token !== null) return 'it has not ended';
  const lock = busyLock();
  if (outcome.code !== 'LOCK_BUSY' || lock === null) return null;
  return isInTheWay(outcome, lock) ? null : 'what is said to be in the way is not there';
}

function isInTheWay(
  { holder, ghost, aheadIndex }: Extract<Outcome, { readonly code: 'LOCK_BUSY' }>,
  lock: LockView,
): boolean {
  if (holder !== null) return lock.holders.some((each) => isSameData(each, holder));
  if (ghost !== null) return lock.ghosts.some((each) => isSameData(each, ghost));
  return lock.waiters[0]?.index === aheadIndex;
}
