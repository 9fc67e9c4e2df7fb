// The fields of each command, in the order in which they are written and read.

import { unreachable } from '../base/assert.ts';
import type { Command, RequestItem } from '../locks/commands.ts';
import type { CommandBody } from './command.ts';
import { limitsFields, readLimits } from './founding.ts';
import { MODES } from './modes.ts';
import { Reader, choiceOf } from './reader.ts';
import { readPermits } from './slot-lists.ts';

/** The number of each is stored in logs: new ones come last, and none ever goes. */
export const OPS = [
  'openSession',
  'acquire',
  'cancel',
  'release',
  'closeSession',
  'endSession',
  'break',
  'expireSession',
  'withdraw',
  'proclaim',
  'liftDelay',
  'liftEmbargo',
  'setLimits',
] as const satisfies readonly Command['op'][];

/** A body as a positional array: the number of its op, then its fields in the order of readBody. */
export function bodyFields(body: CommandBody): unknown[] {
  const op = choiceOf(OPS, body.op);
  switch (body.op) {
    case 'openSession':
      return [op, body.nonce, body.ttlMs, body.lockDelayMs, body.name, body.meta];
    case 'acquire':
      return [
        op,
        body.session,
        body.seq,
        body.items.map(itemFields),
        body.waitMs,
        body.meta,
        body.value,
      ];
    case 'cancel':
      return [op, body.session, body.seq, body.acquireSeq];
    case 'release':
      return [op, body.session, body.seq, body.name, body.acquireSeq, body.token];
    case 'closeSession':
      return [op, body.session, body.seq];
    case 'endSession':
      return [op, body.session, body.by, body.reason];
    case 'break':
      return [op, body.name, body.token, body.session, body.by, body.reason];
    case 'expireSession':
      return [op, body.session, body.proposerTerm];
    case 'withdraw':
      return [op, body.session, body.acquireSeq, body.proposerTerm];
    case 'proclaim':
      return [op, body.session, body.seq, body.name, body.acquireSeq, body.token, body.value];
    case 'liftDelay':
      return [op, body.name, body.closedAt, body.proposerTerm];
    case 'liftEmbargo':
      return [op, body.proposerTerm, body.afterName];
    case 'setLimits':
      return [op, limitsFields(body.limits), body.by];
    default:
      return unreachable(body);
  }
}

/**
 * Throws DecodeError. Reads in the order of bodyFields: the properties of a literal are evaluated
 * from top to bottom.
 */
export function readBody(read: Reader): CommandBody {
  const op = read.choice('op', OPS);
  switch (op) {
    case 'openSession':
      return readOpenSession(read);
    case 'acquire':
      return readAcquire(read);
    case 'cancel':
      return {
        op,
        session: read.text('session'),
        seq: read.integer('seq', 1),
        acquireSeq: read.integer('acquireSeq', 1),
      };
    case 'release':
      return readRelease(read);
    case 'closeSession':
      return { op, session: read.text('session'), seq: read.integer('seq', 1) };
    case 'endSession':
      return {
        op,
        session: read.text('session'),
        by: read.text('by'),
        reason: read.text('reason'),
      };
    case 'break':
      return readBreak(read);
    case 'expireSession':
      return { op, session: read.text('session'), proposerTerm: read.integer('proposerTerm', 1) };
    case 'withdraw':
      return {
        op,
        session: read.text('session'),
        acquireSeq: read.integer('acquireSeq', 1),
        proposerTerm: read.integer('proposerTerm', 1),
      };
    case 'proclaim':
      return readProclaim(read);
    case 'liftDelay':
      return {
        op,
        name: read.text('name'),
        closedAt: read.integer('closedAt', 1),
        proposerTerm: read.integer('proposerTerm', 1),
      };
    case 'liftEmbargo':
      return readLiftEmbargo(read);
    case 'setLimits':
      return readSetLimits(read);
    default:
      return unreachable(op);
  }
}

function readOpenSession(read: Reader): CommandBody {
  return {
    op: 'openSession',
    nonce: read.text('nonce'),
    ttlMs: read.integerOrNull('ttlMs'),
    lockDelayMs: read.integer('lockDelayMs'),
    name: read.text('name'),
    meta: read.text('meta'),
  };
}

function readAcquire(read: Reader): CommandBody {
  return {
    op: 'acquire',
    session: read.text('session'),
    seq: read.integer('seq', 1),
    items: read.list('items', readItem),
    waitMs: read.integerOrNull('waitMs'),
    meta: read.text('meta'),
    value: read.textOrNull('value'),
  };
}

function readRelease(read: Reader): CommandBody {
  return {
    op: 'release',
    session: read.text('session'),
    seq: read.integer('seq', 1),
    name: read.text('name'),
    acquireSeq: read.integerOrNull('acquireSeq', 1),
    token: read.integer('token', 1),
  };
}

function readProclaim(read: Reader): CommandBody {
  return {
    op: 'proclaim',
    session: read.text('session'),
    seq: read.integer('seq', 1),
    name: read.text('name'),
    acquireSeq: read.integerOrNull('acquireSeq', 1),
    token: read.integer('token', 1),
    value: read.text('value'),
  };
}

function readLiftEmbargo(read: Reader): CommandBody {
  return {
    op: 'liftEmbargo',
    proposerTerm: read.integer('proposerTerm', 1),
    afterName: read.textOrNull('afterName'),
  };
}

function readSetLimits(read: Reader): CommandBody {
  const limits = readLimits(read.any('limits'), 'command.limits');
  return { op: 'setLimits', limits, by: read.text('by') };
}

function readBreak(read: Reader): CommandBody {
  return {
    op: 'break',
    name: read.text('name'),
    token: read.integer('token', 1),
    session: read.textOrNull('session'),
    by: read.text('by'),
    reason: read.text('reason'),
  };
}

function itemFields(item: RequestItem): unknown[] {
  return [item.name, choiceOf(MODES, item.mode), item.permits];
}

function readItem(value: unknown, what: string): RequestItem {
  const read = new Reader(value, what);
  return read.done({
    name: read.text('name'),
    mode: read.choice('mode', MODES),
    permits: read.nullable('permits', readPermits),
  });
}
