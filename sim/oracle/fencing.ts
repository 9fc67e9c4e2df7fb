// What the protected resource sees (RAFT.md §14.4). Whatever clocks do, it takes no write of an
// older grant after one of a newer grant. Within the bound of clock rates nobody who has just made
// sure of a lock is refused, either: that would be a belief that outlived its lease.

import { FencedStore } from '../fenced-store.ts';
import type { FencedWrite } from '../fenced-store.ts';
import type { Beliefs, Hold } from './belief.ts';
import type { Verdict } from './verdict.ts';

/** What writes are judged by. */
export interface FencingRules {
  readonly verdict: Verdict;
  readonly beliefs: Beliefs;
  /** Whether all clocks keep within the bound that leases are built on. */
  readonly isBound: boolean;
  /** Told of every write, and whether it was taken. */
  readonly onWrite?: ((write: FencedWrite, isTaken: boolean) => void) | undefined;
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
    for (const { name, mode, slots } of this.rules.beliefs.claimsOf(hold)) {
      const write = { name, mode, token: grant.token, by: session };
      if (slots === null) this.offer(write, hold, isSure);
      else for (const slot of slots) this.offer({ ...write, slot }, hold, isSure);
    }
  }

  private offer(write: FencedWrite, hold: Hold, isSure: boolean): void {
    const isTaken = this.store.offer(write);
    this.rules.onWrite?.({ ...write, by: hold.client }, isTaken);
    if (isTaken) return;
    this.refused++;
    if (isSure) this.onRefused(hold, write);
  }

  private onRefused(hold: Hold, write: FencedWrite): void {
    const { verdict, beliefs, isBound } = this.rules;
    if (!isBound || beliefs.isWaived(hold)) return;
    const { client, grant } = hold;
    const least = this.store.least(write);
    const what = `${client} believed in ${write.name} with token ${grant.token}`;
    const message = `${what}, and ${least} would be the least after those before it`;
    verdict.report('INV-17', message);
  }
}
