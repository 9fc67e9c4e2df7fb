import type { Index, Term } from '../../src/base/units.ts';
import type { EntryId, RaftStart } from '../../src/raft/events.ts';

/**
 * Terms by index, of a log that begins after its anchor; a checkpoint contains what is before. As
 * long as the run has entries: what a node compacts is still known here.
 */
export class LogTerms {
  private anchor: EntryId;
  private readonly terms: Term[] = [];

  constructor(anchor: EntryId) {
    this.anchor = anchor;
  }

  get anchorIndex(): Index {
    return this.anchor.index;
  }

  get anchorTerm(): Term {
    return this.anchor.term;
  }

  get lastIndex(): Index {
    return this.anchorIndex + this.terms.length;
  }

  get lastTerm(): Term {
    return this.terms[this.terms.length - 1] ?? this.anchorTerm;
  }

  /** From the anchor to the last index; null elsewhere. */
  termAt(index: Index): Term | null {
    if (index === this.anchorIndex) return this.anchorTerm;
    if (index < this.anchorIndex) return null;
    return this.terms[index - this.anchorIndex - 1] ?? null;
  }

  /** Whether it has that entry, or its checkpoint contains the index: as whatever is committed. */
  covers(index: Index, term: Term | null): boolean {
    return index < this.anchorIndex || (term !== null && this.termAt(index) === term);
  }

  /** A checkpoint took the place of all of it. */
  restartAt(anchor: EntryId): void {
    this.anchor = anchor;
    this.terms.length = 0;
  }

  /** The term of the entry behind the last one. */
  append(term: Term): void {
    this.terms.push(term);
  }

  /** Forgets everything from `index` on. */
  cutFrom(index: Index): void {
    const kept = Math.max(0, index - this.anchorIndex - 1);
    if (kept < this.terms.length) this.terms.length = kept;
  }
}

/** What recovery says that the log on disk is. */
export function recoveredTerms({ anchor, termRuns, lastIndex }: RaftStart): LogTerms {
  const log = new LogTerms(anchor);
  for (const [at, run] of termRuns.entries()) {
    const end = termRuns[at + 1]?.firstIndex ?? lastIndex + 1;
    while (log.lastIndex + 1 < end) log.append(run.term);
  }
  return log;
}
