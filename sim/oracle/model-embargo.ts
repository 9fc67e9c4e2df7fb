// Nothing is granted for a while after a restore (RAFT.md §13, §15.7): clients of the old cluster
// may still believe. Then names are opened again in their order, some waiters with each entry.

import type { Term } from '../../src/base/units.ts';
import type { LiftEmbargo } from '../../src/locks/commands.ts';
import type { ModelLocks } from './model-locks.ts';
import type { ModelRequest } from './model-state.ts';

/** Waiters that one entry tests. */
const LIFTED_MAX = 1_000;

/** The embargo of one cluster; most have none. */
export class ModelEmbargo {
  private isOn = false;
  /** Names up to here are open; null: none. */
  private cursor: string | null = null;

  begin(): void {
    this.isOn = true;
    this.cursor = null;
  }

  /** Whether a request for these names may be granted. */
  admits({ names }: Pick<ModelRequest, 'names'>): boolean {
    const { isOn, cursor } = this;
    return !isOn || (cursor !== null && names.every((name) => name <= cursor));
  }

  /** The names whose waiters the entry tests; none unless it goes on from where this stands. */
  lift({ proposerTerm, afterName }: LiftEmbargo, term: Term, locks: ModelLocks): readonly string[] {
    if (!this.isOn || proposerTerm !== term || afterName !== this.cursor) return [];
    const names: string[] = [];
    let tested = 0;
    for (const [name, waiters] of locks.queues()) {
      if (afterName !== null && name <= afterName) continue;
      if (tested >= LIFTED_MAX) {
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
