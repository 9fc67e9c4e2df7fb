// What a leader does about the membership (RAFT.md §10): judges a change, leaves a joint
// configuration once that is committed, and goes when it is no voter any more.

import { probes } from '../base/probe.ts';
import { appendConfig } from './appending.ts';
import type { ClusterConfig } from './config.ts';
import { isVoter } from './configurations.ts';
import { isActive } from './electorate.ts';
import type { RaftEvent } from './events.ts';
import { followConfiguration } from './leadership.ts';
import type { MembershipRefusal } from './membership-change.ts';
import { configAfter, configAfterJoint, describeConfig } from './membership-rules.ts';
import { noteStanding } from './membership-standing.ts';
import { majoritySize } from './quorum.ts';
import { beginRound } from './replication.ts';
import { becomeFollower, stepDownWithGoodbye } from './roles.ts';
import type { Core, LeaderState } from './state.ts';
import { askToCampaign, heirOf } from './transfer.ts';

type ChangeEvent = Extract<RaftEvent, { type: 'changeConfig' }>;

/** Appends the configuration that the change leads to, or refuses it; never anything between. */
export function onChangeConfig(core: Core, event: ChangeEvent): void {
  const next = judge(core, event);
  const isRefused = 'code' in next;
  core.effects.push({
    type: 'configDecided',
    id: event.id,
    index: isRefused ? 0 : appendConfig(core, next),
    refusal: isRefused ? withConfiguration(core, next) : null,
  });
}

/** After every step: what the commit index, or another configuration, makes due. */
export function advanceMembership(core: Core): void {
  const { leader } = core;
  if (leader !== null) actOnCommitted(core, leader);
  const { latest } = core.configurations;
  const { reported } = core;
  const isCommitted = latest.index <= core.commitIndex;
  const isNews = reported.config !== latest.config || reported.isConfigCommitted !== isCommitted;
  if (isNews) noteStanding(core);
}

/** At every tick of a leader: who keeps up. */
export function measureMembers(core: Core, leader: LeaderState): void {
  for (const { catchUp, countedMatch } of leader.progress.values()) {
    catchUp.measure(countedMatch, core.log.lastIndex, core.nowUs);
  }
}

function judge(core: Core, event: ChangeEvent): ClusterConfig | MembershipRefusal {
  const { leader } = core;
  if (leader === null) {
    const whom = core.leaderId ?? 'nobody known';
    return { code: 'NOT_LEADER', message: `${core.self.nodeId} does not lead; ${whom} does.` };
  }
  const { latest } = core.configurations;
  const pending = pendingIn(core, leader);
  if (pending !== null) return { code: 'PENDING', message: pending };
  const { expectedIndex } = event;
  if (expectedIndex !== null && expectedIndex !== latest.index) {
    const message = `The change is meant for configuration ${expectedIndex}; that is not in force.`;
    return { code: 'CONFLICT', message };
  }
  const next = configAfter(latest.config, event.change);
  if ('code' in next || next.votersOutgoing.length === 0) return next;
  const laggard = laggardIn(core, leader, next);
  return laggard === null ? next : { code: 'NOT_CAUGHT_UP', message: laggard };
}

// One change at a time, and none before an entry of our own term is committed: otherwise two
// configurations without a common quorum could be in use at once (Ongaro's bug of 2015; INV-11).
function pendingIn(core: Core, leader: LeaderState): string | null {
  const { latest } = core.configurations;
  const { nodeId } = core.self;
  if (leader.admitRound > 0) return `${nodeId} makes sure that it still leads.`;
  if (leader.handover !== null) return `${nodeId} hands over to ${leader.handover.target}.`;
  if (core.commitIndex < leader.noopIndex) {
    return `${nodeId} has not committed anything in its term ${core.hard.term} yet.`;
  }
  if (latest.index > core.commitIndex) return 'The change before is not committed yet.';
  return latest.config.votersOutgoing.length > 0 ? 'The change before is not finished yet.' : null;
}

// Who becomes a voter must keep up, and the voters to be must be able to decide without waiting:
// a change that cannot be committed could not be taken back either.
function laggardIn(core: Core, leader: LeaderState, next: ClusterConfig): string | null {
  const { latest } = core.configurations;
  let active = 0;
  for (const member of next.voters) {
    const { nodeId } = member;
    const progress = leader.progress.get(nodeId);
    const answers = nodeId === core.self.nodeId || (progress && isActive(core, progress)) === true;
    if (answers) active++;
    if (progress === undefined || latest.config.voters.includes(member)) continue;
    if (!answers) return `${nodeId} does not answer.`;
    if (!progress.catchUp.isShorterThan(core.settings.electionUs, core.nowUs)) {
      const { matchIndex } = progress;
      return `${nodeId} does not keep up yet: it has ${matchIndex} of ${core.log.lastIndex}.`;
    }
  }
  if (active >= majoritySize(next.voters.length)) return null;
  return `Of ${next.voters.length} voters to be only ${active} answer: they could decide nothing.`;
}

// A committed joint configuration is left by whoever leads then; one that lacks us as a voter ends
// our office. Neither before an entry of our own term is committed: what is committed then was
// decided under a configuration that nobody can cut any more.
function actOnCommitted(core: Core, leader: LeaderState): void {
  const { index, config } = core.configurations.latest;
  if (index > core.commitIndex || core.commitIndex < leader.noopIndex) return;
  // A transfer appends nothing; but whoever has left does not stay until it is over, and does not
  // go without a word.
  if (leader.handover !== null && config.votersOutgoing.length > 0) return;
  if (config.votersOutgoing.length > 0) leaveJoint(core, config);
  else if (!isVoter(config, core.self)) abdicate(core, leader);
}

function leaveJoint(core: Core, joint: ClusterConfig): void {
  const jointTerm = core.log.termAt(core.configurations.latest.index);
  probes.sometimes('joint-left-by-successor', jointTerm !== core.hard.term);
  appendConfig(core, configAfterJoint(joint));
  followConfiguration(core);
}

// The others learn what is committed with our last heartbeats; the best of them begins at once,
// so that nobody has to wait for our silence (RAFT.md §10.4).
function abdicate(core: Core, leader: LeaderState): void {
  probes.reach('removed-leader-goes');
  beginRound(core, leader);
  const { handover } = leader;
  const heir = handover?.isAsked === true ? handover.target : heirOf(core, leader);
  if (heir === null) {
    stepDownWithGoodbye(core);
    return;
  }
  askToCampaign(core, heir);
  becomeFollower(core, null);
}

function withConfiguration(core: Core, refusal: MembershipRefusal): MembershipRefusal {
  const { index, config } = core.configurations.latest;
  const inForce = `In force is configuration ${index}: ${describeConfig(config)}.`;
  return { code: refusal.code, message: `${refusal.message} ${inForce}` };
}
