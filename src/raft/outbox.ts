// The way out: messages leave now, or wait at the output barrier (RAFT.md §7.2).

import type { NodeId, Term } from '../base/units.ts';
import type { HeldAck } from './barrier.ts';
import type { RaftMessage } from './messages.ts';
import type { Core } from './state.ts';

/** Sends a message of the current term as soon as the term is durable (RAFT.md §5.3). */
export function send(core: Core, to: NodeId, message: RaftMessage): void {
  if (core.hard.isTermDurable) core.effects.push({ type: 'send', to, message });
  else core.barrier.hold({ to, message, needsVote: false });
}

/** Sends a grant or a request for votes as soon as our own vote of this term is durable. */
export function sendWithVote(core: Core, to: NodeId, message: RaftMessage): void {
  if (core.hard.isVoteDurable) core.effects.push({ type: 'send', to, message });
  else core.barrier.hold({ to, message, needsVote: true });
}

/** Lets go what waited for term or vote, and what waited for entries. */
export function releaseBarrier(core: Core): void {
  const { hard, barrier } = core;
  if (!hard.isTermDurable) return;
  for (const held of barrier.takeMessages(hard.isVoteDurable)) {
    core.effects.push({ type: 'send', to: held.to, message: asOfNow(core, held.message) });
  }
  const ack = barrier.takeAck(core.writes.durableIndex);
  if (ack === null) return;
  core.effects.push({ type: 'send', to: ack.to, message: acknowledgement(hard.term, ack) });
}

function acknowledgement(term: Term, ack: HeldAck): RaftMessage {
  const { match: matchIndex, round, transfer } = ack;
  if (transfer !== null) {
    const ended = { status: 'installed', sequence: -1 } as const;
    return { type: 'snapshotResponse', term, transfer, ...ended, matchIndex, round };
  }
  const accepted = { ok: true, rejectedPrev: 0, hintIndex: 0, hintTerm: 0 };
  return { type: 'appendResponse', term, ...accepted, matchIndex, round };
}

// What an answer says of the disk is true when it leaves: while it waited for its term to be
// durable, an Append of that term's leader may have cut the log (INV-8).
function asOfNow(core: Core, message: RaftMessage): RaftMessage {
  if (message.type !== 'heartbeatResponse') return message;
  const { log, writes } = core;
  return { ...message, lastIndex: log.lastIndex, durableIndex: writes.durableIndex };
}
