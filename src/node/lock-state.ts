import { assert } from '../base/assert.ts';
import type { Index, SessionId } from '../base/units.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type { SessionView } from '../locks/outcomes.ts';

/**
 * The lock machine that is in force, and how far it is. A checkpoint that comes from the leader
 * puts another machine in its place (RAFT.md §9: it replaces, never merges); so nobody keeps the
 * machine itself, everybody asks here.
 */
export class LockState {
  private held: LockMachine;
  private applied: Index;

  /** `appliedIndex`: everything up to there is in the machine. */
  constructor(machine: LockMachine, appliedIndex: Index) {
    this.held = machine;
    this.applied = appliedIndex;
  }

  get machine(): LockMachine {
    return this.held;
  }

  /** Index of the last entry that the machine contains. */
  get appliedIndex(): Index {
    return this.applied;
  }

  session(id: SessionId): SessionView | null {
    return this.held.session(id);
  }

  ttlMsOf(id: SessionId): number | null | undefined {
    return this.held.ttlMsOf(id);
  }

  /** This entry is in the machine now. */
  advance(index: Index): void {
    assert(index === this.applied + 1, 'entries are applied in order, each once (INV-9)');
    this.applied = index;
  }

  /** Another machine is in force, which contains everything up to `index`. */
  replace(machine: LockMachine, index: Index): void {
    assert(index > this.applied, 'a checkpoint never takes the state back (INV-9)');
    this.held = machine;
    this.applied = index;
  }
}
