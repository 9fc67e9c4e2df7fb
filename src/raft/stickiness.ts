// When votes are refused out of hand, and when the logs decide (RAFT.md §6.4, §6.5). Together
// with PreVote and CheckQuorum this keeps a healthy leader in office whatever a half-cut or
// removed node asks for; §6.7 tells what breaks when one of the three is missing.

import type { Index, Term } from '../base/units.ts';
import { isQuorumActive } from './electorate.ts';
import type { Core } from './state.ts';

/**
 * A follower that heard of a leader within E, or a leader whose quorum answered within E. The
 * leader must refuse as well: it never hears from itself.
 */
export function isSticky(core: Core): boolean {
  if (core.role === 'leader') return isQuorumActive(core);
  return core.role === 'follower' && core.nowUs < core.election.stickyUntilUs;
}

/**
 * True when a log that ends there lacks nothing that ours has. Ours is the one in memory: what is
 * queued for the disk may be acknowledged after this vote, and both would count (RAFT.md §6.4).
 */
export function isUpToDate(core: Core, lastTerm: Term, lastIndex: Index): boolean {
  if (lastTerm !== core.log.lastTerm) return lastTerm > core.log.lastTerm;
  return lastIndex >= core.log.lastIndex;
}
