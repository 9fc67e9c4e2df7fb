// The lock-delay in true time (RAFT.md §13): what an expired grant had is closed to others for at
// least as long as its session asked for. The leader counts from its own apply of the expiry, which
// is not before anybody's first, and no clock within the bound goes faster than this. That nobody
// gets in meanwhile is the machine's to keep (machine.ts).

import { US_PER_MS } from '../../src/base/units.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { FactListener } from './machine.ts';
import type { Verdict } from './verdict.ts';

/** How much faster than true time a clock within the bound may go. */
const RATE_MAX = 1.01;

type Delayed = Extract<LockEvent, { readonly type: 'delayed' }>;
type Lifted = Extract<LockEvent, { readonly type: 'lifted' }>;

/** See the head of this file. */
export class LockDelays implements FactListener {
  private readonly rules: { readonly verdict: Verdict; readonly isBound: boolean };
  /** Earliest end of each delay in force, by name and entry, in microseconds of true time. */
  private readonly ends = new Map<string, number>();
  private least = Infinity;

  constructor(rules: { readonly verdict: Verdict; readonly isBound: boolean }) {
    this.rules = rules;
  }

  /** Least time between the earliest end of a delay and its lift; Infinity: none was lifted. */
  get closestUs(): number {
    return this.least;
  }

  onDelayed({ name, closedAt, delayMs }: Delayed, atUs: number): void {
    this.ends.set(`${name} ${closedAt}`, atUs + (delayMs * US_PER_MS) / RATE_MAX);
  }

  onLifted({ name, closedAt, cause, session }: Lifted, atUs: number): void {
    const endUs = this.ends.get(`${name} ${closedAt}`);
    const { verdict, isBound } = this.rules;
    if (endUs === undefined || cause === 'broken' || !isBound) return;
    this.least = Math.min(this.least, atUs - endUs);
    verdict.expect(atUs >= endUs, 'INV-17', () => {
      const what = `the delay of ${name}, which ${session} left at entry ${closedAt}`;
      return `${what}, was lifted ${Math.ceil(endUs - atUs)} us too early`;
    });
  }
}
