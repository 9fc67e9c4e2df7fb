// All that has a row, found anew from the tables.

import type { StateRow } from './rows.ts';
import type { LockState } from './step.ts';

/** Every piece of the state, each once. The state must not change meanwhile. */
export function* piecesOf({ rules, sessions, locks }: LockState): Iterable<StateRow> {
  if (rules.isStored()) yield rules;
  for (const name of locks.names()) yield* locks.find(name)?.crowd?.ghosts(Infinity) ?? [];
  for (const session of sessions.all()) {
    yield session;
    yield* session.records.values();
    yield* session.requests.values();
  }
}
