// What an operator is told of the change that is in the way of his own: what becomes of whom, and
// since when.

import type { ClusterConfig, Member } from '../raft/config.ts';
import type { RaftStatus } from '../raft/events.ts';
import type { PendingChange, QueryResult } from '../wire/client-messages.ts';
import { membersOf } from './handshake.ts';
import type { MembershipStep } from './membership-desk.ts';

/** CHANGE_PENDING because of this one. */
export function refusePending(pending: PendingChange): Extract<QueryResult, { kind: 'refused' }> {
  const { change, sinceIndex } = pending;
  const since = `another change is under way since index ${sinceIndex}`;
  const message = `${since}: ${change}; ask again when it is done`;
  return { kind: 'refused', code: 'CHANGE_PENDING', message, pending };
}

/** What was asked for, in words. */
export function wordsOfStep(step: MembershipStep): string {
  switch (step.step) {
    case 'addMember':
      return `${step.nodeId} at ${step.address} is added${step.isVoter ? '' : ' as a learner'}`;
    case 'promote':
      return `${step.nodeId} is promoted`;
    case 'removeMember':
      return `${step.nodeId} is removed`;
    case 'replace':
      return `${step.nodeId} is replaced by ${step.by.nodeId} at ${step.by.address}`;
  }
}

/** The configuration in force, which is joint or not committed yet. */
export function unsettledChange({
  config,
  configIndex,
  previousConfig,
}: Pick<RaftStatus, 'config' | 'configIndex' | 'previousConfig'>): PendingChange {
  const { voters, votersOutgoing } = config;
  const isJoint = votersOutgoing.length > 0;
  const [before, after] = isJoint
    ? [votersOutgoing, voters]
    : [previousConfig === null ? [] : membersOf(previousConfig), membersOf(config)];
  const words = [
    ...lacking(after, before).map((nodeId) => `${nodeId} ${isJoint ? 'becomes a voter' : 'joins'}`),
    ...lacking(before, after).map(
      (nodeId) => `${nodeId} ${isJoint ? 'is a voter no more' : 'leaves'}`,
    ),
  ];
  return {
    change: words.join(', ') || 'a new leader settles the members',
    sinceIndex: configIndex,
  };
}

function lacking(all: ClusterConfig['voters'], from: readonly Member[]): string[] {
  return all.flatMap(({ nodeId }) =>
    from.some((other) => other.nodeId === nodeId) ? [] : [nodeId],
  );
}
