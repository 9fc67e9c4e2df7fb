import { MinHeap } from '../base/heap.ts';
import type { LeaseUs } from '../base/units.ts';

/** A hold with a limit. */
export interface Limited {
  /** Lease time at which its belief ends at the latest. */
  readonly untilUs: LeaseUs;
  /** It was let go or lost. */
  readonly isOver: boolean;
}

const SPARE = 64;

/**
 * When the first of a session's limited holds must be over: from then on the session is not
 * renewed until it is given back, for whoever should do that may never run again. Holds that are
 * over stay until they come to the top or are half of all: no more than twice what is held.
 */
export class HoldEnds {
  private holds = newHeap();
  private live = 0;

  /** How many are remembered, those that are over included. */
  get size(): number {
    return this.holds.size;
  }

  add(hold: Limited): void {
    this.holds.push(hold);
    this.live++;
  }

  /** One of them is over. */
  noteOver(): void {
    this.live--;
    if (this.holds.size <= 2 * this.live + SPARE) return;
    const kept = newHeap();
    for (let hold = this.holds.pop(); hold !== undefined; hold = this.holds.pop()) {
      if (!hold.isOver) kept.push(hold);
    }
    this.holds = kept;
  }

  /** Infinity while nothing is limited. */
  earliestUs(): LeaseUs {
    for (let first = this.holds.peek(); first !== undefined; first = this.holds.peek()) {
      if (!first.isOver) return first.untilUs;
      this.holds.pop();
    }
    return Infinity;
  }
}

function newHeap(): MinHeap<Limited> {
  return new MinHeap((left, right) => left.untilUs - right.untilUs);
}
