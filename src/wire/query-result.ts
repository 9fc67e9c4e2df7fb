// Answers to queries as positional arrays.

import { unreachable } from '../base/assert.ts';
import { isErrorCode } from '../base/error.ts';
import type { ErrorCode } from '../base/error.ts';
import type { FoundingState, LockTimes, PendingChange, QueryResult } from './client-messages.ts';
import { unexpected } from './decode-error.ts';
import { foundingFields, limitsFields, readFounding, readLimits } from './founding.ts';
import { holdingsFields, readHoldings } from './holdings.ts';
import { membershipFields, readMembership } from './membership.ts';
import { lockFields, readLock, readSession, sessionFields } from './outcome.ts';
import { Reader, choiceOf, wholeItem, wholeOrNull } from './reader.ts';
import { readStatus, statusFields } from './status.ts';

const KINDS = [
  'lock',
  'locks',
  'session',
  'sessions',
  'status',
  'founding',
  'refused',
  'grant',
  'holdings',
  'membership',
  'transferred',
  'backup',
  'backupRows',
  'done',
  'limits',
] as const satisfies readonly QueryResult['kind'][];

const FOUNDING_STATES = ['blank', 'founded'] as const satisfies readonly FoundingState[];

/** The result as a positional array. */
export function queryResultFields(result: QueryResult): unknown[] {
  const kind = choiceOf(KINDS, result.kind);
  switch (result.kind) {
    case 'lock':
      return [kind, lockFields(result.lock), [result.leftMs.holders, result.leftMs.ghosts]];
    case 'locks':
      return [kind, result.locks.map(lockFields), result.hasMore];
    case 'session':
      return [kind, result.session === null ? null : sessionFields(result.session), result.leftMs];
    case 'sessions':
      return [kind, result.sessions.map(sessionFields), result.hasMore];
    case 'status':
      return [kind, statusFields(result.status)];
    case 'founding':
      return [
        kind,
        result.nodeId,
        result.storeId,
        choiceOf(FOUNDING_STATES, result.state),
        result.record === null ? null : foundingFields(result.record),
      ];
    case 'refused':
      return [kind, result.code, result.message, ...pendingFields(result.pending)];
    case 'grant':
      return [kind, result.token];
    case 'holdings':
      return [kind, result.holdings === null ? null : holdingsFields(result.holdings)];
    case 'membership':
      return [kind, membershipFields(result.membership)];
    case 'transferred':
      return [kind, result.leaderId];
    case 'backup':
      return [kind, result.backupId, result.meta];
    case 'backupRows':
      return [kind, result.content, result.isLast];
    case 'done':
      return [kind];
    case 'limits':
      return [kind, limitsFields(result.limits)];
    default:
      return unreachable(result);
  }
}

/** Throws DecodeError. Pieces of a backup are views into the frame. */
export function readQueryResult(value: unknown, what: string): QueryResult {
  const read = new Reader(value, what);
  return read.done(readContent(read));
}

/** An error code, sent as its name: codes never change, and a log of frames can be read. */
export function readErrorCode(read: Reader, field: string): ErrorCode {
  const code = read.text(field);
  if (isErrorCode(code)) return code;
  throw unexpected(field, 'an error code', code);
}

function readContent(read: Reader): QueryResult {
  const kind = read.choice('kind', KINDS);
  switch (kind) {
    case 'lock':
      return {
        kind,
        lock: readLock(read.any('lock'), 'lock'),
        leftMs: readTimes(read.any('leftMs')),
      };
    case 'locks':
      return { kind, locks: read.list('locks', readLock), hasMore: read.flag('hasMore') };
    case 'session':
      return {
        kind,
        session: read.nullable('session', readSession),
        leftMs: read.integerOrNull('leftMs'),
      };
    case 'sessions':
      return { kind, sessions: read.list('sessions', readSession), hasMore: read.flag('hasMore') };
    case 'status':
      return { kind, status: readStatus(read.any('status')) };
    case 'founding':
      return {
        kind,
        nodeId: read.text('nodeId'),
        storeId: read.text('storeId'),
        state: read.choice('state', FOUNDING_STATES),
        record: read.nullable('record', readFounding),
      };
    case 'refused':
      return { kind, ...readRefusal(read) };
    case 'grant':
      return { kind, token: read.integer('token') };
    case 'holdings':
      return { kind, holdings: read.nullable('holdings', readHoldings) };
    case 'membership':
      return { kind, membership: readMembership(read.any('membership')) };
    case 'transferred':
      return { kind, leaderId: read.textOrNull('leaderId') };
    case 'backup':
      return { kind, backupId: read.integer('backupId'), meta: read.bytes('meta') };
    case 'backupRows':
      return { kind, content: read.bytes('content'), isLast: read.flag('isLast') };
    case 'done':
      return { kind };
    case 'limits':
      return { kind, limits: readLimits(read.any('limits'), 'limits') };
    default:
      return unreachable(kind);
  }
}

function pendingFields(pending: PendingChange | undefined): unknown[] {
  return pending === undefined ? [] : [pending.change, pending.sinceIndex];
}

function readRefusal(read: Reader): Omit<Extract<QueryResult, { kind: 'refused' }>, 'kind'> {
  const refusal = { code: readErrorCode(read, 'code'), message: read.text('message') };
  if (read.isAtEnd()) return refusal;
  const pending = { change: read.text('change'), sinceIndex: read.integer('sinceIndex') };
  return { ...refusal, pending };
}

function readTimes(value: unknown): LockTimes {
  const read = new Reader(value, 'leftMs');
  return read.done({
    holders: read.list('holders', wholeOrNull),
    ghosts: read.list('ghosts', wholeItem),
  });
}
