// What time does (RAFT.md §6.1, §6.6, §6.8). Elapsed time is measured from the clock readings that
// come with events, never by counting them. Whoever did not run was not listening: after a stall
// nothing is concluded from silence until there was a chance to hear.

import { probes } from '../base/probe.ts';
import type { MonoUs } from '../base/units.ts';
import { isQuorumActive } from './electorate.ts';
import { armElectionTimer } from './election-timer.ts';
import { measureMembers } from './membership.ts';
import { answersCall, mayCampaign } from './membership-standing.ts';
import { poll, startPreVote } from './prevote.ts';
import { becomeFollower, stepDownWithGoodbye } from './roles.ts';
import type { Core, LeaderState } from './state.ts';
import { beginTransfer, heirOf } from './transfer.ts';

/** A write that hangs longer than this, or 2 E if that is more, disqualifies the node. */
const STUCK_MIN_US = 2_000_000;

/** Notes the time of a step; notices when the process did not run. Before anything else. */
export function onTime(core: Core, nowUs: MonoUs, isTick: boolean): void {
  core.nowUs = Math.max(core.nowUs, nowUs);
  const gapUs = core.nowUs - core.lastTickUs;
  const isStall = gapUs > core.settings.electionUs / 2;
  if (isStall) onStall(core);
  if (isStall || isTick) core.lastTickUs = core.nowUs;
}

/** Elections, stepping down for silence, hanging writes. Heartbeats leave with reads.ts. */
export function onTick(core: Core): void {
  watchStorage(core);
  if (core.leader !== null) {
    measureMembers(core, core.leader);
    if (!isQuorumActive(core)) {
      probes.reach('leader-loses-quorum');
      becomeFollower(core, null);
    }
  } else if (core.nowUs >= core.election.deadlineUs) {
    if (mayCampaign(core) || answersCall(core)) startPreVote(core);
    else onSilenceWithoutVoice(core);
  } else if (core.role === 'preCandidate' && core.nowUs >= core.election.repollUs) {
    poll(core);
  }
}

/** When the next tick is due at the latest. */
export function nextDeadlineUs(core: Core): MonoUs {
  const tickUs = core.lastTickUs + core.settings.heartbeatUs;
  if (core.leader !== null) {
    return Math.min(tickUs, core.leader.nextHeartbeatUs, core.leader.commitNewsUs);
  }
  const { deadlineUs, repollUs } = core.election;
  const ownUs = core.role === 'preCandidate' ? Math.min(deadlineUs, repollUs) : deadlineUs;
  return Math.min(tickUs, ownUs);
}

// A learner, or a node whose disk hangs, does not campaign; a candidate among them gives up.
function onSilenceWithoutVoice(core: Core): void {
  becomeFollower(core, null);
  armElectionTimer(core);
}

// Heartbeats that keep flowing while the disk hangs would make the cluster wait for ever
// (hashicorp/raft #503). A follower's disk time is no silence of its leader: writes do not block
// this thread, so its timer needs no correction.
function watchStorage(core: Core): void {
  const sinceUs = core.writes.busySinceUs;
  if (sinceUs === null) {
    core.isStorageStuck = false;
    return;
  }
  const limitUs = Math.max(2 * core.settings.electionUs, STUCK_MIN_US);
  if (core.nowUs - sinceUs <= limitUs) return;
  probes.sometimes('disk-hangs-under-leader', core.leader !== null);
  const isNews = !core.isStorageStuck;
  core.isStorageStuck = true;
  if (core.leader !== null) leaveOffice(core, core.leader, isNews);
  else if (core.role !== 'follower') becomeFollower(core, null);
}

// Better to hand over than to leave the others without a leader; but once only.
function leaveOffice(core: Core, leader: LeaderState, mayHandOver: boolean): void {
  if (leader.handover !== null) return;
  const target = heirOf(core, leader);
  if (target !== null && mayHandOver) beginTransfer(core, leader, { target, ids: [] });
  else stepDownWithGoodbye(core);
}

function onStall(core: Core): void {
  probes.sometimes('leader-stalls', core.leader !== null);
  core.writes.forgiveStall(core.nowUs);
  armElectionTimer(core);
  core.election.repollUs = core.nowUs + core.settings.heartbeatUs;
  if (core.role === 'follower') {
    core.election.stickyUntilUs = core.nowUs + core.settings.electionUs;
  }
  if (core.leader !== null) restartOffice(core, core.leader);
}

// Silence counts from waking, as it counts from an election; and nothing is admitted until a round
// shows that nobody took over meanwhile (RAFT.md §6.1, §12).
function restartOffice(core: Core, leader: LeaderState): void {
  for (const progress of leader.progress.values()) progress.lastAckSentUs = core.nowUs;
  leader.nextHeartbeatUs = core.nowUs;
  leader.admitRound = leader.rounds.current + 1;
}
