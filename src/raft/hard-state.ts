// Term and vote, and which version of them is durable. Nothing that depends on a version leaves
// the node before the version is in both slots (RAFT.md §5.3, §7.2).

import { assert } from '../base/assert.ts';
import type { NodeId, StoreId, Term } from '../base/units.ts';

/** Who got the vote: a node with its data directory. */
export interface Ballot {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
}

/** Invariant: the term never decreases; the vote changes only from null, or with the term. */
export class HardState {
  private currentTerm: Term;
  private currentVote: Ballot | null;
  /** Counts changes; the one of the record on disk at start is 0. */
  private version = 0;
  private termVersion = 0;
  private handedOut = 0;
  private durable = 0;

  constructor(term: Term, vote: Ballot | null) {
    this.currentTerm = term;
    this.currentVote = vote;
  }

  get term(): Term {
    return this.currentTerm;
  }

  get vote(): Ballot | null {
    return this.currentVote;
  }

  get isTermDurable(): boolean {
    return this.durable >= this.termVersion;
  }

  get isVoteDurable(): boolean {
    return this.durable >= this.version;
  }

  /** Enters a later term, in which nobody has our vote yet (RAFT.md §5.4). */
  enterTerm(term: Term, vote: Ballot | null): void {
    assert(term > this.currentTerm, 'the term only grows (INV-7)');
    this.currentTerm = term;
    this.currentVote = vote;
    this.version++;
    this.termVersion = this.version;
  }

  /** Gives the vote of this term, once. */
  castVote(ballot: Ballot): void {
    assert(this.currentVote === null, 'one vote per term (INV-7)');
    this.currentVote = ballot;
    this.version++;
  }

  /** True when the vote of this term went to that candidate. */
  hasVotedFor(ballot: Ballot): boolean {
    const vote = this.currentVote;
    return vote !== null && vote.nodeId === ballot.nodeId && vote.storeId === ballot.storeId;
  }

  /** The version to write now; null when the newest was handed out already. */
  takeUnwritten(): number | null {
    if (this.handedOut === this.version) return null;
    this.handedOut = this.version;
    return this.version;
  }

  /** Both slots hold this version, or a later one. */
  onWritten(version: number): void {
    assert(version <= this.handedOut, 'only versions handed out are written');
    this.durable = Math.max(this.durable, version);
  }
}
