// The output barrier (RAFT.md §7.2): messages that wait for term and vote to be durable, and
// acknowledgements that wait for entries. All of it belongs to the current term and is dropped
// with it; every message here may be lost without harm.

import { probes } from '../base/probe.ts';
import type { Index, NodeId } from '../base/units.ts';
import type { RaftMessage } from './messages.ts';

/** Messages held back at most; beyond it they are dropped, as a network may. */
const HELD_MESSAGES_MAX = 1_024;
/** Acknowledgements held back at most; beyond it two are merged into one. */
const HELD_ACKS_MAX = 1_024;

interface Held {
  readonly to: NodeId;
  readonly message: RaftMessage;
  /** A grant, or a request for votes, waits for the vote; all others for the term alone. */
  readonly needsVote: boolean;
}

/**
 * An answer to an Append, or to a transfer that brought us there: to be sent when everything up to
 * `match` is durable here.
 */
export interface HeldAck {
  readonly to: NodeId;
  readonly match: Index;
  readonly round: number;
  /** Number of the transfer that it ends, which it says besides; null for an Append. */
  readonly transfer: number | null;
}

/** Holds outputs, in order, until what they depend on is durable. */
export class OutputBarrier {
  private held: Held[] = [];
  private acks: HeldAck[] = [];

  /** Holds a message until its term, or its vote, is durable. */
  hold(held: Held): void {
    if (this.held.length < HELD_MESSAGES_MAX) this.held.push(held);
  }

  /** Messages that may leave now, oldest first. */
  takeMessages(isVoteDurable: boolean): readonly Held[] {
    if (this.held.length === 0) return this.held;
    const ready = isVoteDurable ? this.held : this.held.filter((each) => !each.needsVote);
    this.held = isVoteDurable ? [] : this.held.filter((each) => each.needsVote);
    return ready;
  }

  /** Holds an acknowledgement until entries are durable. */
  holdAck(ack: HeldAck): void {
    const last = this.acks[this.acks.length - 1];
    if (last !== undefined && this.acks.length === HELD_ACKS_MAX) {
      this.acks.pop();
      this.acks.push(merged(last, ack));
    } else {
      this.acks.push(ack);
    }
  }

  /**
   * What may be acknowledged now that everything up to `durableIndex` is on disk: all that is
   * covered, as one answer with the highest match and the newest round. Null if nothing is.
   */
  takeAck(durableIndex: Index): HeldAck | null {
    if (this.acks.length === 0) return null;
    let ready: HeldAck | null = null;
    let kept = 0;
    for (const ack of this.acks) {
      if (ack.match > durableIndex) this.acks[kept++] = ack;
      else ready = ready === null ? ack : merged(ready, ack);
    }
    this.acks.length = kept;
    return ready;
  }

  /** The term changed: what waited would speak for a term that is over (RAFT.md §6.4). */
  clear(): void {
    probes.sometimes('held-acks-dropped-with-term', this.acks.length > 0);
    this.held = [];
    this.acks = [];
  }
}

function merged(first: HeldAck, second: HeldAck): HeldAck {
  return {
    to: second.to,
    match: Math.max(first.match, second.match),
    round: Math.max(first.round, second.round),
    transfer: second.transfer ?? first.transfer,
  };
}
