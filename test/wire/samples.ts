// One instance of everything that has bytes, for golden frames and round trips.

import type { Command } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { ClusterConfig } from '../../src/raft/config.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { encodeBody, encodePayload } from '../../src/wire/command.ts';
import type { Checkpoint, StoredRow } from '../../src/wire/checkpoint.ts';
import { encodeSnapshotRows } from '../../src/wire/checkpoint.ts';
import { encodeConfig } from '../../src/wire/config.ts';
import type { FoundingRecord } from '../../src/wire/founding-record.ts';
import type { PeerMessage } from '../../src/wire/peer-messages.ts';
import { clusterSeed } from '../../src/wire/record.ts';
import { encodeRowValue } from '../../src/wire/rows.ts';
import type { SlotRecord } from '../../src/wire/slot-record.ts';

export const CLUSTER_ID = '0123456789abcdef0123456789abcdef';
export const SEED = clusterSeed(CLUSTER_ID);
export const SESSION = '4503599627370497-AbCdEfGhIjKlMnOp';
/** An index beyond 32 bits: clusters begin above them (DESIGN.md §4.13). */
export const ORIGIN = 2 ** 52;

const member = (id: number) => ({
  nodeId: `n${id}`,
  storeId: `${id}`.repeat(32),
  address: `127.0.0.1:710${id}`,
});

export const CONFIG: ClusterConfig = {
  voters: [member(1), member(2), member(3)],
  votersOutgoing: [member(1)],
  learners: [],
  learnersNext: [member(4)],
  retired: ['n0'],
};

export const FOUNDING: FoundingRecord = {
  clusterId: CLUSTER_ID,
  clusterName: 'local',
  members: CONFIG.voters,
  limits: DEFAULT_LIMITS,
  origin: ORIGIN,
  restored: null,
};

export const RESTORED: FoundingRecord = {
  ...FOUNDING,
  restored: { index: ORIGIN - 7, term: 9, embargoMs: 606_000, rowSum: 'feed0000feed0000' },
};

export const CHECKPOINT: Checkpoint = {
  point: { last: { index: ORIGIN + 3, term: 12 }, config: CONFIG, configIndex: ORIGIN + 2 },
  rowSum: '00ff00ff00ff00ff',
};

export const ROWS: readonly StoredRow[] = [
  { key: 'l/größe', value: encodeRowValue([7, 'a', null, true, [[1, 2], []]]) },
  { key: 'meta', value: encodeRowValue(null) },
];

export const SLOT: SlotRecord = {
  version: 7,
  formatVersion: 1,
  clusterId: CLUSTER_ID,
  nodeId: 'n1',
  storeId: '1'.repeat(32),
  bootCount: 3,
  term: 12,
  vote: { nodeId: 'n2', storeId: '2'.repeat(32) },
  durableFloor: { index: ORIGIN + 9, term: 11 },
  fsyncFailed: false,
};

export const BODIES: { readonly [Op in Command['op']]: CommandBody } = {
  openSession: {
    op: 'openSession',
    nonce: 'AbCdEfGhIjKlMnOp',
    ttlMs: 15_000,
    lockDelayMs: 0,
    name: 'worker',
    meta: '{"host":"a"}',
  },
  acquire: {
    op: 'acquire',
    session: SESSION,
    seq: 2,
    items: [
      { name: 'orders/42', mode: 'exclusive', permits: null },
      { name: 'größe', mode: 'shared', permits: null },
      { name: 'gpu', mode: 'exclusive', permits: [2, 4] },
    ],
    waitMs: null,
    meta: '',
    value: 'here',
  },
  cancel: { op: 'cancel', session: SESSION, seq: 3, acquireSeq: 2 },
  release: {
    op: 'release',
    session: SESSION,
    seq: 4,
    name: 'orders/42',
    acquireSeq: null,
    token: ORIGIN + 5,
  },
  closeSession: { op: 'closeSession', session: SESSION, seq: 5 },
  endSession: { op: 'endSession', session: SESSION, by: 'ops', reason: 'gone' },
  break: {
    op: 'break',
    name: 'orders/42',
    token: ORIGIN + 5,
    session: null,
    by: 'ops',
    reason: 'stuck',
  },
  expireSession: { op: 'expireSession', session: SESSION, proposerTerm: 12 },
  withdraw: { op: 'withdraw', session: SESSION, acquireSeq: 2, proposerTerm: 12 },
  proclaim: {
    op: 'proclaim',
    session: SESSION,
    seq: 6,
    name: 'leader',
    acquireSeq: 2,
    token: ORIGIN + 5,
    value: 'http://10.0.0.7',
  },
  liftDelay: { op: 'liftDelay', name: 'orders/42', closedAt: ORIGIN + 8, proposerTerm: 12 },
  liftEmbargo: { op: 'liftEmbargo', proposerTerm: 12, afterName: 'orders/42' },
  setLimits: { op: 'setLimits', limits: { ...DEFAULT_LIMITS, ttlMsMax: 900_000 }, by: 'ops' },
};

