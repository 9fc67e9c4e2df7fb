// Whether a member keeps up with the log, in rounds (thesis §4.2.1): each round replicates what
// the log held when it began, so with a member that is fast enough rounds become shorter than E,
// and from there on it could replace a voter without a pause in which nothing commits.

import type { Index, MonoUs } from '../base/units.ts';

/** Rounds of one member under one leader; measured at ticks, so they are exact up to H. */
export class CatchUp {
  /** The end of the log when the round began. */
  private target: Index;
  private startUs: MonoUs;
  /** How long the round before this one took. */
  private lastUs = Infinity;

  constructor(lastIndex: Index, nowUs: MonoUs) {
    this.target = lastIndex;
    this.startUs = nowUs;
  }

  /** Ends the round if the member has all of it, and begins the next. */
  measure(matchIndex: Index, lastIndex: Index, nowUs: MonoUs): void {
    if (matchIndex < this.target) return;
    this.lastUs = nowUs - this.startUs;
    this.target = lastIndex;
    this.startUs = nowUs;
  }

  /** True when the last round was shorter than that, and the one that goes on still is. */
  isShorterThan(limitUs: number, nowUs: MonoUs): boolean {
    return this.lastUs < limitUs && nowUs - this.startUs < limitUs;
  }
}
