// What every message passes before it is heeded: identity, then terms (RAFT.md §5, §15.6).

import { unreachable } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import { onAppendResponse, onHeartbeatResponse, onSnapshotResponse } from './acknowledgements.ts';
import { isImpostor } from './configurations.ts';
import { onTimeoutNow, onVoteRequest, onVoteResponse } from './election.ts';
import { onAppend, onGoodbye, onHeartbeat } from './follower.ts';
import { NO_ROUND } from './messages.ts';
import type { RaftMessage, Sender } from './messages.ts';
import { send } from './outbox.ts';
import { onPreVoteRequest, onPreVoteResponse } from './prevote.ts';
import { adoptTerm } from './roles.ts';
import { onSnapshotPart, refuseStalePart } from './snapshot-receiving.ts';
import type { Core } from './state.ts';
import { isSticky } from './stickiness.ts';

/** Steps one message, or refuses it. */
export function onMessage(core: Core, from: Sender, message: RaftMessage): void {
  if (from.nodeId === core.self.nodeId) return;
  if (isImpostor(core.configurations.latest.config, from)) return;
  const { term } = core.hard;
  if (message.term > term) onHigherTerm(core, from, message);
  else if (message.term < term) onLowerTerm(core, from, message);
  else handle(core, from, message);
}

function onHigherTerm(core: Core, from: Sender, message: RaftMessage): void {
  switch (message.type) {
    case 'preVoteRequest':
      return onPreVoteRequest(core, from, message);
    case 'preVoteResponse':
      // A grant comes from a voter that is ahead of us in nothing but its term's number.
      if (!message.granted) adoptTerm(core, message.term);
      return message.granted ? onPreVoteResponse(core, from, message) : undefined;
    case 'voteRequest':
      // Ignored completely: adopting the term would depose a healthy leader (thesis §4.2.3).
      probes.sometimes('vote-refused-by-stickiness', isSticky(core) && !message.transfer);
      if (isSticky(core) && !message.transfer) return;
      break;
    case 'goodbye':
    case 'timeoutNow':
      return adoptTerm(core, message.term);
    default:
      break;
  }
  adoptTerm(core, message.term);
  handle(core, from, message);
}

// A stale leader or candidate is told of our term: this is what frees a node stuck at a higher
// term than the cluster's (ER TestFreeStuckCandidateWithCheckQuorum). Stale answers are dropped.
function onLowerTerm(core: Core, from: Sender, message: RaftMessage): void {
  const { term } = core.hard;
  switch (message.type) {
    case 'append':
      return send(core, from.nodeId, {
        type: 'appendResponse',
        term,
        ok: false,
        matchIndex: 0,
        rejectedPrev: message.prevIndex,
        hintIndex: 0,
        hintTerm: 0,
        round: NO_ROUND,
      });
    case 'heartbeat':
      return send(core, from.nodeId, {
        type: 'heartbeatResponse',
        term,
        round: NO_ROUND,
        lastIndex: core.log.lastIndex,
        durableIndex: core.writes.durableIndex,
      });
    case 'snapshotPart':
      return refuseStalePart(core, from, message);
    case 'preVoteRequest':
      return onPreVoteRequest(core, from, message);
    case 'preVoteResponse':
      probes.sometimes('pre-vote-granted-in-lower-term', message.granted);
      return onPreVoteResponse(core, from, message);
    case 'voteRequest':
      return send(core, from.nodeId, { type: 'voteResponse', term, granted: false });
    default:
      return;
  }
}

function handle(core: Core, from: Sender, message: RaftMessage): void {
  switch (message.type) {
    case 'preVoteRequest':
      return onPreVoteRequest(core, from, message);
    case 'preVoteResponse':
      return onPreVoteResponse(core, from, message);
    case 'voteRequest':
      return onVoteRequest(core, from, message);
    case 'voteResponse':
      return onVoteResponse(core, from, message);
    case 'append':
      return onAppend(core, from, message);
    case 'appendResponse':
      return onAppendResponse(core, from, message);
    case 'heartbeat':
      return onHeartbeat(core, from, message);
    case 'heartbeatResponse':
      return onHeartbeatResponse(core, from, message);
    case 'goodbye':
      return onGoodbye(core, from);
    case 'timeoutNow':
      return onTimeoutNow(core, from);
    case 'snapshotPart':
      return onSnapshotPart(core, from, message);
    case 'snapshotResponse':
      return onSnapshotResponse(core, from, message);
    default:
      return unreachable(message);
  }
}
