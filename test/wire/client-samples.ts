// Every message between client and node, by a name that says which variant it is.

import type { Outcome } from '../../src/locks/outcomes.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { encodeBody } from '../../src/wire/command.ts';
import { encodeSnapshotMeta, encodeSnapshotRows } from '../../src/wire/checkpoint.ts';
import type {
  ClientMessage,
  FoundingStep,
  MembershipView,
  NodeMessage,
  NodeStatus,
  Query,
  QueryResult,
  Refused,
  SessionNews,
} from '../../src/wire/client-messages.ts';
import {
  BODIES,
  CHECKPOINT,
  CLUSTER_ID,
  CONFIG,
  FOUNDING,
  ORIGIN,
  RESTORED,
  ROWS,
  SESSION,
} from './samples.ts';
import { ADMIN_STEPS } from './admin-samples.ts';
import { GHOST, HOLDER, HOLDINGS, LOCK, SESSION_VIEW } from './view-samples.ts';
import { TARGETS, WATCH_EVENTS } from './watch-samples.ts';

const STATUS: NodeStatus = {
  nodeId: 'n1',
  storeId: '1'.repeat(32),
  clusterId: CLUSTER_ID,
  clusterName: 'local',
  role: 'leader',
  isReady: true,
  term: 12,
  leaderId: 'n1',
  leaderAddress: '127.0.0.1:7101',
  commitIndex: ORIGIN + 3,
  appliedIndex: ORIGIN + 2,
  lastIndex: ORIGIN + 4,
  durableIndex: ORIGIN + 4,
  stuckMs: 620,
  stateHash: '00ff00ff00ff00ff',
  anchorIndex: ORIGIN,
  checkpointIndex: ORIGIN + 1,
  embargoLeftMs: 605_999,
  membership: 'voter',
  configIndex: ORIGIN,
  alarms: ['the state differs'],
  sessions: 2,
  locks: 1,
  pid: 4711,
  bootCount: 3,
  version: '0.1.0',
  peers: [{ nodeId: 'n2', address: '127.0.0.1:7102', isConnected: true, matchIndex: ORIGIN }],
};

const QUERIES: readonly Query[] = [
  { kind: 'inspect', name: 'orders/42' },
  { kind: 'list', prefix: 'orders/', after: '', limit: 100 },
  { kind: 'session', session: SESSION },
  { kind: 'sessions', after: ORIGIN, limit: 100 },
  { kind: 'status' },
  { kind: 'grant', session: SESSION, acquireSeq: 7 },
  { kind: 'holdings', session: SESSION, after: 7, limit: 100 },
  { kind: 'membership' },
  { kind: 'limits' },
];

const STEPS: readonly FoundingStep[] = [
  { step: 'ask' },
  {
    step: 'mint',
    clusterName: 'local',
    members: CONFIG.voters,
    limits: DEFAULT_LIMITS,
    origin: null,
  },
  { step: 'found', record: RESTORED },
  {
    step: 'mintRestored',
    clusterName: 'local',
    members: CONFIG.voters,
    limits: DEFAULT_LIMITS,
    backup: { index: ORIGIN + 3, term: 12 },
    tokenFloor: ORIGIN + 4,
  },
  { step: 'restorePart', sequence: 1, isLast: false, content: encodeSnapshotRows(ROWS) },
];

const MEMBERSHIP: MembershipView = {
  configIndex: ORIGIN + 2,
  isCommitted: false,
  isJoint: true,
  members: [
    {
      nodeId: 'n4',
      storeId: '4'.repeat(32),
      address: '127.0.0.1:7104',
      role: 'joining',
      isConnected: true,
      isCaughtUp: false,
      matchIndex: ORIGIN,
    },
  ],
  retired: ['n0'],
};

const OUTCOMES: readonly (Outcome | Refused)[] = [
  { code: 'OPENED', session: SESSION, ttlMs: 15_000, lockDelayMs: 0 },
  { code: 'GRANTED', token: ORIGIN + 5, slots: [[0, 3], []] },
  { code: 'QUEUED', ahead: 3 },
  { code: 'DONE' },
  { code: 'LOCK_BUSY', name: 'orders/42', holder: HOLDER, ghost: null, aheadIndex: 0 },
  { code: 'ENDED', cause: 'broken', token: 0 },
  { code: 'NOT_HOLDER', message: 'another session holds it' },
  { code: 'SESSION_GONE', message: 'it expired' },
  { code: 'WINDOW', message: 'too many' },
  { code: 'INVALID', message: 'a name must have at least 1 byte' },
  { code: 'EMBARGO', message: 'nothing is granted yet' },
  { code: 'STALE_SEQ', message: 'acknowledged before' },
  { code: 'NOT_LEADER', message: 'ask n2' },
  { code: 'OVERLOADED', message: 'wait' },
  { code: 'UNAVAILABLE', message: 'no quorum' },
  { code: 'OUTCOME_UNKNOWN', message: 'it stepped down' },
  { code: 'NOT_FOUNDED', message: 'run holdfast init' },
  { code: 'CLUSTER_CHANGED', message: 'another cluster' },
  { code: 'INTERNAL', message: 'a bug' },
];

