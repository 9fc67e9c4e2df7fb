// Asks the voters of the configuration in force. Learners are never asked, and this node counts
// only in halves in which it is a voter itself (RAFT.md §6.6, §8, §10.4).

import { assert } from '../base/assert.ts';
import type { Member } from './config.ts';
import type { Progress } from './progress.ts';
import { jointTally, majorityTally, majorityValue } from './quorum.ts';
import type { Tally } from './quorum.ts';
import type { Core, LeaderState } from './state.ts';

/**
 * The largest value that a quorum has reached: `own` for this node, `valueOf` for the others.
 * Leader only.
 */
export function quorumValue(
  core: Core,
  own: number,
  valueOf: (progress: Progress) => number,
): number {
  const { leader } = core;
  assert(leader !== null, 'only a leader counts what its peers have');
  const { voters, votersOutgoing } = core.configurations.latest.config;
  const valueFor = (member: Member): number => memberValue(core, leader, { member, own, valueOf });
  const incoming = majorityValue(voters.map(valueFor));
  if (votersOutgoing.length === 0) return incoming;
  return Math.min(incoming, majorityValue(votersOutgoing.map(valueFor)));
}

/** How the current poll or election stands in the latest configuration (RAFT.md §6.4). */
export function electionTally(core: Core): Tally {
  const { voters, votersOutgoing } = core.configurations.latest.config;
  return jointTally(tallyOf(core, voters), tallyOf(core, votersOutgoing));
}

/** True while a quorum answered messages sent within the last E. Leader only. */
export function isQuorumActive(core: Core): boolean {
  const lastUs = quorumValue(core, core.nowUs, (progress) => progress.lastAckSentUs);
  return core.nowUs - lastUs <= core.settings.electionUs;
}

/** True when it answered a message sent within the last E, and has not lost its log. */
export function isActive(core: Core, progress: Progress): boolean {
  return !progress.isLost && core.nowUs - progress.lastAckSentUs <= core.settings.electionUs;
}

function memberValue(
  core: Core,
  leader: LeaderState,
  ask: { member: Member; own: number; valueOf: (progress: Progress) => number },
): number {
  const { member, own, valueOf } = ask;
  if (member.nodeId === core.self.nodeId) {
    return member.storeId === core.self.storeId ? own : 0;
  }
  const progress = leader.progress.get(member.nodeId);
  return progress === undefined ? 0 : valueOf(progress);
}

function tallyOf(core: Core, members: readonly Member[]): Tally {
  let granted = 0;
  let denied = 0;
  for (const { storeId } of members) {
    const vote = core.election.votes.get(storeId);
    if (vote === true) granted++;
    else if (vote === false) denied++;
  }
  return majorityTally({ granted, denied, size: members.length });
}
