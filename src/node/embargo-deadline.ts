import type { LeaseUs, Term } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Embargo } from '../locks/machine-types.ts';

/** Appends a LiftEmbargo that goes on from this cursor; false if it was not admitted. */
export type ProposeLift = (afterName: string | null, proposerTerm: Term) => boolean;

/**
 * When a restored cluster begins to grant (RAFT.md §13): every leader counts the embargo from its
 * own beginning, and then lifts it by one entry after another, each when the one before it was
 * applied. What a leader has begun to lift, its successor goes on with at once: the time was over.
 */
export class EmbargoDeadline {
  private readonly propose: ProposeLift;
  private startedUs: LeaseUs = 0;
  /** The cursor from which an entry, appended and undecided, goes on. */
  private proposed: { readonly cursor: string | null } | null = null;

  constructor(propose: ProposeLift) {
    this.propose = propose;
  }

  /** A machine came into force in this moment. */
  begin(nowUs: LeaseUs): void {
    this.startedUs = nowUs;
    this.proposed = null;
  }

  /** Tests it for a ready leader of `term`; `embargo` is that of the machine. */
  test(
    embargo: Embargo,
    { nowUs, baseUs, term }: { readonly nowUs: LeaseUs; baseUs: LeaseUs; term: Term },
  ): void {
    const { cursor, embargoMs } = embargo;
    if (cursor === null && nowUs < this.dueUs(embargoMs, baseUs)) return;
    if (this.proposed?.cursor === cursor) return;
    if (this.propose(cursor, term)) this.proposed = { cursor };
  }

  /** How long it holds yet if this node leads from `baseUs` on; 0: it is being lifted. */
  leftUs({ cursor, embargoMs }: Embargo, nowUs: LeaseUs, baseUs: LeaseUs): number {
    return cursor === null ? Math.max(0, this.dueUs(embargoMs, baseUs) - nowUs) : 0;
  }

  /** Leadership is over: what it appended may be lost. */
  stepDown(): void {
    this.proposed = null;
  }

  private dueUs(embargoMs: number, baseUs: LeaseUs): LeaseUs {
    return Math.max(baseUs, this.startedUs) + embargoMs * US_PER_MS;
  }
}
