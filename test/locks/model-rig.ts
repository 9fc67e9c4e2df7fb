// How a machine and the plain model are compared: answers and places in one line each.

import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { Outcome } from '../../src/locks/outcomes.ts';
import type { Model } from './model.ts';
import type { Verdict } from './model-needs.ts';

/** What the model would say of this answer. */
export function verdictOf(outcome: Outcome): Verdict {
  switch (outcome.code) {
    case 'OPENED':
      return [outcome.code, outcome.session, outcome.ttlMs, outcome.lockDelayMs];
    case 'GRANTED':
      return [outcome.code, outcome.token, JSON.stringify(outcome.slots)];
    case 'QUEUED':
      return [outcome.code, outcome.ahead];
    case 'ENDED':
      return [outcome.code, outcome.cause, outcome.token];
    case 'LOCK_BUSY': {
      const { code, name, holder, ghost, aheadIndex } = outcome;
      const first = [holder?.token ?? null, holder?.session ?? null];
      return [code, name, ...first, ghost?.token ?? null, ghost?.session ?? null, aheadIndex];
    }
    default:
      return [outcome.code];
  }
}

/** Holders, then ghosts, then waiters, each in its order. */
export function placesOf(machine: LockMachine, name: string): readonly string[] {
  const { holders, ghosts, waiters } = machine.inspect(name);
  return [
    ...holders.map((one) => {
      return heldText({ name, ...one, seq: one.acquireSeq, slots: one.slots });
    }),
    ...ghosts.map((one) => ghostText({ name, ...one, seq: one.acquireSeq })),
    ...waiters.map((one) => waitText({ name, ...one, seq: one.acquireSeq })),
  ];
}

/** The same of the model. */
export function placesOfModel(model: Model, name: string): readonly string[] {
  const held = model.asking(name, true).map((request) => {
    const at = request.items.findIndex((item) => item.name === name);
    return heldText({ ...request, name, slots: request.slots[at] ?? [] });
  });
  const ghosts = model.ghosts.filter((ghost) => ghost.item.name === name);
  return [
    ...held,
    ...ghosts.map((ghost) => ghostText({ ...ghost, name })),
    ...model.asking(name, false).map((request) => waitText({ ...request, name })),
  ];
}

interface Place {
  readonly name: string;
  readonly session: string;
  readonly seq: number;
}

interface Held extends Place {
  readonly token: number;
  readonly slots: readonly number[];
  readonly value: string | null;
}

/** A grant of a name in one line. */
export function heldText({ name, session, seq, token, slots, value }: Held): string {
  return `${name}:${session}:${seq}:${token}:${String(slots)}:${String(value)}`;
}

/** A ghost likewise. */
export function ghostText({
  name,
  session,
  seq,
  closedAt,
}: Place & { readonly closedAt: number }): string {
  return `${name}:${session}:${seq}:closed at ${closedAt}`;
}

/** A waiter likewise. */
export function waitText({ name, session, seq }: Place): string {
  return `${name}:${session}:${seq}:waits`;
}
