import type { Command } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { LockModel } from './model.ts';
import type { ModelStep } from './model-state.ts';
import type { OracleName } from './verdict.ts';

/** An entry that came to something else than the model says. */
export interface Difference {
  readonly step: ModelStep;
  readonly command: Command;
  readonly missing: readonly LockEvent[];
  readonly extra: readonly LockEvent[];
  /** In the state after the entry. */
  readonly model: LockModel;
}

/** The invariant that a difference breaks; the first one that fits. */
export function accuse({ step, command, missing, extra, model }: Difference): OracleName {
  const has = (facts: readonly LockEvent[], ...types: LockEvent['type'][]): boolean =>
    facts.some((fact) => types.includes(fact.type));
  const removals = ['left', 'freed', 'sessionEnded'] as const;
  if (!step.isExecuted) return 'INV-14';
  if (has(step.facts, 'sessionEnded') && has(missing, ...removals)) return 'INV-18';
  if (command.op === 'expireSession' || command.op === 'withdraw') {
    // By the leader's own will, and not due: a belief may still stand.
    if (has(extra, ...removals)) return 'INV-17';
  }
  for (const fact of extra) if (fact.type === 'granted') return accuseGrant(fact, step, model);
  if (has(missing, 'granted')) return 'LIV-6';
  if (has(extra, 'freed')) return 'INV-15';
  if (has(extra, 'left')) return 'INV-19';
  if (has(missing, 'leaseChanged') || has(extra, 'leaseChanged')) return 'INV-17';
  return 'INV-12';
}

// Somebody has it already, or is dead; else it was not its turn.
function accuseGrant(
  { session, acquireSeq, names }: Extract<LockEvent, { readonly type: 'granted' }>,
  { index }: ModelStep,
  model: LockModel,
): OracleName {
  if (!model.isAlive(session)) return 'INV-15';
  for (const name of names) {
    const first = model.lines.first(name);
    const isOther = first?.session.id !== session || first.seq !== acquireSeq;
    // Who gets it by this very entry did not have it yet.
    const hadIt = first !== null && first.token > 0 && first.token !== index;
    if (hadIt && isOther) return 'INV-15';
  }
  return 'INV-19';
}
