// The stored form of an answer, inside the row of a frozen record.

import type { RowValue } from './machine-types.ts';
import type { GhostView, HolderView, Outcome, TenantView } from './outcomes.ts';

/**
 * Positional value of an outcome. The texts of refusals are part of it, hence of the replicated
 * state: rewording one is a change of what apply does.
 */
export function outcomeRow(outcome: Outcome): RowValue {
  switch (outcome.code) {
    case 'OPENED':
      return [outcome.code, outcome.session, outcome.ttlMs, outcome.lockDelayMs];
    case 'GRANTED':
      return [outcome.code, outcome.token, outcome.slots];
    case 'QUEUED':
      return [outcome.code, outcome.ahead];
    case 'DONE':
      return [outcome.code];
    case 'LOCK_BUSY':
      return [
        outcome.code,
        outcome.name,
        holderRow(outcome.holder),
        ghostRow(outcome.ghost),
        outcome.aheadIndex,
      ];
    case 'ENDED':
      return [outcome.code, outcome.cause, outcome.token];
    default:
      return [outcome.code, outcome.message];
  }
}

function holderRow(holder: HolderView | null): RowValue {
  if (holder === null) return null;
  const { sessionMeta, meta, value, sinceMs } = holder;
  return [...tenantRow(holder), sessionMeta, meta, value, sinceMs];
}

function ghostRow(ghost: GhostView | null): RowValue {
  return ghost === null ? null : [...tenantRow(ghost), ghost.lockDelayMs, ghost.closedAt];
}

function tenantRow(tenant: TenantView): readonly RowValue[] {
  const { token, session, acquireSeq, mode, permits, slots, sessionName } = tenant;
  return [token, session, acquireSeq, mode, permits, slots, sessionName];
}
