import { HoldfastError } from '../base/error.ts';
import type { ErrorCode, ErrorDetails } from '../base/error.ts';
import type { Token } from '../base/units.ts';

/** The codes with which a session or a grant can be lost; see base/error.ts and guarantees.md. */
export const LOSS_CODES = [
  // The cluster tells of the end of the session; SESSION_GONE: without its cause.
  'SESSION_EXPIRED',
  'SESSION_ENDED',
  'SESSION_GONE',
  // The lease could not be renewed.
  'UNAVAILABLE',
  'EVENT_LOOP_BLOCKED',
  'CLUSTER_CHANGED',
  // Of one grant alone.
  'BROKEN',
  'HOLD_OVER',
  'HANDED_OVER',
  // By this process.
  'CLOSED',
] as const satisfies readonly ErrorCode[];

/** Why a session or a grant is over. The first reason stays. */
export interface Loss {
  readonly code: (typeof LOSS_CODES)[number];
  readonly text: string;
  readonly details: ErrorDetails;
}

/** The reason that a signal carries. `what` names what was lost. */
export function lossReason(what: string, loss: Loss): HoldfastError {
  return new HoldfastError(loss.code, `${what} is lost: ${loss.text}`, { details: loss.details });
}

/** How messages name a grant. */
export function grantName(grant: { names: readonly string[]; token: Token }): string {
  return `the lock ${nameList(grant.names)} (token ${grant.token})`;
}

/** `"a"`, or `"a" and 2 more`. */
export function nameList(names: readonly string[]): string {
  const first = JSON.stringify(names[0] ?? '');
  return names.length > 1 ? `${first} and ${names.length - 1} more` : first;
}
