// Decides when an entry is safe. Only entries of the current term are counted; an older one
// becomes safe together with the first of ours (thesis §3.6.2, Figure 8). Nothing here touches
// the disk.

import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import { quorumValue } from './electorate.ts';
import type { Core } from './state.ts';

/**
 * Leader: commits what a quorum has on disk. Our own part is what our disk has, not what memory
 * holds; a majority of others is enough without it.
 */
export function advanceCommit(core: Core): void {
  const { leader, log, writes } = core;
  if (leader === null || core.commitIndex === log.lastIndex) return;
  const stored = quorumValue(core, writes.durableIndex, (progress) => progress.countedMatch);
  const index = Math.min(stored, log.lastIndex);
  const isOld = index > core.commitIndex && log.termAt(index) !== core.hard.term;
  probes.sometimes('old-term-quorum-not-counted', isOld);
  if (index <= core.commitIndex || log.termAt(index) !== core.hard.term) return;
  const oldest = log.termAt(core.commitIndex + 1);
  probes.sometimes('old-term-commits-with-own', oldest !== core.hard.term);
  probes.sometimes('commit-before-own-disk', index > writes.durableIndex);
  core.commitIndex = index;
  leader.budget.onCommit(index);
}

/** Follower: a leader says that everything up to `index` is safe, and we have it up to there. */
export function learnCommit(core: Core, index: Index): void {
  core.commitIndex = Math.max(core.commitIndex, Math.min(index, core.log.lastIndex));
}
