// Rules of reads and keepalives that one step of a leader keeps or breaks (RAFT.md §8): each is
// confirmed by a round that began after it came, and by a leader that knows what is committed.

import type { NodeId, Term } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { Member } from '../../src/raft/config.ts';
import type { RaftEffect, RaftEvent } from '../../src/raft/events.ts';
import type { RaftMessage } from '../../src/raft/messages.ts';
import { majoritySize } from '../../src/raft/quorum.ts';
import type { Core } from '../../src/raft/state.ts';
import type { Verdict } from './verdict.ts';

/** For a new life of a node. */
export function watchReads(verdict: Verdict): HostWatch {
  let rules: ReadRules | null = null;
  return {
    started: (core) => {
      rules = new ReadRules(core, verdict);
    },
    stepped: (event, effects) => rules?.stepped(event, effects),
    applied: () => {},
    installed: () => {},
  };
}

/** Messages that say which round they answer. */
const ANSWERS: ReadonlySet<RaftMessage['type']> = new Set([
  'appendResponse',
  'heartbeatResponse',
  'snapshotResponse',
] as const);

class ReadRules {
  private readonly core: Core;
  private readonly verdict: Verdict;
  /** The round that was current when each read came; those that are not answered yet. */
  private readonly asked = new Map<number, number>();
  /** The newest round that each voter answered, in this term. */
  private readonly answered = new Map<NodeId, number>();
  private term: Term = 0;
  private round = 0;

  constructor(core: Core, verdict: Verdict) {
    this.core = core;
    this.verdict = verdict;
  }

  stepped(event: RaftEvent, effects: readonly RaftEffect[]): void {
    const { core } = this;
    if (core.isStopped || core.leader === null) return;
    if (this.term !== core.hard.term) this.beginOffice();
    if (event.type === 'read') this.asked.set(event.id, this.round);
    else if (event.type === 'message') this.note(event);
    for (const effect of effects) {
      if (effect.type === 'readReady') this.checkAnswers(effect.ids);
    }
    this.round = core.leader.rounds.current;
  }

  private beginOffice(): void {
    this.term = this.core.hard.term;
    this.round = 0;
    this.asked.clear();
    this.answered.clear();
  }

  private note({ from, message }: Extract<RaftEvent, { readonly type: 'message' }>): void {
    if (!('round' in message) || !ANSWERS.has(message.type) || message.term !== this.term) return;
    const known = this.answered.get(from.nodeId) ?? 0;
    if (message.round > known) this.answered.set(from.nodeId, message.round);
  }

  private checkAnswers(reads: readonly number[]): void {
    const { core, verdict } = this;
    const own = core.self.nodeId;
    if (core.log.termAt(core.commitIndex) !== this.term) {
      verdict.report('INV-12', `${own} answers a read before it committed an entry of its term`);
    }
    for (const read of reads) {
      const askedIn = this.asked.get(read) ?? 0;
      this.asked.delete(read);
      if (this.isConfirmed(askedIn)) continue;
      verdict.report('INV-12', `${own} answers a read that no round confirms that began after it`);
    }
  }

  private isConfirmed(askedIn: number): boolean {
    const { voters, votersOutgoing } = this.core.configurations.latest.config;
    const isBy = (half: readonly Member[]): boolean => this.isConfirmedBy(half, askedIn);
    return isBy(voters) && (votersOutgoing.length === 0 || isBy(votersOutgoing));
  }

  private isConfirmedBy(voters: readonly Member[], askedIn: number): boolean {
    let count = 0;
    for (const { nodeId } of voters) {
      const isOwn = nodeId === this.core.self.nodeId;
      if (isOwn || (this.answered.get(nodeId) ?? 0) > askedIn) count++;
    }
    return count >= majoritySize(voters.length);
  }
}
