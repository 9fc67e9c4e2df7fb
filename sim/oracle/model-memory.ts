// What sessions remember of their requests in the model, and how facts name them.

import type { Index, SessionId, Term } from '../../src/base/units.ts';
import type { Command, OpenSession } from '../../src/locks/commands.ts';
import type { ModelLimits } from './model-limits.ts';
import { isWithin } from './model-rules.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type {
  ModelClaim,
  ModelGhost,
  ModelRequest,
  ModelSession,
  ModelStep,
} from './model-state.ts';

/** Numbers from here on are not remembered (HTTP without `seq`). */
const UNNUMBERED_MIN = 2 ** 52;

/** An entry that has not done anything yet. */
export function newStep(index: Index, term: Term): ModelStep {
  return { index, term, facts: [], answer: '', isExecuted: true };
}

/** As an entry opens it. */
export function newSession({ index }: ModelStep, open: OpenSession): ModelSession {
  const unused = { isUsed: false, ackedBelow: 0, answers: new Map(), requests: new Map() };
  return { id: `${index}-${open.nonce}`, open, ...unused };
}

/** The session's word that it knows all answers below. */
export function acknowledge(session: ModelSession, ackedBelow: number): void {
  if (ackedBelow <= session.ackedBelow) return;
  session.ackedBelow = ackedBelow;
  for (const seq of session.answers.keys()) if (seq < ackedBelow) session.answers.delete(seq);
}

/** Keeps an answer for those who ask late, unless nobody will. */
export function store(
  session: ModelSession,
  seq: number,
  answer: { readonly hash: number | null; readonly answer: string },
): void {
  if (seq >= session.ackedBelow && seq < UNNUMBERED_MIN) session.answers.set(seq, answer);
}

/** It was answered from memory, or refused, and must change nothing. */
export function unexecuted(step: ModelStep, answer: string): string {
  step.isExecuted = false;
  return answer;
}

/** The names of all of them. */
export function namesOf(all: readonly { readonly names: readonly string[] }[]): readonly string[] {
  return all.flatMap(({ names }) => names);
}

/** What names a request in facts. */
export function factsOf({ session, seq, names }: ModelRequest): {
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly names: readonly string[];
} {
  return { session: session.id, acquireSeq: seq, names };
}

/** What closes a lock when the grant of this claim expires. */
export function delayedFact({ request, name }: ModelClaim, closedAt: Index): LockEvent {
  const { session, acquireSeq } = factsOf(request);
  const { lockDelayMs: delayMs } = request.session.open;
  return { type: 'delayed', session, acquireSeq, token: request.token, name, closedAt, delayMs };
}

/** The end of a lock-delay. */
export function liftedFact(ghost: ModelGhost, cause: 'over' | 'broken'): LockEvent {
  const { name, closedAt, request } = ghost;
  const { session, acquireSeq } = factsOf(request);
  const { token } = request;
  return { type: 'lifted', session, acquireSeq, token, name, closedAt, cause, reason: '' };
}

/** A whole number from `min` on. */
export function isCount(value: number, min: number): boolean {
  return isWithin(value, min, Number.MAX_SAFE_INTEGER);
}

/**
 * Whether there is no room for another answer. What gives back must go through: it has a bound of
 * its own, of all that can be given back. So must the request that keeps all answers above it from
 * being acknowledged.
 */
export function isFull(
  session: ModelSession,
  { op, seq }: Pick<Command, 'op'> & { readonly seq: number },
  { now, holdingsMaxEver }: ModelLimits,
): boolean {
  if (op === 'closeSession' || seq === session.ackedBelow) return false;
  const isWish = op === 'acquire' || op === 'proclaim';
  return session.answers.size >= now.windowMax + (isWish ? 0 : 2 * holdingsMaxEver);
}
