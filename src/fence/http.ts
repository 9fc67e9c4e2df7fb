// A guard before what is written over HTTP: a request without a token, or with a stale one, does
// not reach the handler. Requests that pass are handled one after the other for each resource: else
// one with a former token, let in just before, could write after the first of the next holder.

import { ERROR_CODES, HoldfastError } from '../base/error.ts';
import { checkClaim } from './claim.ts';
import type { CheckedClaim, FenceClaim } from './claim.ts';
import { invalid } from './errors.ts';
import { MISSING_STATUS, claimIn } from './http-headers.ts';
import type { NodeHeaders, WebHeaders } from './http-headers.ts';
import { turnsByName } from './turns.ts';

/** What a guard needs of a request: that of node:http and that of the web have it. */
export interface RequestLike {
  /** Its headers. */
  readonly headers: NodeHeaders | WebHeaders;
}

/** What a guard needs of a response of node:http. */
export interface ResponseLike {
  /** Begins it. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Ends it. */
  end(body: string): unknown;
  /** Whether it is begun. */
  readonly headersSent?: boolean;
  /** Breaks it off. */
  destroy?(): unknown;
}

/** A Response of the web, as a class. */
export type ResponseClass<Answer> = new (
  body: string,
  init: { readonly status: number; readonly headers: Record<string, string> },
) => Answer;

/** What a guard of HTTP may be told. */
export interface HttpFenceOptions<Incoming extends RequestLike> {
  /** Which resource a request writes. What it throws makes the request a malformed one, INVALID. */
  readonly resource: (request: Incoming) => string;
  /**
   * Where tokens are remembered: `memoryFence().present` for what lives in this process, or a call
   * of any other guard. Leave it out when the handler presents the claim in its own write.
   */
  readonly present?: (resource: string, claim: FenceClaim) => unknown;
  /** Told of errors of the handler that are no refusals; for `node` alone. */
  readonly onError?: (error: unknown) => void;
}

/** See httpFence. */
export interface HttpFence<Incoming extends RequestLike> {
  /**
   * Wraps a handler of node:http; it is handled until its promise settles. A refusal of the guard,
   * or of one that the handler asks, is answered. Any other error is answered with 500, or breaks
   * the connection off where an answer was begun, and goes to `onError`. Without `onError` the
   * promise is rejected with it, which ends a process whose server listens to no promise.
   */
  node<Outgoing extends ResponseLike>(
    handler: (request: Incoming, response: Outgoing, claim: CheckedClaim) => unknown,
  ): (request: Incoming, response: Outgoing) => Promise<void>;
  /** The same for handlers that take a Request and return a Response of the web. */
  web<Answer>(
    response: ResponseClass<Answer>,
    handler: (request: Incoming, claim: CheckedClaim) => Answer | Promise<Answer>,
  ): (request: Incoming) => Promise<Answer>;
  /**
   * For chains of `(request, response, next)`: answers what is to be refused, or calls `next()`, or
   * `next(error)` for an error that is none of a guard. It cannot know when those that come next
   * are done, so they must present `claimOf(request)` once more, in one step with their write.
   */
  readonly middleware: (
    request: Incoming,
    response: ResponseLike,
    next: (error?: unknown) => unknown,
  ) => Promise<void>;
  /** What a request claims. Throws INVALID; with `details.status` 428 when there is no token. */
  claimOf(request: Incoming): CheckedClaim;
}

/**
 * A guard of HTTP. Refusals are problem documents (RFC 9457) with `code`: 428 without a token, 400
 * for a malformed one, 409 STALE_TOKEN with both tokens, 503 when too many wait. Throws INVALID for
 * a wrong option.
 */
export function httpFence<Incoming extends RequestLike>(
  options: HttpFenceOptions<Incoming>,
): HttpFence<Incoming> {
  const { resource, present, onError } = options;
  if (typeof resource !== 'function') {
    throw invalid('resource', 'a function of the request', resource);
  }
  const inTurn = turnsByName();
  const claimOf = (request: Incoming): CheckedClaim =>
    checkClaim(namedBy(resource, request), claimIn(request.headers));
  const handled = async <T>(
    request: Incoming,
    work: (claim: CheckedClaim) => T | Promise<T>,
  ): Promise<T> => {
    const claim = claimOf(request);
    return inTurn(claim.resource, async () => {
      await present?.(claim.resource, claim);
      return work(claim);
    });
  };
  return {
    claimOf,
    node: (handler) => async (request, response) => {
      try {
        await handled(request, (claim) => handler(request, response, claim));
      } catch (error) {
        if (isRefusal(error)) return answer(response, refusalOf(error));
        if (response.headersSent === true) response.destroy?.();
        else answer(response, FAILURE);
        if (onError === undefined) throw error;
        onError(error);
      }
    },
    web: (AnswerClass, handler) => async (request) => {
      try {
        return await handled(request, (claim) => handler(request, claim));
      } catch (error) {
        const { body, ...init } = refusalOf(error);
        return new AnswerClass(body, init);
      }
    },
    async middleware(request, response, next) {
      try {
        await handled(request, () => undefined);
      } catch (error) {
        if (!isRefusal(error)) return void next(error);
        return answer(response, refusalOf(error));
      }
      next();
    },
  };
}

/** A request may say anything, such as an address that cannot be decoded. */
function namedBy<Incoming>(resource: (request: Incoming) => string, request: Incoming): string {
  try {
    return resource(request);
  } catch (cause) {
    if (HoldfastError.is(cause)) throw cause;
    const text = `resource: the request names none (${String(cause)})`;
    throw new HoldfastError('INVALID', text, { cause, details: { option: 'resource' } });
  }
}

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const PROBLEM = { 'Content-Type': 'application/problem+json' };

/** What somebody else's error is answered with: its text may be none of the client's business. */
const FAILURE: Refusal = {
  status: 500,
  headers: PROBLEM,
  body: JSON.stringify({ type: 'about:blank', title: 'Internal Server Error', status: 500 }),
};

function answer(response: ResponseLike, { status, headers, body }: Refusal): void {
  response.writeHead(status, headers);
  response.end(body);
}

function isRefusal(error: unknown): error is HoldfastError {
  const codes: readonly string[] = ['STALE_TOKEN', 'INVALID', 'OVERLOADED'];
  return HoldfastError.is(error) && codes.includes(error.code);
}

/** The answer that tells of it; what is no refusal of a guard is thrown again. */
function refusalOf(error: unknown): Refusal {
  if (!isRefusal(error)) throw error;
  const isMissing = error.details['status'] === MISSING_STATUS;
  const { httpStatus, meaning } = ERROR_CODES[error.code];
  const status = isMissing ? MISSING_STATUS : httpStatus;
  const problem = {
    ...error.details,
    type: `urn:holdfast:error:${error.code}`,
    ...{ title: meaning, status, detail: error.message },
    ...{ code: error.code, outcome: error.outcome, retryable: error.retryable },
  };
  return { status, headers: PROBLEM, body: JSON.stringify(problem) };
}