/** Three entries, one of each type, after (ORIGIN, term 0). Fresh objects on every call. */
export function sampleEntries(): Entry[] {
  const stamp = { ackedBelow: 2, stampMs: 1_790_000_000_000 };
  const payload = encodePayload(encodeBody(BODIES.acquire), stamp);
  const base = { config: null, record: null };
  return [
    { ...base, index: ORIGIN + 1, term: 1, prevTerm: 0, type: 'noop', payload: new Uint8Array() },
    {
      ...base,
      index: ORIGIN + 2,
      term: 1,
      prevTerm: 1,
      type: 'config',
      payload: encodeConfig(CONFIG),
      config: CONFIG,
    },
    { ...base, index: ORIGIN + 3, term: 12, prevTerm: 1, type: 'command', payload },
  ];
}

export const PEER_MESSAGES: { readonly [Type in PeerMessage['type']]: PeerMessage } = {
  peerHello: {
    type: 'peerHello',
    versionMin: 1,
    versionMax: 1,
    clusterId: CLUSTER_ID,
    nodeId: 'n1',
    storeId: '1'.repeat(32),
    bootId: 'b0',
    bootCount: 3,
    connectionEpoch: 4,
    heartbeatMs: 50,
    electionMs: 500,
    commandSet: 2,
  },
  peerRefusal: {
    type: 'peerRefusal',
    code: 'REMOVED',
    message: 'this node left the cluster',
    configIndex: ORIGIN + 2,
  },
  preVoteRequest: {
    type: 'preVoteRequest',
    term: 11,
    nextTerm: 12,
    poll: 1,
    lastIndex: ORIGIN + 3,
    lastTerm: 11,
  },
  preVoteResponse: {
    type: 'preVoteResponse',
    term: 11,
    requestTerm: 12,
    poll: 1,
    granted: false,
    reason: 'sticky',
  },
  voteRequest: {
    type: 'voteRequest',
    term: 12,
    lastIndex: ORIGIN + 3,
    lastTerm: 11,
    transfer: false,
  },
  voteResponse: { type: 'voteResponse', term: 12, granted: true },
  append: {
    type: 'append',
    term: 12,
    prevIndex: ORIGIN,
    prevTerm: 0,
    entries: sampleEntries(),
    commit: ORIGIN,
    round: 77,
  },
  appendResponse: {
    type: 'appendResponse',
    term: 12,
    ok: false,
    matchIndex: 0,
    rejectedPrev: ORIGIN + 9,
    hintIndex: ORIGIN + 3,
    hintTerm: 11,
    round: 77,
  },
  heartbeat: { type: 'heartbeat', term: 12, commit: ORIGIN + 3, round: 78 },
  heartbeatResponse: {
    type: 'heartbeatResponse',
    term: 12,
    round: 78,
    lastIndex: ORIGIN + 3,
    durableIndex: ORIGIN + 2,
  },
  goodbye: { type: 'goodbye', term: 12 },
  snapshotPart: {
    type: 'snapshotPart',
    term: 12,
    part: {
      transfer: 3,
      sequence: 1,
      lastIndex: ORIGIN + 3,
      lastTerm: 11,
      isLast: false,
      content: encodeSnapshotRows(ROWS),
    },
    round: 79,
  },
  snapshotResponse: {
    type: 'snapshotResponse',
    term: 12,
    transfer: 3,
    status: 'refused',
    sequence: -1,
    matchIndex: 0,
    round: 79,
  },
  timeoutNow: { type: 'timeoutNow', term: 12 },
  stateHash: { type: 'stateHash', index: ORIGIN + 3, hash: '00ff00ff00ff00ff' },
};

/** Of the two usual commands, in their usual form. */
export const ITEM = { name: 'orders/1', mode: 'exclusive', permits: null } as const;
export const ACQUIRE = {
  op: 'acquire',
  session: SESSION,
  seq: 7,
  items: [ITEM],
  waitMs: 10_000,
  meta: '',
  value: null,
} as const satisfies CommandBody;
export const RELEASE = {
  op: 'release',
  session: SESSION,
  seq: 8,
  name: 'orders/1',
  acquireSeq: 7,
  token: 2 ** 53 - 1,
} as const satisfies CommandBody;
