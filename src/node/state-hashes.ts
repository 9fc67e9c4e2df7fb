import { probes } from '../base/probe.ts';
import type { Index, NodeId, StoreId } from '../base/units.ts';
import { majoritySize } from '../raft/quorum.ts';
import type { Member } from '../raft/config.ts';

/** Entries of which the hashes are remembered; a member that is further behind is not compared. */
const REMEMBERED_MAX = 16;

/** What comparing showed. `differs`: this node is not what a majority of voters is. */
export type Verdict =
  | { readonly kind: 'equal' }
  | { readonly kind: 'differs'; readonly index: Index }
  | { readonly kind: 'strange'; readonly nodes: readonly NodeId[]; readonly index: Index }
  | { readonly kind: 'undecided'; readonly index: Index };

/**
 * The same entries make the same state, so that equal indices have equal hashes on all nodes
 * (INV-5). Whoever differs from a majority is damaged, or ran another program; without a majority
 * nobody can tell who is right (RAFT.md §15.5).
 */
export class StateHashes {
  private readonly self: Member['storeId'];
  /** By index, oldest first: what each directory said. */
  private readonly known = new Map<Index, Map<StoreId, string>>();

  constructor(self: StoreId) {
    this.self = self;
  }

  /** Notes what a node's state hashed to there, and compares with the others. */
  note(at: { index: Index; storeId: StoreId; hash: string }, voters: readonly Member[]): Verdict {
    const { index, storeId, hash } = at;
    const said = this.known.get(index) ?? this.begin(index);
    if (said === null) return { kind: 'equal' };
    said.set(storeId, hash);
    return this.judge(index, said, voters);
  }

  private begin(index: Index): Map<StoreId, string> | null {
    if (this.known.size >= REMEMBERED_MAX) {
      const oldest = Math.min(...this.known.keys());
      if (index < oldest) return null;
      this.known.delete(oldest);
    }
    const said = new Map<StoreId, string>();
    this.known.set(index, said);
    return said;
  }

  private judge(
    index: Index,
    said: ReadonlyMap<StoreId, string>,
    voters: readonly Member[],
  ): Verdict {
    if (new Set(said.values()).size <= 1) return { kind: 'equal' };
    probes.reach('state-hashes-differ');
    const right = hashOfMajority(said, voters);
    if (right === null) return { kind: 'undecided', index };
    const own = said.get(this.self);
    if (own !== undefined && own !== right) return { kind: 'differs', index };
    const nodes = voters
      .filter(({ storeId }) => (said.get(storeId) ?? right) !== right)
      .map(({ nodeId }) => nodeId);
    return nodes.length === 0 ? { kind: 'equal' } : { kind: 'strange', nodes, index };
  }
}

function hashOfMajority(
  said: ReadonlyMap<StoreId, string>,
  voters: readonly Member[],
): string | null {
  const counts = new Map<string, number>();
  for (const { storeId } of voters) {
    const hash = said.get(storeId);
    if (hash === undefined) continue;
    const count = (counts.get(hash) ?? 0) + 1;
    if (count >= majoritySize(voters.length)) return hash;
    counts.set(hash, count);
  }
  return null;
}
