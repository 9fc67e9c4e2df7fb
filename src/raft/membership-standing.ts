// What a node may do as the configurations that it knows have it (RAFT.md §6.2, §10.5).

import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import { findMember, includes, isVoter } from './configurations.ts';
import { becomeFollower } from './roles.ts';
import type { Core } from './state.ts';

/**
 * A voter of the latest configuration; or, until that is committed, of the one before, though it
 * is now absent or a learner: without it the change might never be finished (RAFT.md §6.2).
 */
export function mayCampaign(core: Core): boolean {
  if (!isFit(core)) return false;
  const { latest, previous } = core.configurations;
  if (isVoter(latest.config, core.self)) return true;
  if (previous === null || latest.index <= core.commitIndex) return false;
  return isVoter(previous.config, core.self);
}

/**
 * A learner campaigns where nobody else can win, once for each call. 1. A leader appends a change
 * that makes it a voter, and dies before all but one have it. 2. The next leader tells its entries
 * to the learner alone, and is gone for good. 3. Who has the change needs the learner's vote, which
 * refuses a log that lacks what its own has; and all the others refuse those that have neither.
 * A quorum of its own configuration must elect it, as it must any other; then it commits, and goes
 * like a leader that was removed. Ends with the call.
 */
export function answersCall(core: Core): boolean {
  const { election, configurations } = core;
  const { isCalled } = election;
  election.isCalled = false;
  if (!isCalled || !isFit(core) || !includes(configurations.latest.config.learners, core.self)) {
    return false;
  }
  probes.reach('learner-called-to-campaign');
  return true;
}

function isFit(core: Core): boolean {
  return !core.isStorageStuck && !core.isRemoved && core.snapshots.install === null;
}

/**
 * True when the cluster is known to go on without us: our own log says so with a committed
 * configuration, or a member did with one that is newer than all of ours. It ends should a still
 * newer one name us.
 */
function isRemoved(core: Core): boolean {
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
