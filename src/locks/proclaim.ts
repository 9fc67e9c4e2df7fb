// The value of an election's grant.

import type { Proclaim } from './commands.ts';
import { findGrant } from './naming.ts';
import type { Outcome } from './outcomes.ts';
import { Request } from './state.ts';
import type { Session } from './state.ts';
import { tell } from './step.ts';
import type { Step } from './step.ts';
import { valueProblem } from './validation.ts';

/** Replaces the value of a grant, which is named and checked as for a release. */
export function proclaim(step: Step, session: Session, command: Proclaim): Outcome {
  const { value } = command;
  const problem = valueProblem(value, step.state.rules.limits);
  if (problem !== null) return { code: 'INVALID', message: problem };
  const grant = findGrant(step.state, session, command);
  if (!(grant instanceof Request)) return grant;
  grant.value = value;
  step.state.rows.touch(grant);
  tell(step, {
    type: 'proclaimed',
    session: session.id,
    acquireSeq: grant.seq,
    token: grant.token,
    names: grant.names(),
    value,
  });
  return { code: 'DONE' };
}
