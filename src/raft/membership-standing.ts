// What a node may do as the configurations that it knows have it (RAFT.md §6.2, §10.5).

import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import { findMember, isVoter } from './configurations.ts';
import { becomeFollower } from './roles.ts';
import type { Core } from './state.ts';

/**
 * A voter of the latest configuration; or, until that is committed, of the one before, though it
 * is now absent or a learner: without it the change might never be finished (RAFT.md §6.2).
 */
export function mayCampaign(core: Core): boolean {
  if (core.isStorageStuck || core.isRemoved) return false;
  if (core.snapshots.install !== null) return false;
  const { latest, previous } = core.configurations;
  if (isVoter(latest.config, core.self)) return true;
  if (previous === null || latest.index <= core.commitIndex) return false;
  return isVoter(previous.config, core.self);
}

/**
 * True when the cluster is known to go on without us: our own log says so with a committed
 * configuration, or a member did with one that is newer than all of ours. It ends should a still
 * newer one name us.
 */
export function isRemoved(core: Core): boolean {
  const { latest } = core.configurations;
  const toldAt = core.removedAt ?? -1;
  if (findMember(latest.config, core.self.nodeId) !== null) return toldAt > latest.index;
  if (toldAt >= latest.index) return true;
  return latest.index <= core.commitIndex && latest.config.retired.includes(core.self.nodeId);
}

/** Whoever was removed goes passive: it answers, and leads or campaigns no more. */
export function noteStanding(core: Core): void {
  core.isRemoved = isRemoved(core);
  if (core.isRemoved && core.role !== 'follower') becomeFollower(core, null);
}

/**
 * A member's committed configuration lacks us. One that lags must not retire us: what it says is
 * heeded only if it is newer than what we know (RAFT.md §10.6).
 */
export function onNotMember(core: Core, configIndex: Index): void {
  core.removedAt = Math.max(core.removedAt ?? configIndex, configIndex);
  noteStanding(core);
  probes.sometimes('removal-told-by-member', core.isRemoved);
}
