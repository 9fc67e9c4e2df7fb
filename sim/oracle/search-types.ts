import type { SessionId, Token } from '../../src/base/units.ts';
import type { RequestItem } from '../../src/locks/commands.ts';

/** A grant as its token, its session and its acquire name it. */
export interface Holder {
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly token: Token;
  /** What it asked for of this lock. */
  readonly item: Pick<RequestItem, 'mode' | 'permits'>;
}

/** Which holders are meant; null is whatever. */
export interface Pattern {
  readonly session: SessionId | null;
  readonly acquireSeq: number | null;
  readonly token: Token | null;
}

/** What somebody did to one lock, or learnt of it. */
export type Act =
  | { readonly kind: 'grant'; readonly holder: Holder }
  /** Removes those. `finds`: whether there were any, as far as the answer told. */
  | { readonly kind: 'free'; readonly of: Pattern; readonly finds: 'some' | 'none' | 'any' }
  /** Removes all of the session, and it is granted nothing afterwards. */
  | { readonly kind: 'end'; readonly session: SessionId }
  /** One of those holds it. */
  | { readonly kind: 'see'; readonly of: Pattern }
  /** Exactly these hold it. */
  | { readonly kind: 'look'; readonly tokens: readonly Token[] };

/**
 * An act with the span in which it took effect, in orders of a history. `end` is Infinity for one
 * of which nobody heard: it may have happened, or not.
 */
export interface KeyOperation {
  readonly start: number;
  readonly end: number;
  readonly act: Act;
}

/** Whether these two cannot hold the lock at once, whoever else does. */
export function isConflict({ item: left }: Holder, { item: right }: Holder): boolean {
  if (left.permits === null || right.permits === null) {
    return left.permits !== right.permits || left.mode !== 'shared' || right.mode !== 'shared';
  }
  return left.permits[0] + right.permits[0] > left.permits[1];
}

/** Whether it can hold the lock together with all of those. */
export function hasRoom(holder: Holder, others: readonly Holder[]): boolean {
  if (others.some((other) => isConflict(other, holder))) return false;
  if (holder.item.permits === null) return true;
  const [taken, total] = holder.item.permits;
  return others.reduce((sum, { item }) => sum + (item.permits?.[0] ?? 0), taken) <= total;
}

/** Whether a holder is among those that are meant. */
export function isMeant(
  holder: Omit<Holder, 'item'>,
  { session, acquireSeq, token }: Pattern,
): boolean {
  return (
    (session === null || session === holder.session) &&
    (acquireSeq === null || acquireSeq === holder.acquireSeq) &&
    (token === null || token === holder.token)
  );
}
