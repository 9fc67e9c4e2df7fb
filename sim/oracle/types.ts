import type { Index, NodeId, Term } from '../../src/base/units.ts';
import type { Command } from '../../src/locks/commands.ts';
import type { LockEvent, Outcome } from '../../src/locks/outcomes.ts';

/** An entry of the one log that all nodes agree on, as the first node that applied it saw it. */
export interface CommittedEntry {
  readonly index: Index;
  readonly term: Term;
  /** null for no-ops, configurations and what nobody can read. */
  readonly command: Command | null;
  readonly outcome: Outcome | null;
  readonly events: readonly LockEvent[];
  /** Virtual time at which the first node applied it. */
  readonly atUs: number;
  readonly by: NodeId;
}

/** The committed log of a run, in index order without gaps from the first entry on. */
export interface CommittedLog {
  readonly entries: readonly CommittedEntry[];
  at(index: Index): CommittedEntry | undefined;
}
