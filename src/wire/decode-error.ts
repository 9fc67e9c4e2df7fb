import { describeValue } from '../base/error.ts';

/** Bytes that are not what they should be. The message says where, what was expected, what came. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The error for one field: `what` names it by its path, `expected` says what it must be. */
export function unexpected(what: string, expected: string, got: unknown): DecodeError {
  return new DecodeError(`${what}: expected ${expected}, got ${describeValue(got)}`);
}
