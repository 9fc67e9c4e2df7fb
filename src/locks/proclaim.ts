// The value of an election's grant.

import type { Proclaim } from './commands.ts';
import type { Outcome } from './outcomes.ts';
import type { Session } from './state.ts';
import type { Step } from './step.ts';

/** Replaces the value of a grant. */
export function proclaim(_step: Step, _session: Session, command: Proclaim): Outcome {
  return { code: 'NOT_HOLDER', message: `nobody holds ${command.name}` };
}
