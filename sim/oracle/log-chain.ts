import type { Index, NodeId, Term } from '../../src/base/units.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { Verdict } from './verdict.ts';

/** What (index, term) stands for, as whoever had it first has it. */
interface Link {
  readonly entry: Entry;
  readonly by: NodeId;
  /** The same index in another term. */
  readonly next: Link | null;
}

/**
 * INV-3 over all logs of a run: the same (index, term) has the same content and the same term
 * before it everywhere, hence the same prefix. Keeps every entry that was ever in a log.
 */
export class ChainTable {
  private readonly links = new Map<Index, Link>();
  private readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    this.verdict = verdict;
  }

  /** `by` has this entry in its log. */
  see(entry: Entry, by: NodeId): void {
    const first = this.links.get(entry.index) ?? null;
    const known = find(first, entry.term);
    if (known === null) {
      this.links.set(entry.index, { entry, by, next: first });
      return;
    }
    const { entry: other } = known;
    if (other === entry) return;
    const isSame = other.prevTerm === entry.prevTerm && other.type === entry.type;
    if (isSame && areEqual(other.payload, entry.payload)) return;
    const what = `entry ${entry.index} of term ${entry.term}`;
    this.verdict.report('INV-3', `${what} is one thing at ${known.by}, another at ${by}`);
  }

  /** Whether anybody ever had such an entry. */
  has(index: Index, term: Term): boolean {
    return find(this.links.get(index) ?? null, term) !== null;
  }
}

function find(first: Link | null, term: Term): Link | null {
  for (let link = first; link !== null; link = link.next) {
    if (link.entry.term === term) return link;
  }
  return null;
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}
