import { HoldfastError } from '../base/error.ts';
import type { ErrorCode, ErrorDetails } from '../base/error.ts';

/** Why a session or a grant is over. The first reason stays. */
export interface Loss {
  readonly code: Extract<
    ErrorCode,
    'SESSION_GONE' | 'BROKEN' | 'CLOSED' | 'UNAVAILABLE' | 'EVENT_LOOP_BLOCKED' | 'CLUSTER_CHANGED'
  >;
  readonly text: string;
  readonly details: ErrorDetails;
}

/** The reason that a signal carries. `what` names what was lost. */
export function lossReason(what: string, loss: Loss): HoldfastError {
  return new HoldfastError(loss.code, `${what} is lost: ${loss.text}`, { details: loss.details });
}

/** `"a"`, or `"a" and 2 more`. */
export function nameList(names: readonly string[]): string {
  const first = JSON.stringify(names[0] ?? '');
  return names.length > 1 ? `${first} and ${names.length - 1} more` : first;
}