const RESULTS: readonly QueryResult[] = [
  { kind: 'lock', lock: LOCK, leftMs: { holders: [14_000, null], ghosts: [4_321] } },
  {
    kind: 'locks',
    locks: [
      LOCK,
      { name: 'free', holders: [], ghosts: [], waiters: [], holderCount: 0, waiterCount: 0 },
    ],
    hasMore: true,
  },
  { kind: 'session', session: SESSION_VIEW, leftMs: 59_000 },
  { kind: 'sessions', sessions: [SESSION_VIEW], hasMore: false },
  { kind: 'status', status: STATUS },
  { kind: 'founding', nodeId: 'n1', storeId: 's', state: 'founded', record: FOUNDING },
  { kind: 'refused', code: 'NOT_LEADER', message: 'ask n2' },
  {
    kind: 'refused',
    code: 'CHANGE_PENDING',
    message: 'n3 goes',
    pending: { change: 'n3 is removed', sinceIndex: ORIGIN },
  },
  { kind: 'grant', token: ORIGIN + 5 },
  { kind: 'holdings', holdings: HOLDINGS },
  { kind: 'membership', membership: MEMBERSHIP },
  { kind: 'limits', limits: DEFAULT_LIMITS },
  { kind: 'transferred', leaderId: 'n2' },
  {
    kind: 'backup',
    backupId: 4,
    meta: encodeSnapshotMeta({ founding: RESTORED, checkpoint: CHECKPOINT }),
  },
  { kind: 'backupRows', content: encodeSnapshotRows(ROWS), isLast: true },
  { kind: 'done' },
];

const NEWS: readonly SessionNews[] = [
  { kind: 'granted', session: SESSION, acquireSeq: 2, token: ORIGIN + 5, slots: [[1]] },
  { kind: 'over', session: SESSION, acquireSeq: 2, token: 0, cause: 'withdrawn', reason: '' },
  { kind: 'ended', session: SESSION, cause: 'expired', reason: 'no keepalive' },
];

export const CLIENT_MESSAGES: Readonly<Record<string, ClientMessage>> = {
  hello: { type: 'hello', versionMin: 1, versionMax: 1, clusterId: null, name: 'worker' },
  command: { type: 'command', requestId: 1, ackedBelow: 2, body: encodeBody(BODIES.acquire) },
  keepAlive: { type: 'keepAlive', items: [{ session: SESSION, nonce: 9 }] },
  attach: { type: 'attach', sessions: [SESSION] },
  unwatch: { type: 'unwatch', watchId: 8 },
  ...named(
    'watch',
    TARGETS,
    ({ name }) => (name === null ? 'prefix' : 'name'),
    (target) => ({
      type: 'watch',
      watchId: 8,
      target,
      after: target.name === null ? null : ORIGIN,
    }),
  ),
  ...named(
    'query',
    QUERIES,
    ({ kind }) => kind,
    (query) => ({ type: 'query', requestId: 2, query }),
  ),
  ...named(
    'admin',
    ADMIN_STEPS,
    ({ step }) => step,
    (step) => ({ type: 'admin', requestId: 3, step }),
  ),
  ...named(
    'founding',
    STEPS,
    ({ step }) => step,
    (step) => ({ type: 'founding', requestId: 3, step }),
  ),
};

export const NODE_MESSAGES: Readonly<Record<string, NodeMessage>> = {
  welcome: { type: 'welcome', version: 1, clusterId: CLUSTER_ID, nodeId: 'n1', storeId: 's' },
  leader: { type: 'leader', term: 12, leaderId: 'n1', address: '127.0.0.1:7101', isReady: true },
  leaderless: { type: 'leader', term: 12, leaderId: null, address: null, isReady: false },
  members: {
    type: 'members',
    configIndex: ORIGIN + 2,
    members: [{ nodeId: 'n1', address: '127.0.0.1:7101' }],
  },
  keepAliveReply: {
    type: 'keepAliveReply',
    items: [{ session: SESSION, nonce: 9, code: 'OK', ttlMs: 15_000 }],
  },
  goodbye: { type: 'goodbye', code: 'CLOSED', message: 'the node is stopping' },
  replyDelayed: {
    type: 'reply',
    requestId: 4,
    revision: ORIGIN + 9,
    outcome: { code: 'LOCK_BUSY', name: 'gpu', holder: null, ghost: GHOST, aheadIndex: 7 },
  },
  watching: { type: 'watching', watchId: 8, revision: ORIGIN, isComplete: false },
  watchOver: { type: 'watchOver', watchId: 8, code: 'NOT_LEADER', message: 'ask n2' },
  ...named(
    'watchEvents',
    Object.values(WATCH_EVENTS),
    ({ type }) => type,
    (event) => ({
      type: 'watchEvents',
      watchId: 8,
      revision: ORIGIN + 9,
      events: [event],
      hasMore: event.type === 'granted',
    }),
  ),
  ...named(
    'reply',
    OUTCOMES,
    ({ code }) => code,
    (outcome) => ({
      type: 'reply',
      requestId: 4,
      revision: ORIGIN + 9,
      outcome,
    }),
  ),
  ...named(
    'answer',
    RESULTS,
    (result) => ('pending' in result ? 'pending' : result.kind),
    (result) => ({
      type: 'answer',
      requestId: 5,
      revision: ORIGIN + 9,
      result,
    }),
  ),
  ...named(
    'news',
    NEWS,
    ({ kind }) => kind,
    (news) => ({ type: 'news', revision: ORIGIN, news }),
  ),
};

function named<From, To>(
  prefix: string,
  list: readonly From[],
  name: (item: From) => string,
  message: (item: From) => To,
): Record<string, To> {
  return Object.fromEntries(list.map((item) => [`${prefix}-${name(item)}`, message(item)]));
}
