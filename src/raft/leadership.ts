// The first acts of a leader, and the list of those it leads.

import { assert } from '../base/assert.ts';
import { appendOwn, NOOP } from './appending.ts';
import { Budget } from './budget.ts';
import type { ClusterConfig } from './config.ts';
import { othersOf } from './configurations.ts';
import { Progress } from './progress.ts';
import { Rounds } from './rounds.ts';
import type { Core, LeaderState } from './state.ts';

/**
 * Takes office: everybody is probed from our end of the log, and counts as heard at this moment
 * (or a fresh leader would step down at once, RAFT.md §6.5). The no-op comes first (§7.1).
 */
export function becomeLeader(core: Core): void {
  assert(core.role === 'candidate', 'only a candidate becomes leader');
  const { settings } = core;
  const { config } = core.configurations.latest;
  core.role = 'leader';
  core.leaderId = core.self.nodeId;
  core.election.votes.clear();
  core.election.fastDraws = 0;
  core.leader = {
    progress: new Map(),
    progressConfig: config,
    rounds: new Rounds(core.nowUs),
    budget: new Budget({
      clientBytesMax: settings.uncommittedBytesMax,
      internalBytesMax: settings.internalBytesMax,
    }),
    noopIndex: core.log.lastIndex + 1,
    isReady: false,
    nextHeartbeatUs: core.nowUs + settings.heartbeatUs,
    commitNewsUs: Infinity,
    admitRound: 0,
    handover: null,
  };
  meetMembers(core, core.leader, config);
  appendOwn(core, NOOP);
}

/** Brings the list of peers in line with the configuration in force. */
export function followConfiguration(core: Core): void {
  const { leader } = core;
  const { config } = core.configurations.latest;
  if (leader === null || leader.progressConfig === config) return;
  leader.progressConfig = config;
  meetMembers(core, leader, config);
}

// What is known of a member is kept by (nodeId, storeId) and dropped when it leaves (§10.6).
function meetMembers(core: Core, leader: LeaderState, config: ClusterConfig): void {
  const { log, nowUs, settings } = core;
  const known = new Map(leader.progress);
  leader.progress.clear();
  for (const member of othersOf(config, core.self)) {
    const kept = known.get(member.nodeId);
    const isSame = kept !== undefined && kept.member.storeId === member.storeId;
    const start = { log, nowUs, settings };
    leader.progress.set(member.nodeId, isSame ? kept : new Progress(member, start));
  }
}
