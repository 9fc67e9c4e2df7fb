// From a row's key to the piece of state that it names.

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
  const [kind, indexText = '', seqText = ''] = key.split('/');
  const session = state.sessions.opened(Number.parseInt(indexText, 16));
  if (session === null) return null;
  if (kind === 's') return session;
  const seq = Number.parseInt(seqText, 16);
  if (kind === 'r') return session.records.get(seq) ?? null;
  return session.requests.get(seq) ?? null;
}
