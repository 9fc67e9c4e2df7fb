// What a request came to, and what locks and sessions look like, as positional arrays.

import type { ErrorCode } from '../base/error.ts';
import type {
  EndCause,
  GhostView,
  HolderView,
  LockView,
  Outcome,
  SessionView,
  TenantView,
  WaiterView,
} from '../locks/outcomes.ts';
import type { Refused } from './client-messages.ts';
import { MODES } from './modes.ts';
import { Reader, choiceOf } from './reader.ts';
import { readPermits, readSlots } from './slot-lists.ts';

type AnyOutcome = Outcome | Refused;

/** By their numbers on the wire; the list only ever grows at its end. */
export const OUTCOME_CODES = [
  'OPENED',
  'GRANTED',
  'QUEUED',
  'DONE',
  'LOCK_BUSY',
  'ENDED',
  'NOT_HOLDER',
  'SESSION_GONE',
  'WINDOW',
  'INVALID',
  'STALE_SEQ',
  'NOT_LEADER',
  'OVERLOADED',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'NOT_FOUNDED',
  'CLUSTER_CHANGED',
  'INTERNAL',
  'EMBARGO',
] as const satisfies readonly AnyOutcome['code'][];

const END_CAUSES = [
  'released',
  'cancelled',
  'withdrawn',
  'broken',
] as const satisfies readonly EndCause[];

/** What callers are told: while nothing is granted after a restore, the lock cannot be had. */
export function errorCodeOf(
  code: Extract<AnyOutcome, { readonly message: string }>['code'],
): ErrorCode {
  return code === 'EMBARGO' ? 'UNAVAILABLE' : code;
}

/** An outcome or refusal as a positional array. */
export function outcomeFields(outcome: AnyOutcome): unknown[] {
  const code = choiceOf(OUTCOME_CODES, outcome.code);
  switch (outcome.code) {
    case 'OPENED':
      return [code, outcome.session, outcome.ttlMs, outcome.lockDelayMs];
    case 'GRANTED':
      return [code, outcome.token, outcome.slots];
    case 'QUEUED':
      return [code, outcome.ahead];
    case 'DONE':
      return [code];
    case 'LOCK_BUSY':
      return [
        code,
        outcome.name,
        outcome.holder === null ? null : holderFields(outcome.holder),
        outcome.ghost === null ? null : ghostFields(outcome.ghost),
        outcome.aheadIndex,
      ];
    case 'ENDED':
      return [code, choiceOf(END_CAUSES, outcome.cause), outcome.token];
    default:
      return [code, outcome.message];
  }
}

/** Throws DecodeError. */
export function readOutcome(value: unknown, what: string): AnyOutcome {
  const read = new Reader(value, what);
  return read.done(readContent(read));
}

function readContent(read: Reader): AnyOutcome {
  const code = read.choice('code', OUTCOME_CODES);
  switch (code) {
    case 'OPENED':
      return {
        code,
        session: read.text('session'),
        ttlMs: read.integerOrNull('ttlMs'),
        lockDelayMs: read.integer('lockDelayMs'),
      };
    case 'GRANTED':
      return {
        code,
        token: read.integer('token', 1),
        slots: read.list('slots', readSlots),
      };
    case 'QUEUED':
      return { code, ahead: read.integer('ahead') };
    case 'DONE':
      return { code };
    case 'LOCK_BUSY':
      return {
        code,
        name: read.text('name'),
        holder: read.nullable('holder', readHolder),
        ghost: read.nullable('ghost', readGhost),
        aheadIndex: read.integer('aheadIndex'),
      };
    case 'ENDED':
      return { code, cause: read.choice('cause', END_CAUSES), token: read.integer('token') };
    default:
      return { code, message: read.text('message') };
  }
}

/** A lock with its holders and waiters as a positional array. */
export function lockFields(lock: LockView): unknown[] {
  const { name, holders, ghosts, waiters, holderCount, waiterCount } = lock;
  return [
    name,
    holders.map(holderFields),
    ghosts.map(ghostFields),
    waiters.map(waiterFields),
    holderCount,
    waiterCount,
  ];
}

/** Throws DecodeError. */
export function readLock(value: unknown, what: string): LockView {
  const read = new Reader(value, what);
  return read.done({
    name: read.text('name'),
    holders: read.list('holders', readHolder),
    ghosts: read.list('ghosts', readGhost),
    waiters: read.list('waiters', readWaiter),
    holderCount: read.integer('holderCount'),
    waiterCount: read.integer('waiterCount'),
  });
}

function holderFields(holder: HolderView): unknown[] {
  const { sessionMeta, meta, value, sinceMs } = holder;
  return [...tenantFields(holder), sessionMeta, meta, value, sinceMs];
}

function readHolder(value: unknown, what: string): HolderView {
  const read = new Reader(value, what);
  return read.done({
    ...readTenant(read, what),
    sessionMeta: read.text('sessionMeta'),
    meta: read.text('meta'),
    value: read.textOrNull('value'),
    sinceMs: read.integer('sinceMs'),
  });
}

function ghostFields(ghost: GhostView): unknown[] {
  return [...tenantFields(ghost), ghost.lockDelayMs, ghost.closedAt];
}

function readGhost(value: unknown, what: string): GhostView {
  const read = new Reader(value, what);
  return read.done({
    ...readTenant(read, what),
    lockDelayMs: read.integer('lockDelayMs'),
    closedAt: read.integer('closedAt', 1),
  });
}

function tenantFields(tenant: TenantView): unknown[] {
  const { token, session, acquireSeq, mode, permits, slots, sessionName } = tenant;
  return [token, session, acquireSeq, choiceOf(MODES, mode), permits, slots, sessionName];
}

function readTenant(read: Reader, what: string): TenantView {
  return {
    token: read.integer('token', 1),
    session: read.text('session'),
    acquireSeq: read.integer('acquireSeq', 1),
    mode: read.choice('mode', MODES),
    permits: read.nullable('permits', readPermits),
    slots: readSlots(read.any('slots'), `${what}.slots`),
    sessionName: read.text('sessionName'),
  };
}

function waiterFields(waiter: WaiterView): unknown[] {
  return [
    waiter.session,
    waiter.acquireSeq,
    choiceOf(MODES, waiter.mode),
    waiter.permits,
    waiter.index,
    waiter.sessionName,
    waiter.sinceMs,
  ];
}

function readWaiter(value: unknown, what: string): WaiterView {
  const read = new Reader(value, what);
  return read.done({
    session: read.text('session'),
    acquireSeq: read.integer('acquireSeq', 1),
    mode: read.choice('mode', MODES),
    permits: read.nullable('permits', readPermits),
    index: read.integer('index'),
    sessionName: read.text('sessionName'),
    sinceMs: read.integer('sinceMs'),
  });
}

/** A session as a positional array. */
export function sessionFields(session: SessionView): unknown[] {
  return [
    session.session,
    session.ttlMs,
    session.leaseMs,
    session.lockDelayMs,
    session.name,
    session.meta,
    session.openedMs,
    session.held,
    session.waiting,
  ];
}

/** Throws DecodeError. */
export function readSession(value: unknown, what: string): SessionView {
  const read = new Reader(value, what);
  return read.done({
    session: read.text('session'),
    ttlMs: read.integerOrNull('ttlMs'),
    leaseMs: read.integerOrNull('leaseMs'),
    lockDelayMs: read.integer('lockDelayMs'),
    name: read.text('name'),
    meta: read.text('meta'),
    openedMs: read.integer('openedMs'),
    held: read.integer('held'),
    waiting: read.integer('waiting'),
  });
}
