// What the process tells its caller by number (DESIGN.md §8; the numbers follow sysexits.h).

import { constants } from 'node:os';
import type { ErrorCode } from '../base/error.ts';
import { HoldfastError } from '../base/error.ts';

/** Exit codes that this program gives of its own; a child's own code passes through unchanged. */
export const EXIT = {
  refused: 1,
  usage: 64,
  dataFormat: 65,
  unavailable: 69,
  internal: 70,
  portInUse: 73,
  busy: 75,
  notAuthorised: 77,
  configuration: 78,
  lost: 79,
  otherCluster: 80,
  directoryInUse: 81,
  directoriesMissing: 87,
  notExecutable: 126,
  notFound: 127,
} as const;

const OF_ERROR: Readonly<Partial<Record<ErrorCode, number>>> = {
  LOCK_BUSY: EXIT.busy,
  WAIT_OVER: EXIT.busy,
  OVERLOADED: EXIT.unavailable,
  NOT_LEADER: EXIT.unavailable,
  UNAVAILABLE: EXIT.unavailable,
  OUTCOME_UNKNOWN: EXIT.unavailable,
  NOT_FOUNDED: EXIT.unavailable,
  SESSION_GONE: EXIT.lost,
  SESSION_EXPIRED: EXIT.lost,
  SESSION_ENDED: EXIT.lost,
  LOCK_LOST: EXIT.lost,
  BROKEN: EXIT.lost,
  EVENT_LOOP_BLOCKED: EXIT.lost,
  HOLD_OVER: EXIT.lost,
  NOT_AUTHORISED: EXIT.notAuthorised,
  INVALID: EXIT.usage,
  CONFIG: EXIT.configuration,
  PORT_IN_USE: EXIT.portInUse,
  CLUSTER_CHANGED: EXIT.otherCluster,
  INTERNAL: EXIT.internal,
};

/** Ends a command with an exit code and one line on stderr: `holdfast: CODE: what and why`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code for anything that a command may throw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  if (!HoldfastError.is(error)) return EXIT.internal;
  // A node's end carries the code of its cause: STORAGE alone has five of them.
  const { exitCode } = error.details;
  return typeof exitCode === 'number' ? exitCode : (OF_ERROR[error.code] ?? EXIT.refused);
}

/** What a shell reports for a process that a signal ended: 128 and the signal's number. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
