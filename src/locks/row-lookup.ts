// From a row's key to the piece of state that it names.

import type { Ghost, GhostPlace } from './ghost.ts';
import type { Row } from './machine-types.ts';
import type { StateRow } from './rows.ts';
import type { LockState } from './step.ts';

/** The present row with this key; null if there is none, or if the text is no key. */
export function findRow(state: LockState, key: string): Row | null {
  const piece = findPiece(state, key);
  if (piece === null || piece.rowKey() !== key) return null;
  return { key, value: piece.rowValue() };
}

function findPiece(state: LockState, key: string): StateRow | null {
  const [kind, indexText = '', seqText = '', ...rest] = key.split('/');
  const index = Number.parseInt(indexText, 16);
  const seq = Number.parseInt(seqText, 16);
  if (kind === 'd') return findGhost(state, rest.join('/'), { closedAt: index, acquireSeq: seq });
  const session = state.sessions.opened(index);
  if (session === null) return null;
  if (kind === 's') return session;
  if (kind === 'r') return session.records.get(seq) ?? null;
  return session.requests.get(seq) ?? null;
}

function findGhost(state: LockState, name: string, place: GhostPlace['grant']): Ghost | null {
  return state.locks.find(name)?.crowd?.ghostAt(place) ?? null;
}
