// The value of one row of the state machine as bytes: nested positional arrays of plain values.

import type { RowValue } from '../locks/machine-types.ts';
import { unexpected } from './decode-error.ts';
import { pack, unpack } from './msgpack.ts';

/** Deepest nesting of a row's value; ours have four. */
const DEPTH_MAX = 8;

/** The bytes of a row's value. */
export function encodeRowValue(value: RowValue): Uint8Array {
  return pack([value]);
}

/** Throws DecodeError for anything that is no row's value. Whether it makes sense: the machine. */
export function decodeRowValue(bytes: Uint8Array): RowValue {
  const list = unpack(bytes);
  if (!Array.isArray(list) || list.length !== 1) throw unexpected('row', 'one value', list);
  const [value]: readonly unknown[] = list;
  if (isRowValue(value, 0)) return value;
  throw unexpected('row', 'a row value', value);
}

// Nobody else has the decoded lists: they become the value as they are.
function isRowValue(value: unknown, depth: number): value is RowValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (!Array.isArray(value) || depth >= DEPTH_MAX) return false;
  for (let at = 0; at < value.length; at++) if (!isRowValue(value[at], depth + 1)) return false;
  return true;
}
