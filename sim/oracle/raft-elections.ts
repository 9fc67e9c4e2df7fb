import type { NodeId, Term } from '../../src/base/units.ts';
import type { Member } from '../../src/raft/config.ts';
import type { NodeHistory } from './raft-history.ts';
import type { LifeView } from './raft-view.ts';
import type { Verdict } from './verdict.ts';

/** Who led when, and by whose votes. */
export class Elections {
  private readonly leaders = new Map<Term, NodeId>();
  private readonly histories: ReadonlyMap<NodeId, NodeHistory>;
  private readonly verdict: Verdict;

  constructor(histories: ReadonlyMap<NodeId, NodeHistory>, verdict: Verdict) {
    this.histories = histories;
    this.verdict = verdict;
  }

  /** Terms in which somebody led, in the order in which they were seen. */
  get terms(): readonly Term[] {
    return [...this.leaders.keys()];
  }

  leaderOf(term: Term): NodeId | null {
    return this.leaders.get(term) ?? null;
  }

  /** INV-1: one leader in a term, once, by the votes of a majority that really were given. */
  won(life: LifeView): void {
    const { id, core, disk } = life;
    const { term } = core.hard;
    const known = this.leaders.get(term);
    if (known !== undefined) {
      const whom = known === id ? `${id} led twice` : `${known} and ${id} both led`;
      this.verdict.report('INV-1', `${whom} in term ${term}`);
      return;
    }
    this.leaders.set(term, id);
    this.verdict.expect(
      disk.term === term && disk.vote === id,
      'INV-7',
      () => `${id} leads in term ${term} without its own vote on its disk`,
    );
    const { voters, votersOutgoing } = core.configurations.latest.config;
    for (const half of [voters, votersOutgoing]) {
      if (half.length === 0) continue;
      const given = half.filter((voter) => this.hasGranted(voter, term, id)).length;
      this.verdict.expect(
        given * 2 > half.length,
        'INV-1',
        () => `${id} leads in term ${term} by ${given} votes of ${half.length}`,
      );
    }
  }

  private hasGranted({ nodeId, storeId }: Member, term: Term, candidate: NodeId): boolean {
    const history = this.histories.get(nodeId);
    if (history?.disk.storeId !== storeId) return false;
    return nodeId === candidate || history.grants.get(term) === candidate;
  }
}
