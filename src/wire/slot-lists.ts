import { unexpected } from './decode-error.ts';
import { Reader, wholeItem } from './reader.ts';

/** Slot numbers of one name of a grant. Throws DecodeError. */
export function readSlots(value: unknown, what: string): readonly number[] {
  if (!Array.isArray(value)) throw unexpected(what, 'an array', value);
  return value.map((each: unknown, at) => wholeItem(each, `${what}[${at}]`));
}

/** [taken, total] of a semaphore. Throws DecodeError. */
export function readPermits(value: unknown, what: string): readonly [number, number] {
  const read = new Reader(value, what);
  return read.done([read.integer('taken', 1), read.integer('total', 1)]);
}
