// Whether a request is an acquire of one lock or its release in the form that nearly all have, told
// by a look at its bytes. Nothing is made of them, so that it costs a tenth of decoding them. As in
// usual-commands.ts, whatever is not in exactly that form is left to the reader of all forms.

import { OPS } from './command-fields.ts';
import { MODES } from './modes.ts';
import { choiceOf } from './reader.ts';

const NIL = 0xc0;
/** Tokens of msgpack: an array of so many items. */
const ARRAY = 0x90;
const ACQUIRE = choiceOf(OPS, 'acquire');
const RELEASE = choiceOf(OPS, 'release');
/** What follows something that is not in the usual form. */
const NOWHERE = -1;

const TWO_32 = 2 ** 32;
const TWO_52 = 2 ** 52;

/** Which of the two a body is, certainly without a fault; null: it must be decoded to tell. */
export function usualOpOf(body: Uint8Array): 'acquire' | 'release' | null {
  if (body[0] === ARRAY + 7 && body[1] === ACQUIRE) return isAcquire(body) ? 'acquire' : null;
  if (body[0] === ARRAY + 6 && body[1] === RELEASE) return isRelease(body) ? 'release' : null;
  return null;
}

function isAcquire(body: Uint8Array): boolean {
  let at = afterInteger(body, afterText(body, 2), 1); // session, seq
  if (body[at] !== ARRAY + 1 || body[at + 1] !== ARRAY + 3) return false;
  at = afterText(body, at + 2); // name
  if (MODES[body[at] ?? NIL] === undefined || body[at + 1] !== NIL) return false; // no permits
  at = afterIntegerOrNil(body, at + 2, 0); // waitMs
  at = afterText(body, at); // meta
  return body[at] === NIL && at + 1 === body.length; // no value
}

function isRelease(body: Uint8Array): boolean {
  let at = afterInteger(body, afterText(body, 2), 1); // session, seq
  at = afterText(body, at); // name
  at = afterIntegerOrNil(body, at, 1); // acquireSeq
  at = afterInteger(body, at, 1); // token
  return at === body.length;
}

function afterText(bytes: Uint8Array, at: number): number {
  const token = bytes[at] ?? NIL;
  const isShort = token >= 0xa0 && token < 0xc0;
  if (!isShort && token !== 0xd9) return NOWHERE;
  const from = isShort ? at + 1 : at + 2;
  const end = from + (isShort ? token & 0x1f : (bytes[at + 1] ?? 0));
  if (end > bytes.length) return NOWHERE;
  let all = 0;
  for (let each = from; each < end; each++) all |= bytes[each] ?? 0;
  return all < 0x80 ? end : NOWHERE;
}

function afterIntegerOrNil(bytes: Uint8Array, at: number, min: number): number {
  return bytes[at] === NIL ? at + 1 : afterInteger(bytes, at, min);
}

function afterInteger(bytes: Uint8Array, at: number, min: number): number {
  const token = bytes[at] ?? NIL;
  if (token < 0x80) return token >= min ? at + 1 : NOWHERE;
  if (token === 0xcb) return isWholeFloat(bytes, at + 1) ? at + 9 : NOWHERE;
  const length = token >= 0xcc && token <= 0xce ? 1 << (token - 0xcc) : 0;
  if (length === 0 || at + length >= bytes.length) return NOWHERE;
  // The least of these numbers is 0, which is written so by nobody.
  let all = 0;
  for (let each = at + 1; each <= at + length; each++) all |= bytes[each] ?? 0;
  return all > 0 || min === 0 ? at + 1 + length : NOWHERE;
}

// Whole numbers beyond 32 bits are written as floats: the bits below 1 must be 0, and the number
// below 2^53. Those from 0 to 1 are not usual.
function isWholeFloat(bytes: Uint8Array, at: number): boolean {
  if (at + 8 > bytes.length) return false;
  const high = unsigned(bytes, at);
  const exponent = (high >>> 20) - 1023;
  if (exponent < 0 || exponent > 52) return false;
  const fraction = (high & 0xfffff) * TWO_32 + unsigned(bytes, at + 4);
  return Number.isInteger((TWO_52 + fraction) / 2 ** (52 - exponent));
}

function unsigned(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let each = at; each < at + 4; each++) value = (value << 8) | (bytes[each] ?? 0);
  return value >>> 0;
}
