import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Decisions } from './decisions.ts';
import { Latch } from './latch.ts';

/**
 * Lets the best of the others lead, if one takes over within an election time-out (RAFT.md §11).
 * Calls back in any case: a disk that hangs, or an engine that failed, holds nobody up.
 */
export function handOver(
  from: {
    readonly clock: Clock;
    readonly electionMs: number;
    readonly decisions: Pick<Decisions, 'transfer'>;
  },
  done: () => void,
): void {
  const latch = new Latch(from.clock);
  latch.wait(done);
  const timer = from.clock.after(from.electionMs * US_PER_MS, () => latch.open());
  from.decisions.transfer(null, () => {
    timer.cancel();
    latch.open();
  });
}
