// Nothing is granted for a while after a restore (RAFT.md §13, §15.7): clients of the old cluster
// may still believe. Then names are opened again in their order, some waiters with each entry.

import { compareUtf8 } from '../../src/base/name.ts';
import type { Term } from '../../src/base/units.ts';
import type { LiftEmbargo } from '../../src/locks/commands.ts';
import type { ModelLimits } from './model-limits.ts';
import type { ModelLocks } from './model-locks.ts';

/** Waiters that one entry tests at most, but for those of its last name. */
const TESTED_MAX = 1_000;

/** The embargo of one cluster; most have none. */
export class ModelEmbargo {
  private isOn = false;
  /** Names up to here are open; null: none. */
  private cursor: string | null = null;

  begin(): void {
    this.isOn = true;
    this.cursor = null;
  }

  end(): void {
    this.isOn = false;
  }

  /** Whether a request for these names may be granted. */
  admits(names: readonly string[]): boolean {
    const { isOn, cursor } = this;
    return !isOn || (cursor !== null && names.every((name) => compareUtf8(name, cursor) <= 0));
  }

  /**
   * The names that the entry opens; none unless it goes on from where this stands. It looks at no
   * more of them than a session may hold.
   */
  lift(
    { proposerTerm, afterName }: LiftEmbargo,
    term: Term,
    at: { readonly locks: ModelLocks; readonly limits: ModelLimits },
  ): readonly string[] {
    if (!this.isOn || proposerTerm !== term || afterName !== this.cursor) return [];
    const namesMax = at.limits.now.holdingsPerSessionMax;
    const names: string[] = [];
    let tested = 0;
    for (const [name, waiters] of at.locks.queues()) {
      if (afterName !== null && compareUtf8(name, afterName) <= 0) continue;
      if (names.length === namesMax || tested >= Math.min(namesMax, TESTED_MAX)) {
        this.cursor = names.at(-1) ?? this.cursor;
        return names;
      }
      names.push(name);
      tested += waiters;
    }
    this.isOn = false;
    return names;
  }
}
