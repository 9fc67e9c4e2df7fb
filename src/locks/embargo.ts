// The embargo of a restored cluster (RAFT.md §13, §15.7): clients of the old one may still believe
// in what they held, so nothing is granted until their leases are over. Then the waiters are let
// in name by name, in as many entries as it takes.

import { probes } from '../base/probe.ts';
import type { LiftEmbargo, ReplicatedLimits } from './commands.ts';
import { grantPass } from './granting.ts';
import type { LockMachine } from './machine-types.ts';
import type { Outcome } from './outcomes.ts';
import type { Rules } from './rules.ts';
import { touchLock } from './step.ts';
import type { Step } from './step.ts';

/** Waiters that one entry may let in, roughly: those of its last name may be more. */
const WAITERS_MAX = 1_000;

/** How much faster a clock of an old client may believe than ours counts: ρ = 1 % (RAFT.md §14). */
const RATE_PERCENT = 1;

/**
 * How long a restored cluster grants nothing, milliseconds; 0: it grants at once. `machine` is the
 * state of the backup. `deadMs`: the old cluster is known to have been dead for so long.
 * `ttlMsMax`: a maximum TTL that the backup does not know of. If the old cluster was restored
 * itself, and the backup taken under its embargo, clients of the one before may believe as well:
 * for as long as that embargo, whatever is known here of their TTL.
 */
export function embargoMsOf(
  machine: Pick<LockMachine, 'highestTtlMs' | 'embargo'>,
  deadMs: number,
  ttlMsMax = 0,
): number {
  const highestMs = Math.max(machine.highestTtlMs(), ttlMsMax);
  const believedMs = Math.ceil((highestMs * (100 + RATE_PERCENT)) / 100);
  const inheritedMs = machine.embargo()?.embargoMs ?? 0;
  return Math.max(0, Math.max(believedMs, inheritedMs) - deadMs);
}

/**
 * Goes on with the lifting: names above the cursor in their order, until enough of their waiters
 * were tested. What it let pass is open; the entry that meets the last name ends the embargo. An
 * entry of another term was decided by a leader whose clock counts no more; one with another
 * cursor has done its part, or comes too early.
 */
export function liftEmbargo(step: Step, command: LiftEmbargo): Outcome {
  const { rules, rows } = step.state;
  const { embargo } = rules;
  const isDue = embargo !== null && command.proposerTerm === step.term;
  if (!isDue || command.afterName !== embargo.cursor) return { code: 'DONE' };
  const cursor = touchWaiters(step, embargo.cursor ?? '');
  probes.sometimes('embargo-lifted-in-parts', cursor !== null);
  rules.setEmbargo(cursor === null ? null : { ...embargo, cursor }, rows);
  const before = step.events.length;
  grantPass(step);
  probes.sometimes('waiter-granted-by-lifting', step.events.length > before);
  return { code: 'DONE' };
}

/** The answer to who asks for names under embargo and does not want to wait. */
export function refusedByEmbargo({ embargo }: Rules): Outcome {
  probes.reach('embargo-refuses-who-does-not-wait');
  const why = 'the cluster was restored, and clients of the old one may believe in their locks';
  const until = `its leader counts ${embargo?.embargoMs ?? 0} ms from when it was elected`;
  return { code: 'EMBARGO', message: `nothing is granted yet: ${why}; ${until}` };
}

/**
 * The locks with waiters after `after` become touched; gives the last name that was looked at, or
 * null when no name is left. An entry may cost about what the end of a session may.
 */
function touchWaiters(step: Step, after: string): string | null {
  const { locks, rules } = step.state;
  const max = liftMax(rules.limits);
  let last = after;
  let waiters = 0;
  for (const [seen, name] of locks.page('', after, max.names + 1).entries()) {
    if (seen >= max.names || waiters >= max.waiters) return last;
    const lock = locks.find(name);
    last = name;
    if (lock === null || lock.queue === null) continue;
    waiters += lock.queue.size;
    touchLock(step, lock);
  }
  return null;
}

function liftMax({ holdingsPerSessionMax }: ReplicatedLimits): {
  readonly names: number;
  readonly waiters: number;
} {
  return {
    names: holdingsPerSessionMax,
    waiters: Math.min(holdingsPerSessionMax, WAITERS_MAX),
  };
}
