// What a restored cluster owes to those that were before it (RAFT.md §15.7): its tokens are above
// all of theirs, and nothing is granted before their clients cannot believe in their locks any
// more. A leader counts the embargo from its own beginning, which is not before that of the first
// leader, and no clock within the bound goes faster than this.

import type { Index } from '../../src/base/units.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { FactListener } from './machine.ts';
import type { Verdict } from './verdict.ts';

/** How much faster than true time a clock within the bound may go. */
const RATE_MAX = 1.01;

type Granted = Extract<LockEvent, { readonly type: 'granted' }>;

/** What the grants of a restored cluster are judged by. */
export interface RestoredRules {
  readonly verdict: Verdict;
  /** Whether all clocks keep within the bound that leases are built on. */
  readonly isBound: boolean;
  /** The last entry of any cluster that was before this one, as it is now. */
  readonly lastBefore: () => Index;
}

/** See the head of this file. For one restored cluster. */
export class RestoredGrants implements FactListener {
  private readonly rules: RestoredRules;
  private endUs: number | null = null;

  constructor(rules: RestoredRules) {
    this.rules = rules;
  }

  /** A node begins to lead; the first one counts. */
  begin(atUs: number, embargoMs: number): void {
    this.endUs ??= atUs + (embargoMs * US_PER_MS) / RATE_MAX;
  }

  onGranted({ names, session, token }: Granted, atUs: number): void {
    const { verdict, isBound, lastBefore } = this.rules;
    const what = `${names.join(' and ')} was granted to ${session} with token ${token}`;
    const before = lastBefore();
    verdict.expect(token > before, 'INV-16', () => {
      return `${what}; a cluster before the restore had given ${before}`;
    });
    const { endUs } = this;
    if (!isBound || endUs === null || atUs >= endUs) return;
    verdict.report('INV-17', `${what}, ${Math.ceil(endUs - atUs)} us before the embargo can end`);
  }
}
