import type { Command, RequestItem } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import { fits } from './model-locks.ts';
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

type Granted = Extract<LockEvent, { readonly type: 'granted' }>;

/** The invariant that a difference breaks; the first one that fits. */
export function accuse(difference: Difference): OracleName {
  const { step, command, missing, extra } = difference;
  const has = (facts: readonly LockEvent[], ...types: LockEvent['type'][]): boolean =>
    facts.some((fact) => types.includes(fact.type));
  const removals = ['left', 'freed', 'sessionEnded', 'lifted'] as const;
  if (!step.isExecuted) return 'INV-14';
  if (has(step.facts, 'sessionEnded') && has(missing, ...removals)) return 'INV-18';
  if (['expireSession', 'withdraw', 'liftDelay', 'liftEmbargo'].includes(command.op)) {
    // By the leader's own will, and not due: a belief may still stand.
    if (has(extra, ...removals)) return 'INV-17';
  }
  // The lock-delay protects what its holder still does (RAFT.md §13).
  if (has(missing, 'delayed')) return 'INV-17';
  for (const fact of extra) if (fact.type === 'granted') return accuseGrant(fact, difference);
  if (has(missing, 'granted', 'lifted') || has(extra, 'delayed')) return 'LIV-6';
  if (has(extra, 'freed')) return 'INV-15';
  if (has(extra, 'left')) return 'INV-19';
  if (has(missing, 'leaseChanged') || has(extra, 'leaseChanged')) return 'INV-17';
  return 'INV-12';
}

// Somebody has it already, or is dead; else it was not its turn.
function accuseGrant(granted: Granted, { step, command, missing, model }: Difference): OracleName {
  const { session, acquireSeq, names } = granted;
  const isIt = (fact: LockEvent): boolean =>
    fact.type === 'granted' && fact.session === session && fact.acquireSeq === acquireSeq;
  const right = missing.find(isIt);
  // It was to be granted, and so it was, but not that: others may have these slots.
  if (right?.type === 'granted') {
    return JSON.stringify(right.slots) === JSON.stringify(granted.slots) ? 'INV-12' : 'INV-15';
  }
  if (!model.isAlive(session)) return 'INV-15';
  // Clients of the cluster that was restored may believe.
  if (!model.embargo.admits(names)) return 'INV-17';
  const isTaken = names.some((name) => {
    const lock = model.locks.find(name);
    if (lock === null) return false;
    const isOther = (claim: (typeof lock.queue)[number]): boolean =>
      claim.request.session.id !== session || claim.request.seq !== acquireSeq;
    const own = lock.queue.find((claim) => !isOther(claim));
    const item = own ?? askedFor(command, name);
    // Who gets it by this very entry did not have it yet.
    const holders = lock.holders.filter(
      (claim) => isOther(claim) && claim.request.token !== step.index,
    );
    return !fits(item, { holders, ghosts: lock.ghosts, queue: [] });
  });
  return isTaken ? 'INV-15' : 'INV-19';
}

function askedFor(command: Command, name: string): RequestItem {
  const items = command.op === 'acquire' ? command.items : [];
  const asked = items.find((item) => item.name === name);
  return asked ?? { name, mode: 'exclusive', permits: null };
}
