// What must hold over all clusters of a month, for the outside world knows nothing of restores: the
// store that locks protect, and every token that was ever granted.

import type { Token } from '../../src/base/units.ts';
import { FencedStore } from '../fenced-store.ts';
import type { FencedWrite } from '../fenced-store.ts';
import type { FactListener } from '../oracle/machine.ts';
import type { Verdict } from '../oracle/verdict.ts';

/** Writes of one era that are tried again in the next. */
const STALE_MAX = 64;

/** Lives as long as the month. */
export class Ledger {
  private readonly store: FencedStore;
  private verdict: Verdict;
  /** The largest token of all clusters. */
  private largest: Token = 0;
  /** That of the clusters before. */
  private before: Token = 0;
  private recent: FencedWrite[] = [];
  private stale: readonly FencedWrite[] = [];
  private refused = 0;

  constructor(verdict: Verdict) {
    this.verdict = verdict;
    this.store = new FencedStore((message) => this.verdict.report('INV-16', message));
  }

  /** The largest token that was ever granted. */
  get largestToken(): Token {
    return this.largest;
  }

  /** Writes of clients of an older cluster that the store refused. */
  get staleWritesRefused(): number {
    return this.refused;
  }

  /** Another cluster takes over: from now on its log is heard, and it is told what breaks. */
  begin(verdict: Verdict): FactListener {
    this.verdict = verdict;
    this.before = this.largest;
    this.stale = this.recent;
    this.recent = [];
    return { onGranted: ({ token }) => this.granted(token) };
  }

  /** Somebody who believes in a lock writes under it. */
  write(write: FencedWrite): void {
    const least = this.store.least(write);
    if (!this.store.offer(write)) {
      const what = `${write.by} believes in ${write.name} with token ${write.token}`;
      this.verdict.report('INV-17', `${what}; the store has seen ${least - 1}`);
    }
    this.recent.push(write);
    if (this.recent.length > STALE_MAX) this.recent.shift();
  }

  /** Clients of the cluster before this one wake up and write: wherever it matters, too late. */
  wakeStale(): void {
    for (const write of this.stale) {
      const isLate = this.store.least(write) > write.token;
      if (isLate && !this.store.offer(write)) this.refused++;
    }
    this.stale = [];
  }

  // INV-16: the log gives larger and larger tokens, and a restored cluster begins above all that
  // any cluster before it ever gave, whatever the backup knew of them.
  private granted(token: Token): void {
    const { largest, before, verdict } = this;
    verdict.expect(
      token >= largest && token > before,
      'INV-16',
      () => `token ${token} is granted after ${largest}; clusters before gave up to ${before}`,
    );
    this.largest = Math.max(largest, token);
  }
}
