// The table of error codes. Texts may change; codes may not.

/**
 * What is known of the request's effect. none: it certainly did not happen. done: it happened.
 * unknown: it may have happened or may yet happen.
 */
export type RequestOutcome = 'none' | 'done' | 'unknown';

/** What a code says by itself. */
export interface ErrorCodeInfo {
  /** Outcome unless the error says otherwise. */
  readonly outcome: RequestOutcome;
  /** Whether the same request may be sent again without new information. */
  readonly retryable: boolean;
  /** Status of an HTTP answer that tells of it. */
  readonly httpStatus: number;
  /** What it says of the request, for people. */
  readonly meaning: string;
}

const TABLE = {
  LOCK_BUSY: {
    outcome: 'none',
    retryable: true,
    httpStatus: 409,
    meaning:
      'Another session holds the lock, or waits for it before you, and you did not want to wait.',
  },
  WAIT_OVER: {
    outcome: 'none',
    retryable: true,
    httpStatus: 409,
    meaning:
      'The lock was not granted within waitMs. Nothing is held, and the request is taken out of ' +
      'the queue as soon as the cluster hears of it.',
  },
  CANCELLED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning: 'The request was cancelled before it was granted, or its grant was returned.',
  },
  OVERLOADED: {
    outcome: 'none',
    retryable: true,
    httpStatus: 503,
    meaning:
      'The cluster has too much undecided work, or a disk is nearly full; wait and try again.',
  },
  NOT_LEADER: {
    outcome: 'none',
    retryable: true,
    httpStatus: 503,
    meaning: 'This node does not lead, and did nothing; ask the leader.',
  },
  UNAVAILABLE: {
    outcome: 'none',
    retryable: true,
    httpStatus: 503,
    meaning:
      'No node that can answer was reached in time; never a sign that the lock is free or busy.',
  },
  OUTCOME_UNKNOWN: {
    outcome: 'unknown',
    retryable: true,
    httpStatus: 503,
    meaning:
      'The request was accepted, its fate is unknown; sending it again with the same seq is safe.',
  },
  SESSION_GONE: {
    outcome: 'none',
    retryable: false,
    httpStatus: 410,
    meaning:
      'The session has expired, was closed or ended, or never existed; all that it held is free.',
  },
  SESSION_EXPIRED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 410,
    meaning:
      'The cluster heard nothing of the session for its TTL and ended it; what it held is free.',
  },
  SESSION_ENDED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 410,
    meaning: 'An operator ended the session, or another process closed it; the message says which.',
  },
  LOCK_LOST: {
    outcome: 'unknown',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The lease ended, or may have ended, while the lock was held; another may hold it now.',
  },
  NOT_HOLDER: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning: 'The session does not hold this lock with this token; nothing was released.',
  },
  WINDOW: {
    outcome: 'none',
    retryable: true,
    httpStatus: 409,
    meaning: 'The session has too many requests whose answers were not acknowledged.',
  },
  INVALID: {
    outcome: 'none',
    retryable: false,
    httpStatus: 400,
    meaning:
      'Malformed or out of range; the message names the field, what was expected and what came.',
  },
  STALE_SEQ: {
    outcome: 'unknown',
    retryable: false,
    httpStatus: 409,
    meaning: 'The request number lies below those already acknowledged; it is not executed again.',
  },
  STALE_TOKEN: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning:
      'A larger fencing token was seen: whoever holds the smaller one is no longer the holder.',
  },
  CLUSTER_CHANGED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The nodes belong to another cluster than the one that this client or directory knows.',
  },
  NOT_AUTHORISED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 403,
    meaning: 'The caller may not do this.',
  },
  NOT_FOUNDED: {
    outcome: 'none',
    retryable: true,
    httpStatus: 503,
    meaning: 'The node belongs to no cluster yet: run holdfast init.',
  },
  CLOSED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 503,
    meaning: 'The client, session or node was closed by its own process.',
  },
  EVENT_LOOP_BLOCKED: {
    outcome: 'unknown',
    retryable: false,
    httpStatus: 409,
    meaning: 'The process did not run for so long that the lease could not be renewed.',
  },
  BROKEN: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning: 'An operator broke the lock; the message says who and why.',
  },
  HOLD_OVER: {
    outcome: 'done',
    retryable: false,
    httpStatus: 409,
    meaning:
      'The lock was held for maxHoldMs while its holder still worked; it is given back, or its ' +
      'session is over too.',
  },
  HANDED_OVER: {
    outcome: 'done',
    retryable: false,
    httpStatus: 409,
    meaning: 'The grant was handed over by its holder: whoever takes it over holds the lock now.',
  },
  CHANGE_PENDING: {
    outcome: 'none',
    retryable: true,
    httpStatus: 409,
    meaning:
      'Another change of the membership or of the limits, or a transfer of leadership, is still ' +
      'under way.',
  },
  MEMBERS_CHANGED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning: 'The membership is not the one that the change was meant for; look at it again.',
  },
  LIMITS_CHANGED: {
    outcome: 'none',
    retryable: false,
    httpStatus: 409,
    meaning: 'The limits in force are not those that the change was made from; look at them again.',
  },
  NOT_CAUGHT_UP: {
    outcome: 'none',
    retryable: true,
    httpStatus: 409,
    meaning:
      'The new member does not keep up with the log, so it was not made a voter; the voters are ' +
      'as they were.',
  },
  PORT_IN_USE: {
    outcome: 'none',
    retryable: false,
    httpStatus: 503,
    meaning: 'Another process listens on the address that this node is to use.',
  },
  DIRECTORY_IN_USE: {
    outcome: 'none',
    retryable: false,
    httpStatus: 503,
    meaning: 'Another process runs on the data directory of this node.',
  },
  STORAGE: {
    outcome: 'none',
    retryable: false,
    httpStatus: 503,
    meaning: 'The data directory cannot be trusted, read or written; the message says what to do.',
  },
  CONFIG: {
    outcome: 'none',
    retryable: false,
    httpStatus: 400,
    meaning: 'The configuration is wrong; the message names the path and shows the value.',
  },
  INTERNAL: {
    outcome: 'unknown',
    retryable: false,
    httpStatus: 500,
    meaning: 'A broken invariant: a bug in Holdfast. Please report it.',
  },
} as const satisfies Record<string, ErrorCodeInfo>;

/** One of the codes, see docs/errors.md. Stable: programs may compare them. */
export type ErrorCode = keyof typeof TABLE;

/** Every code, with what it means; docs/errors.md is made from this table. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeInfo>> = TABLE;

/** True for a text that is one of the codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}
