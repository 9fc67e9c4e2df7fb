import { US_PER_MS } from '../base/units.ts';
import type { Member } from '../raft/config.ts';
import type { RaftStatus } from '../raft/events.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import { membersOf } from './handshake.ts';
import type { Identity } from './handshake.ts';
import type { HostSettings } from './host-types.ts';
import type { Replica } from './replica.ts';

/** Who leads, as a node tells it that belongs to no cluster. */
export const NO_LEADER = { term: 0, leaderId: null, address: null, isReady: false } as const;

/** A founded node as it describes itself. */
export function replicaStatus(
  settings: HostSettings,
  replica: Replica,
  isStopped: boolean,
): NodeStatus {
  const raft = replica.engine.status();
  const { machine } = replica.state;
  const isInOffice = raft.role === 'leader' ? raft.isReady : raft.leaderId !== null;
  const members = membersOf(raft.config);
  const leader = members.find(({ nodeId }) => nodeId === raft.leaderId);
  const peers = members
    .filter(({ nodeId }) => nodeId !== settings.nodeId)
    .map(({ nodeId, address }) => ({
      nodeId,
      address,
      isConnected: replica.peers.isConnected(nodeId),
      matchIndex: raft.peers.find((peer) => peer.nodeId === nodeId)?.matchIndex ?? 0,
    }));
  return {
    nodeId: settings.nodeId,
    storeId: replica.self.storeId,
    bootCount: replica.self.bootCount,
    clusterId: replica.founding.clusterId,
    clusterName: replica.founding.clusterName,
    role: isStopped ? 'stopped' : raft.role,
    isReady: isInOffice && replica.stuckMs <= settings.electionMs,
    term: raft.term,
    leaderId: raft.leaderId,
    leaderAddress: leader?.address ?? null,
    commitIndex: raft.commitIndex,
    appliedIndex: raft.appliedIndex,
    lastIndex: raft.lastIndex,
    durableIndex: raft.durableIndex,
    stuckMs: replica.stuckMs,
    stateHash: machine.stateHash(),
    anchorIndex: raft.anchor.index,
    checkpointIndex: replica.keeper.checkpointer.durableIndex,
    membership: membershipOf(raft, replica.self),
    configIndex: raft.configIndex,
    embargoLeftMs: embargoLeftMs(replica),
    alarms: replica.alarms.list(),
    sessions: machine.sessionCount(),
    locks: machine.lockCount(),
    pid: settings.pid,
    version: settings.version,
    peers,
  };
}

function embargoLeftMs({ office }: Replica): number | null {
  const leftUs = office.embargoLeftUs();
  return leftUs === null ? null : Math.ceil(leftUs / US_PER_MS);
}

function membershipOf(
  { config, isRemoved }: RaftStatus,
  { nodeId, storeId }: Identity,
): NodeStatus['membership'] {
  const isSelf = (member: Member): boolean =>
    member.nodeId === nodeId && member.storeId === storeId;
  if (isRemoved) return 'removed';
  if ([...config.voters, ...config.votersOutgoing].some(isSelf)) return 'voter';
  return [...config.learners, ...config.learnersNext].some(isSelf) ? 'learner' : 'none';
}

/**
 * A node that belongs to no cluster, has not read its directory yet, or never did. `rowsLoaded`:
 * so many rows of its state are in memory again, if it loads one.
 */
export function blankStatus(
  settings: HostSettings,
  self: Identity | null,
  role: 'blank' | 'starting' | 'stopped',
  rowsLoaded?: number,
): NodeStatus {
  return {
    nodeId: settings.nodeId,
    storeId: self?.storeId ?? '',
    bootCount: self?.bootCount ?? 0,
    clusterId: null,
    clusterName: settings.clusterName,
    role,
    isReady: false,
    term: 0,
    leaderId: null,
    leaderAddress: null,
    commitIndex: 0,
    appliedIndex: 0,
    lastIndex: 0,
    durableIndex: 0,
    stuckMs: 0,
    stateHash: '',
    anchorIndex: 0,
    checkpointIndex: 0,
    membership: 'none',
    configIndex: 0,
    embargoLeftMs: null,
    alarms: rowsLoaded === undefined ? [] : [`Loads its state: ${rowsLoaded} rows so far.`],
    sessions: 0,
    locks: 0,
    pid: settings.pid,
    version: settings.version,
    peers: settings.nodes
      .filter(({ id }) => id !== settings.nodeId)
      .map(({ id, address }) => ({ nodeId: id, address, isConnected: false, matchIndex: 0 })),
  };
}
