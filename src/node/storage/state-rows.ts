// Rows of the state machine in the log store. Those of one checkpoint and its successors share a
// generation; a checkpoint that is received gets a generation of its own, so that it comes into
// force by one small batch, and leaves no mixture of two states behind (RAFT.md §9).
//
// A row's key may hold any text, the store's keys are ASCII. Bytes of its UTF-8 form outside
// 0x22 … 0x7d are written as `!` or `~` and two hex digits: `!` sorts before and `~` after all
// that is written plainly, so the order of bytes stays as it was.

import type { KeyValueOp, KeyValuePair } from '../../ports/storage.ts';
import type { StoredRow } from '../../wire/checkpoint.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import { sealRow, unsealRow } from './layout.ts';
import type { RowChange } from './types.ts';

/** from <= key < to of some rows. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** All rows of all generations. */
export const STATE_RANGE: KeyRange = { from: 'r/', to: 'r0' };
/** Generations are numbers from 0 to this. */
export const GENERATION_MAX = 0xffff_ffff;

const GENERATION_DIGITS = 8;
const LOW = '!';
const HIGH = '~';
const PLAIN_FIRST = 0x22;
const PLAIN_LAST = 0x7d;

/** All rows of one generation. */
export function generationRange(generation: number): KeyRange {
  const prefix = STATE_RANGE.from + hex(generation, GENERATION_DIGITS);
  return { from: `${prefix}/`, to: `${prefix}0` };
}

/** The rows of one generation that come after this key; '' stands before all. */
export function rangeAfter(generation: number, key: string): KeyRange {
  const { from, to } = generationRange(generation);
  return { from: key === '' ? from : `${from}${escapeKey(key)}\0`, to };
}

/** The generation of a stored row by its key, or null when that is no row's key. */
export function generationOf(storedKey: string): number | null {
  const match = /^r\/([0-9a-f]{8})\//.exec(storedKey);
  return match?.[1] === undefined ? null : Number.parseInt(match[1], 16);
}

/** What writes or deletes a row. */
export function stateOp(generation: number, { key, value }: RowChange): KeyValueOp {
  const storedKey = generationRange(generation).from + escapeKey(key);
  if (value === null) return { type: 'delete', key: storedKey };
  return { type: 'put', key: storedKey, value: sealRow(storedKey, value) };
}

/** The row that is stored there. Throws DecodeError when it is damaged. */
export function readStateRow(pair: KeyValuePair): StoredRow {
  const value = unsealRow(pair.key, pair.value);
  const start = generationRange(0).from.length;
  return { key: unescapeKey(pair.key.slice(start)), value };
}

function escapeKey(key: string): string {
  if (/^[\x22-\x7d]*$/.test(key)) return key;
  let escaped = '';
  for (const byte of new TextEncoder().encode(key)) {
    if (byte < PLAIN_FIRST) escaped += LOW + hex(byte, 2);
    else if (byte > PLAIN_LAST) escaped += HIGH + hex(byte, 2);
    else escaped += String.fromCharCode(byte);
  }
  return escaped;
}

function unescapeKey(escaped: string): string {
  if (/^[\x22-\x7d]*$/.test(escaped)) return escaped;
  const bytes: number[] = [];
  for (let at = 0; at < escaped.length; at++) {
    const isPlain = escaped[at] !== LOW && escaped[at] !== HIGH;
    const byte = isPlain
      ? escaped.charCodeAt(at)
      : Number.parseInt(escaped.slice(at + 1, at + 3), 16);
    if (Number.isNaN(byte)) throw new DecodeError(`the key ${escaped} is no row's key`);
    bytes.push(byte);
    if (!isPlain) at += 2;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
