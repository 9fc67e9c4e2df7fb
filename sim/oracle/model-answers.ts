// Answers in one line, without the texts that are for people: as the model tells them, and as the
// product does.

import type { Outcome } from '../../src/locks/outcomes.ts';
import type { InTheWay } from './model-locks.ts';
import type { ModelRequest, ModelSession } from './model-state.ts';

/** OPENED, as the model has it. */
export function opened({ id, open }: ModelSession): string {
  return `OPENED ${id} ${open.ttlMs} ${open.lockDelayMs}`;
}

/** GRANTED, as the model has it. */
export function granted(request: ModelRequest): string {
  return `GRANTED ${request.token} ${JSON.stringify(slotsOf(request))}`;
}

/** One list of slots for each name; none at all without a semaphore. */
export function slotsOf({ claims }: ModelRequest): readonly (readonly number[])[] {
  const isPlain = claims.every(({ permits }) => permits === null);
  return isPlain ? [] : claims.map(({ slots }) => slots);
}

/** LOCK_BUSY, as the model has it. */
export function busy({ name, holder, ghost, waiter }: InTheWay): string {
  const owner = holder ?? ghost;
  const who = owner === null ? '' : ` ${owner.request.token} of ${owner.request.session.id}`;
  const ahead = waiter === null ? 0 : waiter.request.index;
  return `LOCK_BUSY ${name}${who} ${ghost?.closedAt ?? 0} ${ahead}`;
}

/** What the product answered. */
export function answerOf(outcome: Outcome): string {
  switch (outcome.code) {
    case 'OPENED':
      return `OPENED ${outcome.session} ${outcome.ttlMs} ${outcome.lockDelayMs}`;
    case 'GRANTED':
      return `GRANTED ${outcome.token} ${JSON.stringify(outcome.slots)}`;
    case 'QUEUED':
      return `QUEUED ${outcome.ahead}`;
    case 'LOCK_BUSY': {
      const { name, holder, ghost, aheadIndex } = outcome;
      const owner = holder ?? ghost;
      const who = owner === null ? '' : ` ${owner.token} of ${owner.session}`;
      return `LOCK_BUSY ${name}${who} ${ghost?.closedAt ?? 0} ${aheadIndex}`;
    }
    case 'ENDED':
      return `ENDED ${outcome.cause} ${outcome.token}`;
    default:
      return outcome.code;
  }
}
