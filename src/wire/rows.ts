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
  return readValue(list[0], 0);
}

function readValue(value: unknown, depth: number): RowValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (!Array.isArray(value) || depth >= DEPTH_MAX) throw unexpected('row', 'a row value', value);
  return value.map((part: unknown) => readValue(part, depth + 1));
}
