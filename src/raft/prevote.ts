// PreVote, always on: nobody enters a new term before a quorum says that it would be elected
// (thesis §9.6; RAFT.md §6.3). Asking and answering change neither term nor vote, and answering
// changes nothing at all.

import { assert } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import { isSoleVoter, isVoter, otherVotersOf } from './configurations.ts';
import { armElectionTimer, drawUs } from './election-timer.ts';
import { startElection } from './election.ts';
import { electionTally } from './electorate.ts';
import type { PreVoteReason, PreVoteRequest, PreVoteResponse, Sender } from './messages.ts';
import { send } from './outbox.ts';
import { becomeFollower } from './roles.ts';
import type { Core } from './state.ts';
import { isSticky, isUpToDate } from './stickiness.ts';

/**
 * Silence for too long: asks whether an election could be won. The leader is forgotten at once; two
 * pre-candidates that still "had" one would refuse each other for ever (E#8334).
 */
export function startPreVote(core: Core): void {
  assert(core.leader === null, 'a leader steps down before it asks for votes');
  probes.sometimes('election-without-winner', core.role === 'candidate');
  core.role = 'preCandidate';
  core.leaderId = null;
  core.election.stickyUntilUs = 0;
  core.election.repollSpanUs = core.settings.heartbeatUs;
  armElectionTimer(core);
  poll(core);
}

/**
 * Asks again, as a new poll: the others heard the last heartbeat at slightly different times, so
 * the first poll often meets a stickiness that ends milliseconds later. Answers to different polls
 * do not add up, so each is given twice the time of the one before: with a fixed interval, no poll
 * would ever be answered in time where a round trip takes longer.
 */
export function poll(core: Core): void {
  const { election, hard, log, settings } = core;
  const { config } = core.configurations.latest;
  election.poll++;
  election.votes.clear();
  election.repollUs = core.nowUs + drawUs(core, election.repollSpanUs, election.repollSpanUs);
  election.repollSpanUs = Math.min(2 * election.repollSpanUs, settings.electionUs / 2);
  election.votes.set(core.self.storeId, true);
  if (isSoleVoter(config, core.self)) {
    probes.reach('sole-voter-elects-itself');
    startElection(core, false);
    return;
  }
  for (const { nodeId } of otherVotersOf(config, core.self)) {
    send(core, nodeId, {
      type: 'preVoteRequest',
      term: hard.term,
      nextTerm: hard.term + 1,
      poll: election.poll,
      lastIndex: log.lastIndex,
      lastTerm: log.lastTerm,
    });
  }
}

/** Would we vote for it? Also answered to lower terms: the answer carries ours (E#8243). */
export function onPreVoteRequest(core: Core, from: Sender, request: PreVoteRequest): void {
  const reason = judge(core, request);
  if (reason === 'log') core.election.isCalled = true;
  probes.sometimes('pre-vote-refused-for-log', reason === 'log');
  probes.sometimes('pre-vote-asked-of-leader', reason === 'leader');
  send(core, from.nodeId, {
    type: 'preVoteResponse',
    term: core.hard.term,
    requestTerm: request.nextTerm,
    poll: request.poll,
    granted: reason === 'granted',
    reason,
  });
}

/**
 * An answer, whatever its term: a voter that does not know of our term yet must be able to grant.
 * A refusal because a leader is still heard is no verdict on us: it may end in a moment.
 */
export function onPreVoteResponse(core: Core, from: Sender, response: PreVoteResponse): void {
  const { election, hard } = core;
  if (core.role !== 'preCandidate' || response.poll !== election.poll) return;
  if (response.requestTerm !== hard.term + 1) return;
  if (response.reason === 'sticky' || !isVoter(core.configurations.latest.config, from)) return;
  election.votes.set(from.storeId, response.granted);
  const tally = electionTally(core);
  if (tally === 'won') startElection(core, false);
  else if (tally === 'lost') becomeFollower(core, null);
}

function judge(core: Core, request: PreVoteRequest): PreVoteReason {
  if (request.nextTerm <= core.hard.term) return 'term';
  if (core.role === 'leader') return 'leader';
  if (!isUpToDate(core, request.lastTerm, request.lastIndex)) return 'log';
  return isSticky(core) ? 'sticky' : 'granted';
}
