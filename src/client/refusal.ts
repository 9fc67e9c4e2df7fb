import { HoldfastError } from '../base/error.ts';
import type { ErrorCode } from '../base/error.ts';
import { unreachable } from '../base/assert.ts';
import type { Answer, Reply } from '../wire/client-messages.ts';
import type { Decision } from './exchange.ts';

/** A node did not decide: the same request is sent again. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly code: ErrorCode;
  readonly message: string;
  /** True when this transmission certainly did nothing. */
  readonly isCertain: boolean;
}

/** An answer of a node, understood. */
export type Reading =
  | Refusal
  | Decision
  /** Sending it again would not help. */
  | { readonly kind: 'failure'; readonly error: HoldfastError };

/** Tells what the cluster decided from what a node refused (RAFT.md §12). */
export function readReply(message: Reply | Answer): Reading {
  const { revision } = message;
  if (message.type === 'answer') {
    const { result } = message;
    if (result.kind === 'refused') return refused(result.code, result.message);
    return { kind: 'answer', answer: result, revision };
  }
  const { outcome } = message;
  switch (outcome.code) {
    case 'NOT_LEADER':
    case 'OVERLOADED':
    case 'UNAVAILABLE':
    case 'OUTCOME_UNKNOWN':
    case 'NOT_FOUNDED':
    case 'CLUSTER_CHANGED':
    case 'INTERNAL':
    case 'WINDOW':
      return refused(outcome.code, outcome.message);
    case 'OPENED':
    case 'GRANTED':
    case 'QUEUED':
    case 'DONE':
    case 'LOCK_BUSY':
    case 'ENDED':
    case 'NOT_HOLDER':
    case 'SESSION_GONE':
    case 'INVALID':
    case 'STALE_SEQ':
    case 'EMBARGO':
      return { kind: 'outcome', outcome, revision };
    default:
      return unreachable(outcome);
  }
}

function refused(code: ErrorCode, message: string): Reading {
  switch (code) {
    case 'NOT_LEADER':
    case 'OVERLOADED':
    case 'UNAVAILABLE':
    case 'NOT_FOUNDED':
    // Nothing was stored: the same seq may come again once answers are acknowledged.
    case 'WINDOW':
      return { kind: 'refusal', code, message, isCertain: true };
    case 'OUTCOME_UNKNOWN':
    case 'INTERNAL':
      return { kind: 'refusal', code, message, isCertain: false };
    default:
      return { kind: 'failure', error: new HoldfastError(code, message) };
  }
}
