// What the host is told: changes as effects, everything on request.

import type { ClusterConfig } from './config.ts';
import { isActive } from './electorate.ts';
import type { RaftStatus } from './events.ts';
import type { Core } from './state.ts';

/** Emits `role`, `configChanged` and `removed` if there is something new. */
export function reportChanges(core: Core): void {
  const { reported, role, leaderId, hard, configurations } = core;
  if (reported.role !== role || reported.term !== hard.term || reported.leaderId !== leaderId) {
    reported.role = role;
    reported.term = hard.term;
    reported.leaderId = leaderId;
    core.effects.push({ type: 'role', role, term: hard.term, leaderId });
  }
  const { config, index } = configurations.latest;
  const isCommitted = index <= core.commitIndex;
  if (reported.config !== config || reported.isConfigCommitted !== isCommitted) {
    reported.config = config;
    reported.isConfigCommitted = isCommitted;
    const previous = previousConfig(core);
    core.effects.push({ type: 'configChanged', config, index, isCommitted, previous });
  }
  if (reported.isRemoved === core.isRemoved) return;
  reported.isRemoved = core.isRemoved;
  const configIndex = Math.max(index, core.removedAt ?? index);
  if (core.isRemoved) core.effects.push({ type: 'removed', configIndex });
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
    previousConfig: previousConfig(core),
    isRemoved: core.isRemoved,
    transferTarget: leader?.handover?.target ?? null,
    anchor: { index: log.anchorIndex, term: log.anchorTerm },
    peers: [...(leader?.progress.values() ?? [])].map((progress) => ({
      nodeId: progress.member.nodeId,
      matchIndex: progress.matchIndex,
      state: progress.state,
      isActive: isActive(core, progress),
      isCaughtUp:
        isActive(core, progress) &&
        progress.catchUp.isShorterThan(core.settings.electionUs, core.nowUs),
    })),
  };
}

// Members of the one before must be reached until the one in force is committed.
function previousConfig({ configurations, commitIndex }: Core): ClusterConfig | null {
  const { latest, previous } = configurations;
  return latest.index <= commitIndex || previous === null ? null : previous.config;
}
