// Answers to queries as positional arrays.

import { unreachable } from '../base/assert.ts';
import { isErrorCode } from '../base/error.ts';
import type { ErrorCode } from '../base/error.ts';
import type { FoundingState, LockTimes, NodeStatus, QueryResult } from './client-messages.ts';
import { unexpected } from './decode-error.ts';
import { foundingFields, readFounding } from './founding.ts';
import { holdingsFields, readHoldings } from './holdings.ts';
import { lockFields, readLock, readSession, sessionFields } from './outcome.ts';
import { Reader, choiceOf, wholeItem, wholeOrNull } from './reader.ts';

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
] as const satisfies readonly QueryResult['kind'][];

const ROLES = [
  'follower',
  'preCandidate',
  'candidate',
  'leader',
  'blank',
  'starting',
  'stopped',
] as const satisfies readonly NodeStatus['role'][];

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
      return [kind, result.code, result.message];
    case 'grant':
      return [kind, result.token];
    case 'holdings':
      return [kind, result.holdings === null ? null : holdingsFields(result.holdings)];
    default:
      return unreachable(result);
  }
}

/** Throws DecodeError. */
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
      return { kind, code: readErrorCode(read, 'code'), message: read.text('message') };
    case 'grant':
      return { kind, token: read.integer('token') };
    case 'holdings':
      return { kind, holdings: read.nullable('holdings', readHoldings) };
    default:
      return unreachable(kind);
  }
}

function readTimes(value: unknown): LockTimes {
  const read = new Reader(value, 'leftMs');
  return read.done({
    holders: read.list('holders', wholeOrNull),
    ghosts: read.list('ghosts', wholeItem),
  });
}

function statusFields(status: NodeStatus): unknown[] {
  return [
    status.nodeId,
    status.storeId,
    status.clusterId,
    status.clusterName,
    choiceOf(ROLES, status.role),
    status.isReady,
    status.term,
    status.leaderId,
    status.leaderAddress,
    status.commitIndex,
    status.appliedIndex,
    status.lastIndex,
    status.durableIndex,
    status.stuckMs,
    status.stateHash,
    status.sessions,
    status.locks,
    status.pid,
    status.bootCount,
    status.version,
    status.peers.map((peer) => [peer.nodeId, peer.address, peer.isConnected, peer.matchIndex]),
  ];
}

function readStatus(value: unknown): NodeStatus {
  const read = new Reader(value, 'status');
  return read.done({
    nodeId: read.text('nodeId'),
    storeId: read.text('storeId'),
    clusterId: read.textOrNull('clusterId'),
    clusterName: read.text('clusterName'),
    role: read.choice('role', ROLES),
    isReady: read.flag('isReady'),
    term: read.integer('term'),
    leaderId: read.textOrNull('leaderId'),
    leaderAddress: read.textOrNull('leaderAddress'),
    commitIndex: read.integer('commitIndex'),
    appliedIndex: read.integer('appliedIndex'),
    lastIndex: read.integer('lastIndex'),
    durableIndex: read.integer('durableIndex'),
    stuckMs: read.integer('stuckMs'),
    stateHash: read.text('stateHash'),
    sessions: read.integer('sessions'),
    locks: read.integer('locks'),
    pid: read.integer('pid'),
    bootCount: read.integer('bootCount'),
    version: read.text('version'),
    peers: read.list('peers', readPeer),
  });
}

function readPeer(value: unknown, what: string): NodeStatus['peers'][number] {
  const read = new Reader(value, what);
  return read.done({
    nodeId: read.text('nodeId'),
    address: read.text('address'),
    isConnected: read.flag('isConnected'),
    matchIndex: read.integer('matchIndex'),
  });
}
