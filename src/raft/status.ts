// What the host is told: changes as effects, everything on request.

import type { RaftStatus } from './events.ts';
import type { Core } from './state.ts';

/** Emits `role` and `configChanged` if there is something new. */
export function reportChanges(core: Core): void {
  const { reported, role, leaderId, hard, configurations } = core;
  if (reported.role !== role || reported.term !== hard.term || reported.leaderId !== leaderId) {
    reported.role = role;
    reported.term = hard.term;
    reported.leaderId = leaderId;
    core.effects.push({ type: 'role', role, term: hard.term, leaderId });
  }
  const { config, index } = configurations.latest;
  if (reported.config === config) return;
  reported.config = config;
  core.effects.push({ type: 'configChanged', config, index });
}

/** A copy of what is worth showing. */
export function statusOf(core: Core): RaftStatus {
  const { log, hard, configurations, leader } = core;
  return {
    role: core.role,
    term: hard.term,
    leaderId: core.leaderId,
    isReady: leader?.isReady ?? false,
    commitIndex: core.commitIndex,
    appliedIndex: core.appliedIndex,
    lastIndex: log.lastIndex,
    lastTerm: log.lastTerm,
    durableIndex: core.writes.durableIndex,
    config: configurations.latest.config,
    configIndex: configurations.latest.index,
    peers: [...(leader?.progress.values() ?? [])].map((progress) => ({
      nodeId: progress.member.nodeId,
      matchIndex: progress.matchIndex,
      state: progress.state,
      isActive: core.nowUs - progress.lastAckSentUs <= core.settings.electionUs,
    })),
  };
}
