// Work that must be done when its function returns, and is not when it returned a promise.

import { HoldfastError } from '../base/error.ts';

/** Whether it is something to be waited for. */
export function isPromise(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('then' in value)) return false;
  return typeof value.then === 'function';
}

/** The error INVALID of a function, named by its parameter, that waits for something. */
export function laterWork(name: string): HoldfastError {
  const text =
    `${name} returned a promise: what it does later may come after the first write of the next ` +
    'holder. Do the waiting before, and the writing at once; what it began goes on';
  return new HoldfastError('INVALID', text, { outcome: 'unknown' });
}
