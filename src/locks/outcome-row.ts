// The stored form of an answer, inside the row of a frozen record.

import type { RowValue } from './machine-types.ts';
import type { GhostView, HolderView, Outcome, TenantView } from './outcomes.ts';
import { readMode, readPermits, readSlots } from './item-row.ts';
import type { RowReader } from './row-reader.ts';

/** Answers that are over with their request; of a live one nothing is frozen. */
const FROZEN_CODES = ['DONE', 'LOCK_BUSY', 'ENDED', 'NOT_HOLDER', 'INVALID', 'EMBARGO'] as const;
const END_CAUSES = ['released', 'cancelled', 'withdrawn', 'broken'] as const;

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

/** Throws RowError for what is no stored answer. */
export function readOutcomeRow(row: RowReader): Outcome {
  const code = row.choice('the code', FROZEN_CODES);
  switch (code) {
    case 'DONE':
      return row.done({ code });
    case 'LOCK_BUSY':
      return row.done({
        code,
        name: row.text('the name'),
        holder: readHolder(row.listOrNull('the holder')),
        ghost: readGhost(row.listOrNull('the ghost')),
        aheadIndex: row.whole('the index ahead', 0),
      });
    case 'ENDED':
      return row.done({
        code,
        cause: row.choice('the cause', END_CAUSES),
        token: row.whole('the token', 0),
      });
    default:
      return row.done({ code, message: row.text('the message') });
  }
}

function readHolder(row: RowReader | null): HolderView | null {
  if (row === null) return null;
  return row.done({
    ...readTenant(row),
    sessionMeta: row.text('the metadata of the session'),
    meta: row.text('the metadata'),
    value: row.textOrNull('the value'),
    sinceMs: row.whole('the time', 0),
  });
}

function readGhost(row: RowReader | null): GhostView | null {
  if (row === null) return null;
  return row.done({
    ...readTenant(row),
    lockDelayMs: row.whole('the lock-delay', 0),
    closedAt: row.whole('the closing entry', 1),
  });
}

function readTenant(row: RowReader): TenantView {
  return {
    token: row.whole('the token', 1),
    session: row.text('the session'),
    acquireSeq: row.whole('the acquire', 1),
    mode: readMode(row),
    permits: readPermits(row),
    slots: readSlots(row.list('the slots')),
    sessionName: row.text('the name of the session'),
  };
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
