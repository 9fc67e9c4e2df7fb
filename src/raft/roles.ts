// How a role and a term are left. Steps that belong together happen together: a leader that stops
// being one fails everything that waits for its word in the same step (RAFT.md §6.6, §14.1).

import { assert } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import type { NodeId, Term } from '../base/units.ts';
import { armElectionTimer } from './election-timer.ts';
import { send } from './outbox.ts';
import type { Core } from './state.ts';
import { concludeTransfer } from './transfer.ts';

/** Enters a later term as a follower of nobody. Nothing that waited for the old one leaves. */
export function adoptTerm(core: Core, term: Term): void {
  probes.sometimes('leader-meets-higher-term', core.leader !== null);
  core.hard.enterTerm(term, null);
  core.barrier.clear();
  if (core.leader !== null) concludeTransfer(core, core.leader, true);
  becomeFollower(core, null);
}

/** Follows `leaderId`, or waits for a leader when null. The term stays, and so does the vote. */
export function becomeFollower(core: Core, leaderId: NodeId | null): void {
  loseLeadership(core);
  if (core.role !== 'follower') armElectionTimer(core);
  core.role = 'follower';
  core.leaderId = leaderId;
  core.election.votes.clear();
}

/** A valid message of the current leader: the clock of silence starts again. */
export function onLeaderContact(core: Core, leaderId: NodeId): void {
  assert(core.role !== 'leader', 'one leader per term (INV-1)');
  core.election.fastDraws = 0;
  core.election.isCalled = false;
  probes.sometimes('candidate-hears-leader', core.role === 'candidate');
  if (core.role !== 'follower' || core.leaderId !== leaderId) becomeFollower(core, leaderId);
  core.election.stickyUntilUs = core.nowUs + core.settings.electionUs;
  armElectionTimer(core);
}

/** Gives up leadership so that others need not wait for silence (RAFT.md §6.1). */
export function stepDownWithGoodbye(core: Core): void {
  if (core.leader === null) return;
  const peers = [...core.leader.progress.keys()];
  becomeFollower(core, null);
  for (const peer of peers) send(core, peer, { type: 'goodbye', term: core.hard.term });
}

function loseLeadership(core: Core): void {
  if (core.leader === null) return;
  probes.sometimes('leader-deposed-with-tail', core.log.lastIndex > core.commitIndex);
  concludeTransfer(core, core.leader, false);
  const ids = core.leader.rounds.takeAll();
  probes.sometimes('reads-fail-by-step-down', ids.length > 0);
  core.leader = null;
  if (ids.length > 0) core.effects.push({ type: 'readFailed', ids });
}
