// Reads the plain part of msgpack field by field, as MsgpackWriter writes it: without an array of
// the fields, and without what it takes to say what is wrong with them.

import type { TextCache } from './text-cache.ts';

/** The token of null. */
const NIL = 0xc0;
/** Tokens of arrays: of up to 15 items, and of up to 65,535. */
const ARRAY = 0x90;
const ARRAY_16 = 0xdc;
/** Tokens of bytes: up to 255, and up to 65,535. */
const BINARY_8 = 0xc4;
const BINARY_16 = 0xc5;

const NOTHING = new Uint8Array(0);

/** Takes one value after the other from the bytes that it was given. */
export class PlainReader {
  /** False from the first value on that is not in the plain form: what comes after is worthless. */
  isPlain = true;
  private bytes: Uint8Array = NOTHING;
  private at = 0;
  /** For floats, once one came: making it would cost more than reading a short frame. */
  private scratch: DataView | null = null;

  /** From now on it reads these bytes, from that place on. */
  begin(bytes: Uint8Array, from: number): void {
    this.bytes = bytes;
    this.at = from;
    this.isPlain = true;
  }

  /** All values were plain, and there are no more bytes. */
  isWhole(): boolean {
    return this.isPlain && this.at === this.bytes.length;
  }

  /** 0 beyond the end, where isWhole is false as well. */
  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }

  /** An array of so many items, which come next; at most 15. */
  expectArray(length: number): void {
    if (this.byte() !== ARRAY + length) this.isPlain = false;
  }

  /** The next value, if it is null; otherwise it stays. */
  isNil(): boolean {
    if (this.bytes[this.at] !== NIL) return false;
    this.at++;
    return true;
  }

  nil(): void {
    if (!this.isNil()) this.isPlain = false;
  }

  /** The length of an array, whose items come next. */
  array(): number {
    const token = this.byte();
    if (token >= ARRAY && token < ARRAY + 16) return token - ARRAY;
    if (token !== ARRAY_16) this.isPlain = false;
    return this.unsigned(2);
  }

  /** A whole number from `min` to 2^53 - 1. */
  integer(min: number): number {
    const value = this.anyInteger(this.byte());
    if (!(value >= min && value <= Number.MAX_SAFE_INTEGER)) this.isPlain = false;
    return value;
  }

  integerOrNull(min: number): number | null {
    return this.isNil() ? null : this.integer(min);
  }

  /** A safe integer of 8 bytes, the lowest first; no value of msgpack. */
  stamp(): number {
    const low = this.word();
    const high = this.word();
    if (high === 0) return low; // no floating-point number, which would take memory of its own
    const value = high * 0x1_0000_0000 + low;
    if (value > Number.MAX_SAFE_INTEGER) this.isPlain = false;
    return value;
  }

  /** A text of at most 255 bytes, as `texts` knows it. */
  text(texts: TextCache): string {
    const token = this.byte();
    const length = token >= 0xa0 && token < 0xc0 ? token & 0x1f : token === 0xd9 ? this.byte() : -1;
    const from = this.at;
    const text = length < 0 ? null : texts.ascii(this.bytes, from, length);
    this.at = from + Math.max(0, length);
    if (text !== null) return text;
    this.isPlain = false;
    return '';
  }

  /** A view on at most 65,535 bytes. */
  binary(): Uint8Array {
    const token = this.byte();
    if (token !== BINARY_8 && token !== BINARY_16) this.isPlain = false;
    const length = token === BINARY_8 ? this.byte() : this.unsigned(2);
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) this.isPlain = false;
    if (!this.isPlain) return NOTHING;
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + from, length);
  }

  private anyInteger(token: number): number {
    if (token < 0x80) return token;
    if (token === 0xcc) return this.byte();
    if (token === 0xcd) return this.unsigned(2);
    if (token === 0xce) return this.unsigned(4);
    if (token === 0xcb) return this.float();
    return -1;
  }

  private word(): number {
    const { bytes, at } = this;
    this.at = at + 4;
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    return (low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
  }

  private unsigned(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--) value = value * 256 + this.byte();
    return value;
  }

  // Whole numbers beyond 32 bits are written as floats.
  private float(): number {
    this.scratch ??= new DataView(new ArrayBuffer(8));
    for (let at = 0; at < 8; at++) this.scratch.setUint8(at, this.byte());
    const value = this.scratch.getFloat64(0);
    return Number.isSafeInteger(value) ? value + 0 : -1;
  }
}
