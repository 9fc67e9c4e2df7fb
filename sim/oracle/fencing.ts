// What the protected resource sees (RAFT.md §14.4). Whatever clocks do, it takes no write of an
// older grant after one of a newer grant. Within the bound of clock rates nobody who has just made
// sure of a lock is refused, either: that would be a belief that outlived its lease.

import { FencedStore } from '../fenced-store.ts';
import type { Beliefs, Hold } from './belief.ts';
import type { Verdict } from './verdict.ts';

/** What writes are judged by. */
export interface FencingRules {
  readonly verdict: Verdict;
  readonly beliefs: Beliefs;
  /** Whether all clocks keep within the bound that leases are built on. */
  readonly isBound: boolean;
}

/** The store that the clients of a run write to, and what must hold of their writes. */
export class Fencing {
  private readonly rules: FencingRules;
  private readonly store: FencedStore;
  private refused = 0;

  constructor(rules: FencingRules) {
    this.rules = rules;
    this.store = new FencedStore((message) => rules.verdict.report('INV-16', message));
  }

  /** Writes that were taken. */
  get writes(): number {
    return this.store.writes;
  }

  /** Writes that came after one of a newer grant, and were refused. */
  get staleWritesRefused(): number {
    return this.refused;
  }

  /** `isSure`: the writer made sure of the lock in this very moment, not some time before. */
  write(hold: Hold, isSure: boolean): void {
    const { session, grant } = hold;
    for (const name of grant.names) {
      if (this.store.offer({ name, token: grant.token, by: session })) continue;
      this.refused++;
      if (isSure) this.onRefused(hold, name);
    }
  }

  private onRefused(hold: Hold, name: string): void {
    const { verdict, beliefs, isBound } = this.rules;
    if (!isBound || beliefs.isWaived(hold)) return;
    const { client, grant } = hold;
    const newer = this.store.last(name)?.token ?? 0;
    const message = `${client} believed in ${name} with token ${grant.token} after one of ${newer}`;
    verdict.report('INV-17', message);
  }
}
