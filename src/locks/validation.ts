// What apply refuses as INVALID. Each function gives the reason, or null. The texts are stored
// with the answers, so they are part of the replicated state (outcome-row.ts).

import { describeValue } from '../base/error.ts';
import { nameProblem, utf8Length } from '../base/name.ts';
import type {
  Acquire,
  Break,
  EndSession,
  OpenSession,
  ReplicatedLimits,
  RequestItem,
  SessionCommand,
  SetLimits,
} from './commands.ts';
import { limitsProblem } from './limits.ts';
import { weightOf } from './state.ts';

const NONCE_PATTERN = /^[A-Za-z0-9_-]{16}$/;

/** Whether a text is 96 bits in base64url. */
export function isNonce(text: string): boolean {
  return NONCE_PATTERN.test(text);
}

/** Why a session cannot be opened like this. */
export function openProblem(command: OpenSession, limits: ReplicatedLimits): string | null {
  if (!isNonce(command.nonce)) {
    return `nonce must be 16 characters of base64url (got ${describeValue(command.nonce)})`;
  }
  return (
    ttlProblem(command.ttlMs, limits) ??
    lockDelayProblem(command.lockDelayMs, limits) ??
    textProblem('name', command.name, limits.nameBytesMax) ??
    textProblem('meta', command.meta, limits.metaBytesMax)
  );
}

/** Why the parts that every command of a session has are out of range. */
export function requestProblem(command: SessionCommand): string | null {
  if (!isWholeFrom(1, command.seq)) {
    return `seq must be a whole number from 1 (got ${describeValue(command.seq)})`;
  }
  if (!isWholeFrom(0, command.ackedBelow)) {
    return `ackedBelow must be a whole number from 0 (got ${describeValue(command.ackedBelow)})`;
  }
  return null;
}

/** Why a number cannot name an acquire of the same session. */
export function acquireSeqProblem(acquireSeq: number, seq: number): string | null {
  if (!isWholeFrom(1, acquireSeq)) {
    return `acquireSeq must be a whole number from 1 (got ${describeValue(acquireSeq)})`;
  }
  if (acquireSeq === seq) return `acquireSeq names the request itself (${seq})`;
  return null;
}

/** Why an acquire cannot be asked like this. `holdings` is what the session has already. */
export function acquireProblem(
  command: Acquire,
  limits: ReplicatedLimits,
  holdings: number,
): string | null {
  const { items, waitMs, meta, value } = command;
  return (
    itemsProblem(items, limits) ??
    (waitMs === null || isWholeFrom(0, waitMs)
      ? null
      : `waitMs must be null or a whole number from 0 (got ${describeValue(waitMs)})`) ??
    textProblem('meta', meta, limits.metaBytesMax) ??
    (value === null ? null : valueProblem(value, limits)) ??
    holdingsProblem(holdings, items, limits)
  );
}

/** Why a value cannot be that of a grant. */
export function valueProblem(value: string, limits: ReplicatedLimits): string | null {
  return textProblem('value', value, limits.metaBytesMax);
}

/** Why an act of an operator is refused before anything is looked at. */
export function operatorProblem(
  command: Break | EndSession,
  limits: ReplicatedLimits,
): string | null {
  return (
    textProblem('by', command.by, limits.metaBytesMax) ??
    textProblem('reason', command.reason, limits.metaBytesMax)
  );
}

/** Why an operator cannot put these limits in force. */
export function setLimitsProblem(command: SetLimits, limits: ReplicatedLimits): string | null {
  return textProblem('by', command.by, limits.metaBytesMax) ?? limitsProblem(command.limits);
}

/** A text inside a message: shortened, in quotes, with everything odd escaped. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

function ttlProblem(ttlMs: number | null, limits: ReplicatedLimits): string | null {
  const { ttlMsMin, ttlMsMax } = limits;
  if (ttlMs === null || (isWholeFrom(ttlMsMin, ttlMs) && ttlMs <= ttlMsMax)) return null;
  const got = describeValue(ttlMs);
  return `ttlMs must be null or a whole number from ${ttlMsMin} to ${ttlMsMax} (got ${got})`;
}

function lockDelayProblem(lockDelayMs: number, limits: ReplicatedLimits): string | null {
  const { lockDelayMsMax } = limits;
  const got = describeValue(lockDelayMs);
  if (!isWholeFrom(0, lockDelayMs) || lockDelayMs > lockDelayMsMax) {
    return `lockDelayMs must be a whole number from 0 to ${lockDelayMsMax} (got ${got})`;
  }
  return null;
}

function itemsProblem(items: readonly RequestItem[], limits: ReplicatedLimits): string | null {
  const max = limits.namesPerRequestMax;
  if (items.length < 1 || items.length > max) {
    return `a request must name 1 to ${max} locks (got ${items.length})`;
  }
  for (const item of items) {
    const problem = itemProblem(item, limits);
    if (problem !== null) return problem;
  }
  if (items.length === 1) return null;
  const names = new Set<string>();
  for (const { name } of items) {
    if (names.has(name)) return `a request must name each lock once (${quote(name)} twice)`;
    names.add(name);
  }
  return null;
}

function itemProblem(item: RequestItem, limits: ReplicatedLimits): string | null {
  const problem = nameProblem(item.name, limits.nameBytesMax);
  if (problem !== null) return problem;
  if (item.mode !== 'exclusive' && item.mode !== 'shared') {
    return `mode must be "exclusive" or "shared" (got ${describeValue(item.mode)})`;
  }
  return item.permits === null ? null : permitsProblem(item, item.permits, limits);
}

function permitsProblem(
  { name, mode }: RequestItem,
  [taken, total]: readonly [number, number],
  limits: ReplicatedLimits,
): string | null {
  const max = limits.permitsTotalMax;
  if (!isWholeFrom(1, total) || total > max) {
    return `a semaphore must have 1 to ${max} permits (got ${describeValue(total)})`;
  }
  const takenMax = Math.min(total, limits.permitsPerRequestMax);
  if (!isWholeFrom(1, taken) || taken > takenMax) {
    const semaphore = `${quote(name)}, a semaphore of ${total}`;
    const got = describeValue(taken);
    return `a request may take 1 to ${takenMax} permits of ${semaphore} (got ${got})`;
  }
  if (mode !== 'exclusive') return `mode must be "exclusive" with permits (got "shared")`;
  return null;
}

function holdingsProblem(
  holdings: number,
  items: readonly RequestItem[],
  limits: ReplicatedLimits,
): string | null {
  const max = limits.holdingsPerSessionMax;
  const more = items.reduce((sum, item) => sum + weightOf(item), 0);
  if (holdings + more <= max) return null;
  const what = `${max} names, a semaphore counting its permits`;
  return `a session may hold or wait for ${what} (it has ${holdings}, and asks for ${more})`;
}

function textProblem(field: string, text: string, bytesMax: number): string | null {
  const bytes = utf8Length(text);
  if (bytes === -1) return `${field} must be well-formed Unicode; it has a lone surrogate`;
  if (bytes > bytesMax) return `${field} may have at most ${bytesMax} bytes; it has ${bytes}`;
  return null;
}

function isWholeFrom(min: number, value: number): boolean {
  return Number.isSafeInteger(value) && value >= min;
}
