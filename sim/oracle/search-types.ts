import type { SessionId, Token } from '../../src/base/units.ts';

/** A grant as its token, its session and its acquire name it. */
export interface Holder {
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly token: Token;
  readonly isShared: boolean;
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

/** Whether a holder is among those that are meant. */
export function isMeant(holder: Holder, { session, acquireSeq, token }: Pattern): boolean {
  return (
    (session === null || session === holder.session) &&
    (acquireSeq === null || acquireSeq === holder.acquireSeq) &&
    (token === null || token === holder.token)
  );
}
