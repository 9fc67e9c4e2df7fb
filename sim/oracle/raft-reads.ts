import type { Index, NodeId } from '../../src/base/units.ts';
import type { Verdict } from './verdict.ts';

/**
 * INV-12 seen from inside: a read, or a keepalive, is confirmed when the node has applied all that
 * anybody treated as committed when it was asked for.
 */
export class ReadChecks {
  private readonly id: NodeId;
  private readonly verdict: Verdict;
  /** By number of the read; those that are not answered yet. */
  private readonly waiting = new Map<number, Index>();

  constructor(id: NodeId, verdict: Verdict) {
    this.id = id;
    this.verdict = verdict;
  }

  asked(read: number, committed: Index): void {
    this.waiting.set(read, committed);
  }

  confirmed(reads: readonly number[], applied: Index): void {
    for (const read of reads) {
      const committed = this.waiting.get(read) ?? 0;
      this.waiting.delete(read);
      if (committed <= applied) continue;
      const what = `${this.id} answers a read as of entry ${applied}`;
      this.verdict.report('INV-12', `${what}; entry ${committed} was committed before it came`);
    }
  }

  failed(reads: readonly number[]): void {
    for (const read of reads) this.waiting.delete(read);
  }
}
