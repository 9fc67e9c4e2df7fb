// A node's description of itself, as a positional array.

import type { NodeStatus } from './node-status.ts';
import { Reader, choiceOf, textItem } from './reader.ts';

const ROLES = [
  'follower',
  'preCandidate',
  'candidate',
  'leader',
  'blank',
  'starting',
  'stopped',
] as const satisfies readonly NodeStatus['role'][];

const MEMBERSHIPS = [
  'voter',
  'learner',
  'removed',
  'none',
] as const satisfies readonly NodeStatus['membership'][];

/** The status as a positional array. */
export function statusFields(status: NodeStatus): unknown[] {
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
    status.anchorIndex,
    status.checkpointIndex,
    choiceOf(MEMBERSHIPS, status.membership),
    status.configIndex,
    status.embargoLeftMs,
    status.alarms,
    status.sessions,
    status.locks,
    status.pid,
    status.bootCount,
    status.version,
    status.peers.map((peer) => [peer.nodeId, peer.address, peer.isConnected, peer.matchIndex]),
  ];
}

/** Throws DecodeError. */
export function readStatus(value: unknown): NodeStatus {
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
    anchorIndex: read.integer('anchorIndex'),
    checkpointIndex: read.integer('checkpointIndex'),
    membership: read.choice('membership', MEMBERSHIPS),
    configIndex: read.integer('configIndex'),
    embargoLeftMs: read.integerOrNull('embargoLeftMs'),
    alarms: read.list('alarms', textItem),
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
