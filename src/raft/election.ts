// Real elections: a term of our own, one vote per node and term, a quorum in every half of the
// latest configuration (thesis §3.4; RAFT.md §6.4).

import { probes } from '../base/probe.ts';
import { isVoter, otherVotersOf } from './configurations.ts';
import { armCandidateTimer, armPatientTimer } from './election-timer.ts';
import { electionTally } from './electorate.ts';
import { becomeLeader } from './leadership.ts';
import { mayCampaign } from './membership-standing.ts';
import type { Sender, VoteRequest, VoteResponse } from './messages.ts';
import { send, sendWithVote } from './outbox.ts';
import { becomeFollower } from './roles.ts';
import type { Core } from './state.ts';
import { isUpToDate } from './stickiness.ts';

/**
 * Campaigns in the next term. The requests wait until our own vote is durable: sent earlier, we
 * could crash and campaign a second time in this term with another log, and an early grant would
 * be counted for the second campaign. With `transfer` the others vote even if they hear a leader.
 */
export function startElection(core: Core, transfer: boolean): void {
  const { hard, log, barrier } = core;
  hard.enterTerm(hard.term + 1, core.self);
  barrier.clear();
  core.role = 'candidate';
  core.leaderId = null;
  core.election.votes.clear();
  core.election.startedUs = core.nowUs;
  armPatientTimer(core);
  for (const { nodeId } of otherVotersOf(core.configurations.latest.config, core.self)) {
    sendWithVote(core, nodeId, {
      type: 'voteRequest',
      term: hard.term,
      lastIndex: log.lastIndex,
      lastTerm: log.lastTerm,
      transfer,
    });
  }
}

/**
 * Term and vote reached the disk. Only now our own vote counts, and only if we still are the
 * candidate of that term (ER TestCandidateSelfVoteAfterLostElection).
 */
export function onVoteDurable(core: Core): void {
  const isOwnVote = core.hard.isVoteDurable && core.hard.hasVotedFor(core.self);
  probes.sometimes('own-vote-durable-too-late', isOwnVote && core.role === 'follower');
  if (core.role !== 'candidate' || !core.hard.isVoteDurable) return;
  core.election.votes.set(core.self.storeId, true);
  armCandidateTimer(core);
  concludeElection(core);
}

/** Somebody campaigns in the current term. Whether it may at all was decided before (§5). */
export function onVoteRequest(core: Core, from: Sender, request: VoteRequest): void {
  const ballot = { nodeId: from.nodeId, storeId: from.storeId };
  const mayVote = core.hard.vote === null || core.hard.hasVotedFor(ballot);
  const granted = mayVote && isUpToDate(core, request.lastTerm, request.lastIndex);
  probes.sometimes('vote-refused-for-another', !mayVote);
  probes.sometimes('vote-refused-for-log', mayVote && !granted);
  if (!granted) {
    send(core, from.nodeId, { type: 'voteResponse', term: core.hard.term, granted });
    return;
  }
  if (core.hard.vote === null) core.hard.castVote(ballot);
  // Who just gave its vote does not ask for one; that would disturb the winner.
  if (core.role === 'preCandidate') becomeFollower(core, null);
  armPatientTimer(core);
  sendWithVote(core, from.nodeId, { type: 'voteResponse', term: core.hard.term, granted });
}

/** An answer in the current term. */
export function onVoteResponse(core: Core, from: Sender, response: VoteResponse): void {
  if (core.role !== 'candidate') return;
  if (!isVoter(core.configurations.latest.config, from)) return;
  core.election.votes.set(from.storeId, response.granted);
  concludeElection(core);
}

/**
 * The leader of this term hands over: no pre-vote, for those that hear it would refuse. Our term
 * is higher from now on, so none of its heartbeats pulls us out again (RAFT.md §11).
 */
export function onTimeoutNow(core: Core, from: Sender): void {
  if (core.role !== 'follower' && core.role !== 'preCandidate') return;
  if (core.leaderId !== null && core.leaderId !== from.nodeId) return;
  if (!mayCampaign(core)) return;
  probes.reach('asked-to-lead');
  startElection(core, true);
}

function concludeElection(core: Core): void {
  const tally = electionTally(core);
  probes.sometimes('election-lost', tally === 'lost');
  if (tally === 'won') becomeLeader(core);
  else if (tally === 'lost') becomeFollower(core, null);
}
