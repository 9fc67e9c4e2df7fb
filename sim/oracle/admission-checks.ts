// How much uncommitted work a leader takes on, counted anew (RAFT.md §0, §12): without a limit its
// memory fills while it cannot commit; with one that is wrong it refuses what it has room for.

import type { Index } from '../../src/base/units.ts';
import type { Proposal, RaftEffect } from '../../src/raft/events.ts';
import { ENTRY_OVERHEAD_BYTES } from '../../src/raft/log.ts';
import type { Core } from '../../src/raft/state.ts';
import type { Verdict } from './verdict.ts';

/** Work of one kind; what was accepted together is given back together. */
class Purse {
  bytes = 0;
  private charges: { readonly lastIndex: Index; readonly bytes: number }[] = [];

  /** Even more than the limit, if it is alone. */
  hasRoom(bytes: number, limit: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= limit;
  }

  note(lastIndex: Index, bytes: number): void {
    if (bytes > 0) this.charges.push({ lastIndex, bytes });
  }

  committed(index: Index): void {
    const first = this.charges[0];
    if (first === undefined || first.lastIndex > index) return;
    this.charges = this.charges.filter((charge) => charge.lastIndex > index);
    this.bytes = this.charges.reduce((sum, charge) => sum + charge.bytes, 0);
  }
}

type Proposed = Extract<RaftEffect, { readonly type: 'proposed' }>;

/** LIV-3 as far as one leader can keep or break it; for one life of a node. */
export class AdmissionChecks {
  private readonly core: Core;
  private readonly verdict: Verdict;
  private clients = new Purse();
  private own = new Purse();

  constructor(core: Core, verdict: Verdict) {
    this.core = core;
    this.verdict = verdict;
  }

  /** It has just been elected: the first entry of its term is there, whatever else is (§7.1). */
  begin(): void {
    const { log, hard } = this.core;
    this.clients = new Purse();
    this.own = new Purse();
    if (log.lastTerm === hard.term && log.peek(log.lastIndex)?.type === 'noop') return;
    this.report('leads, and has not begun its term with an entry of its own');
  }

  committed(index: Index): void {
    this.clients.committed(index);
    this.own.committed(index);
  }

  proposed(proposals: readonly Proposal[], effects: readonly RaftEffect[]): void {
    const answer = effects.find((effect): effect is Proposed => effect.type === 'proposed');
    if (answer === undefined || this.core.leader === null) return;
    const before = [this.clients.bytes, this.own.bytes] as const;
    for (let at = 0; at < answer.accepted; at++) {
      const proposal = proposals[at];
      if (proposal?.type === 'command') this.accepted(proposal);
    }
    const lastIndex = answer.firstIndex + answer.accepted - 1;
    this.clients.note(lastIndex, this.clients.bytes - before[0]);
    this.own.note(lastIndex, this.own.bytes - before[1]);
    const refused = proposals[answer.accepted];
    if (refused !== undefined && answer.refusal === 'OVERLOADED') this.refused(refused);
  }

  // M-31.
  private accepted(proposal: Proposal): void {
    const purse = this.purseOf(proposal);
    if (!this.hasRoom(proposal)) {
      this.report(`takes on more work beside ${purse.bytes} bytes that are not committed`);
    }
    purse.bytes += bytesOf(proposal);
  }

  // M-31b.
  private refused(proposal: Proposal): void {
    if (proposal.type === 'command' && !this.hasRoom(proposal)) return;
    const { bytes } = this.purseOf(proposal);
    this.report(`refuses a ${proposal.type} while ${bytes} bytes are not committed`);
  }

  private hasRoom(proposal: Proposal): boolean {
    const { uncommittedBytesMax, internalBytesMax } = this.core.settings;
    const limit = proposal.internal ? internalBytesMax : uncommittedBytesMax;
    return this.purseOf(proposal).hasRoom(bytesOf(proposal), limit);
  }

  private purseOf({ internal }: Proposal): Purse {
    return internal ? this.own : this.clients;
  }

  private report(what: string): void {
    this.verdict.report('LIV-3', `${this.core.self.nodeId} ${what}`);
  }
}

function bytesOf({ payload }: Proposal): number {
  return payload.length + ENTRY_OVERHEAD_BYTES;
}
