import { ERROR_CODES, HoldfastError, isErrorCode } from '../base/error.ts';
import type { ErrorDetails, RequestOutcome } from '../base/error.ts';
import { Failure } from './exit-code.ts';

/** Why a command ended, for programs: what an error of the library has. */
export interface ErrorJson {
  /** Of docs/errors.md, or one of this program's own, such as USAGE. */
  readonly code: string;
  readonly message: string;
  readonly outcome: RequestOutcome;
  readonly retryable: boolean;
  /** Facts beside the message; `cause` is the code of the error behind this one. */
  readonly details: ErrorDetails;
}

/** Whatever refuses the command itself: nothing was asked of the cluster. */
const OWN = { outcome: 'none', retryable: false } as const;

/** Anything that a command may throw, as an object. */
export function errorJson(error: unknown): ErrorJson {
  if (HoldfastError.is(error)) {
    const { code, message, outcome, retryable, cause } = error;
    const why = HoldfastError.is(cause) ? { cause: cause.code } : {};
    return { code, message, outcome, retryable, details: { ...error.details, ...why } };
  }
  const message = errorText(error);
  const code = /^([A-Z_]+): /.exec(message)?.[1] ?? 'INTERNAL';
  const { outcome, retryable } = isErrorCode(code) ? ERROR_CODES[code] : OWN;
  return { code, message, outcome, retryable, details: {} };
}

/** Anything that a command may throw, as `CODE: what and why`. */
export function errorText(error: unknown): string {
  if (error instanceof Failure || HoldfastError.is(error)) return error.message;
  if (error instanceof Error) return `INTERNAL: ${error.message}`;
  return `INTERNAL: ${String(error)}`;
}

/** The same without its code, for a line that begins with another one. */
export function errorSentence(error: unknown): string {
  return errorText(error).replace(/^[A-Z_]+: /, '');
}
