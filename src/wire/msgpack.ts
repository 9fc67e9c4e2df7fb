// The subset of msgpack that wire and disk speak: null, booleans, numbers, texts, bytes, arrays.
// Writing is msgpackr's. Reading is our own: the bytes may come from anybody, and msgpackr reads
// records and extensions even when told not to use them, keeps state between calls, and decodes
// texts differently with and without its native add-on (ECOSYSTEM.md §2), which would let two
// nodes read one entry as two commands.

import { Packr } from 'msgpackr';
import { InvariantError } from '../base/assert.ts';
import { HoldfastError, describeValue } from '../base/error.ts';
import { utf8Length } from '../base/name.ts';
import { MsgpackDecoder, DEPTH_MAX } from './msgpack-decoder.ts';

export { DecodeError } from './decode-error.ts';

const packr = new Packr({ useRecords: false });

/**
 * The bytes of a value; equal values give equal bytes. Whole numbers beyond 32 bits are float64.
 * Throws HoldfastError INVALID for a text that is not well-formed Unicode, InvariantError for
 * anything that `unpack` would refuse.
 */
export function pack(value: unknown): Uint8Array {
  checkPackable(value, 0);
  const bytes: Uint8Array = packr.pack(value);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * The one value that the bytes hold; binary fields are views into them. Throws DecodeError for
 * anything else: maps, extensions, numbers that are not finite, texts that are not UTF-8, lengths
 * beyond the end, more than DEPTH_MAX arrays in one another, bytes left over.
 */
export function unpack(bytes: Uint8Array): unknown {
  return new MsgpackDecoder(bytes).only();
}

function checkPackable(value: unknown, depth: number): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') return checkText(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(`only finite numbers can be packed, not ${value}`);
  } else if (Array.isArray(value)) {
    if (depth >= DEPTH_MAX) refuse(`at most ${DEPTH_MAX} arrays can be packed in one another`);
    for (let at = 0; at < value.length; at++) checkPackable(value[at], depth + 1);
  } else if (!(value instanceof Uint8Array)) {
    refuse(`cannot pack ${describeValue(value)}`);
  }
}

// Called for what is wrong only: a message that nobody reads would cost more than the packing.
function refuse(what: string): never {
  throw new InvariantError(what);
}

function checkText(text: string): void {
  if (utf8Length(text) !== -1) return;
  throw new HoldfastError(
    'INVALID',
    `a text must be well-formed Unicode, but ${describeValue(text)}, has a lone surrogate`,
  );
}
