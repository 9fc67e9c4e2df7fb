import type { Index, Term } from '../../src/base/units.ts';
import type { RaftStart } from '../../src/raft/events.ts';

/** Terms by index, of a log that begins after its anchor. As long as the run has entries. */
export class LogTerms {
  readonly anchorIndex: Index;
  private readonly anchorTerm: Term;
  private readonly terms: Term[] = [];

  constructor(anchor: { readonly index: Index; readonly term: Term }) {
    this.anchorIndex = anchor.index;
    this.anchorTerm = anchor.term;
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
