import type { Index } from '../src/base/units.ts';
import type { ReplicatedLimits } from '../src/locks/commands.ts';

/** What a past is made of. */
export interface PastPlan {
  /** From 1: that often a cluster was made of a backup of the one before it. */
  readonly restores: number;
  /** Each time the old cluster was known to be dead for so long. */
  readonly deadMs: number;
  /** A maximum TTL of the first cluster of which its backup does not know; 0: none. */
  readonly raisedMs: number;
  /** Of the last cluster; those before it have one. */
  readonly nodes: number;
  readonly limits: ReplicatedLimits;
  readonly lockDelayMs: number;
  /** Where the log of the first cluster begins. */
  readonly origin: Index;
}
