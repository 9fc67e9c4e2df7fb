// Between a host's exit code (DESIGN.md §8) and the error that an embedding program sees.

import { HoldfastError } from '../base/error.ts';
import type { ErrorCode } from '../base/error.ts';
import type { HostExit } from '../node/host-types.ts';

const CODE_OF_EXIT: ReadonlyMap<number, ErrorCode> = new Map([
  [73, 'PORT_IN_USE'],
  [78, 'CONFIG'],
  [80, 'CLUSTER_CHANGED'],
  [81, 'DIRECTORY_IN_USE'],
  [82, 'STORAGE'],
  [83, 'STORAGE'],
  [84, 'STORAGE'],
  [85, 'STORAGE'],
  [86, 'STORAGE'],
  [88, 'STORAGE'],
]);

const INTERNAL_EXIT = 70;

/** The error for a node that did not start or ended; `details.exitCode` is the process's. */
export function exitError(exit: HostExit): HoldfastError {
  const code = CODE_OF_EXIT.get(exit.exitCode) ?? 'INTERNAL';
  // The message of an error of ours begins with its code already.
  const message = exit.message.replace(new RegExp(`^${code}: `), '');
  return new HoldfastError(code, message, { details: { exitCode: exit.exitCode } });
}

/** The exit code of a process whose node could not start. */
export function exitCodeOf(error: unknown): number {
  if (!HoldfastError.is(error)) return INTERNAL_EXIT;
  const { exitCode } = error.details;
  if (typeof exitCode === 'number') return exitCode;
  const found = [...CODE_OF_EXIT].find(([, code]) => code === error.code);
  return found?.[0] ?? INTERNAL_EXIT;
}
