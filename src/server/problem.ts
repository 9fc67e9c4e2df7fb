// Errors as RFC 9457 problem documents. Code, outcome and retryable are those of the library.

import { ERROR_CODES } from '../base/error.ts';
import type { ErrorCode, RequestOutcome, HoldfastError } from '../base/error.ts';

/** The body of every answer that is not a success. Details of the error are members too. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly outcome: RequestOutcome;
  readonly retryable: boolean;
}

const RETRY_AFTER_S = '1';

/** Where the code's own status and meaning do not say it: 307, 404, 405. */
export interface ProblemOptions {
  readonly status?: number;
  readonly title?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A problem as a response. */
export function problemResponse(error: HoldfastError, options: ProblemOptions = {}): Response {
  const status = options.status ?? ERROR_CODES[error.code].httpStatus;
  const problem: Problem = {
    ...error.details,
    type: `urn:holdfast:error:${error.code}`,
    title: options.title ?? ERROR_CODES[error.code].meaning,
    status,
    detail: error.message,
    code: error.code,
    outcome: error.outcome,
    retryable: error.retryable,
  };
  const retry: Record<string, string> = status === 503 ? { 'Retry-After': RETRY_AFTER_S } : {};
  return new Response(JSON.stringify(problem), {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...retry, ...options.headers },
  });
}
