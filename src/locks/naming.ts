// Which grants a command means. All parts of a grant's name are checked here, in apply: the lock,
// the token, and the session with the number of its acquire.

import type { SessionId, Token } from '../base/units.ts';
import { firstHolders } from './lock-table.ts';
import type { Outcome } from './outcomes.ts';
import type { Lock, Request, Session } from './state.ts';
import type { LockState } from './step.ts';
import { quote } from './validation.ts';

/** How a session names one of its grants. */
export interface GrantName {
  readonly name: string;
  readonly token: Token;
  /** null: its only grant of that lock with that token. */
  readonly acquireSeq: number | null;
}

/** The one grant of the session with this name, or the answer if there is none or several. */
export function findGrant(
  state: LockState,
  session: Session,
  wanted: GrantName,
): Request | Outcome {
  const matches = ownGrants(state, session, wanted);
  const request = matches[0];
  if (request === undefined) return notHolder(state, wanted, session.id);
  if (matches.length === 1) return request;
  const count = `${matches.length} grants of ${quote(wanted.name)} with token ${wanted.token}`;
  return { code: 'INVALID', message: `acquireSeq must be given: the session has ${count}` };
}

/** Grants of a lock with this token, of one session or (null) of all, oldest acquire first. */
export function grantsOf(
  lock: Lock | null,
  token: Token,
  session: SessionId | null,
): readonly Request[] {
  if (lock === null) return [];
  const holders = lock.crowd?.holdersWith(token) ?? firstHolders(lock, 1);
  return holders
    .map((holder) => holder.request)
    .filter((request) => request.token === token)
    .filter((request) => session === null || request.session.id === session);
}

/** The refusal of a command that names a grant which is not there. */
export function notHolder(
  state: LockState,
  wanted: { readonly name: string; readonly token: Token },
  session: SessionId | null,
): Outcome {
  const lock = state.locks.find(wanted.name);
  const who = session === null ? 'nobody holds' : `session ${quote(session)} does not hold`;
  const what = `${quote(wanted.name)} with token ${String(wanted.token)}`;
  return { code: 'NOT_HOLDER', message: `${who} ${what}: ${presentHolders(lock)}` };
}

/**
 * One that names its acquire is found without a look at any other. Without, a crowd is not looked
 * through either, for thousands may share its token: what the session has is fewer.
 */
function ownGrants(
  { locks }: LockState,
  session: Session,
  { name, token, acquireSeq }: GrantName,
): readonly Request[] {
  if (acquireSeq !== null) {
    const request = session.requests.get(acquireSeq);
    return request !== undefined && isGrant(request, name, token) ? [request] : [];
  }
  const lock = locks.find(name);
  if (lock === null || lock.crowd === null) return grantsOf(lock, token, session.id);
  return [...session.requests.values()].filter((request) => isGrant(request, name, token));
}

function isGrant(request: Request, name: string, token: Token): boolean {
  if (!request.isGranted() || request.token !== token) return false;
  return request.isOf(name);
}

function presentHolders(lock: Lock | null): string {
  const first = lock === null ? [] : firstHolders(lock, 3);
  const tokens = first.map((holder) => holder.request.token);
  return tokens.length === 0 ? 'nobody holds it' : `held with token ${tokens.join(', ')}`;
}
