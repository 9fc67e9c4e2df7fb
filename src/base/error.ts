// The one error class of the product. Messages may change; codes may not.

import { ERROR_CODES } from './error-codes.ts';
import type { ErrorCode, RequestOutcome } from './error-codes.ts';

export { ERROR_CODES, isErrorCode } from './error-codes.ts';
export type { ErrorCode, ErrorCodeInfo, RequestOutcome } from './error-codes.ts';

/** Facts beside the message, such as the holder of a busy lock; the code says which. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** What an error knows beyond its code; `outcome` overrides the code's. */
export interface HoldfastErrorOptions {
  /** What is known of the request's effect; what the code says unless given. */
  readonly outcome?: RequestOutcome;
  /** Facts beside the message. */
  readonly details?: ErrorDetails;
  /** What is behind it. */
  readonly cause?: unknown;
}

const MARK = 'holdfast.error';

/** Every error that reaches a user. Its `code` is stable and listed in docs/errors.md. */
export class HoldfastError extends Error {
  /** The name of this class, in every copy of the package. */
  override readonly name = 'HoldfastError';
  /** How an error of another copy of the package is recognised: see `is`. */
  readonly mark = MARK;
  /** What went wrong; programs decide by it. */
  readonly code: ErrorCode;
  /** What is known of the request's effect. */
  readonly outcome: RequestOutcome;
  /** Whether the same request may be sent again without new information. */
  readonly retryable: boolean;
  /** Facts beside the message; docs/errors.md says which. */
  readonly details: ErrorDetails;

  /** `message` is prefixed with the code. */
  constructor(code: ErrorCode, message: string, options: HoldfastErrorOptions = {}) {
    super(`${code}: ${message}`, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.outcome = options.outcome ?? ERROR_CODES[code].outcome;
    this.retryable = ERROR_CODES[code].retryable;
    this.details = options.details ?? {};
  }

  /** True for an error of this class, from another copy of the package too. */
  static is(value: unknown): value is HoldfastError {
    return value instanceof Error && 'mark' in value && value.mark === MARK;
  }
}

/** How a value that was refused is shown in a message: shortened, with its type. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `${JSON.stringify(value.slice(0, 80))}, a string`;
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
    return `${String(value)}, a ${typeof value}`;
  }
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
