import type { NodeId, Term } from '../../src/base/units.ts';
import type { RaftStart } from '../../src/raft/events.ts';
import { DiskTruth } from './raft-disk.ts';
import type { Verdict } from './verdict.ts';

/** A node with one data directory, over all its lives. */
export class NodeHistory {
  readonly id: NodeId;
  /** Whom it gave the vote of a term to, itself included, as others were told. */
  readonly grants = new Map<Term, NodeId>();
  /** Highest term that any of its messages named. */
  sentTerm: Term = 0;
  private readonly verdict: Verdict;
  private present: DiskTruth;

  constructor(id: NodeId, start: RaftStart, verdict: Verdict) {
    this.id = id;
    this.verdict = verdict;
    this.present = new DiskTruth(start);
  }

  get disk(): DiskTruth {
    return this.present;
  }

  /**
   * INV-7 and INV-20: a new life knows all that was durable. A directory that cannot show it must
   * refuse to start, and then nobody calls this.
   */
  restart(start: RaftStart): void {
    const before = this.present;
    const now = new DiskTruth(start);
    this.present = now;
    const { id, sentTerm, verdict } = this;
    const term = Math.max(before.term, sentTerm);
    verdict.expect(
      now.term >= term,
      'INV-7',
      () => `${id} starts in term ${now.term} although it was in term ${term}`,
    );
    verdict.expect(
      now.term !== before.term || before.vote === null || now.vote === before.vote,
      'INV-7',
      () => `${id} has forgotten its vote for ${before.vote} in term ${before.term}`,
    );
    verdict.expect(
      now.anchor.index >= before.anchor.index,
      'INV-20',
      () =>
        `${id} starts with a log from entry ${now.anchor.index} on, without the checkpoint before`,
    );
    for (let index = now.log.anchorIndex + 1; index <= before.log.lastIndex; index++) {
      if (before.log.covers(index, now.log.termAt(index))) continue;
      verdict.report('INV-20', `${id} starts without entry ${index}, which was on its disk`);
      return;
    }
  }

  /** INV-7: in one term no two candidates are told that they have the vote. */
  grant(term: Term, candidate: NodeId): void {
    const known = this.grants.get(term);
    if (known === undefined) this.grants.set(term, candidate);
    else if (known !== candidate) {
      const who = `${this.id} gave its vote of term ${term}`;
      this.verdict.report('INV-7', `${who} to ${known} and to ${candidate}`);
    }
  }
}
