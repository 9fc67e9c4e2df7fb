import type { ReplicatedLimits, SetLimits } from '../../src/locks/commands.ts';
import { areLimits, isText } from './model-rules.ts';

/** The limits in force, and what stays of those that were. */
export class ModelLimits {
  now: ReplicatedLimits;
  /** What a session came to hold under other limits, it may give back. */
  holdingsMaxEver: number;

  constructor(limits: ReplicatedLimits) {
    this.now = limits;
    this.holdingsMaxEver = limits.holdingsPerSessionMax;
  }

  /** The answer. */
  set({ limits, by }: SetLimits): string {
    if (!isText(by, this.now.metaBytesMax) || !areLimits(limits)) return 'INVALID';
    this.now = limits;
    this.holdingsMaxEver = Math.max(this.holdingsMaxEver, limits.holdingsPerSessionMax);
    return 'DONE';
  }
}
