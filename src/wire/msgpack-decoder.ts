// Reads hostile bytes: every length is checked against what is left before anything is allocated,
// and nothing outlives one value. What msgpackr never writes for us is refused, not understood.

import { DecodeError } from './decode-error.ts';

/** How many arrays may lie in one another. */
export const DEPTH_MAX = 16;

/** Texts up to here are tried as ASCII first, which is cheaper than a call of TextDecoder. */
const SHORT_TEXT_BYTES = 24;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes one msgpack value. */
export class MsgpackDecoder {
  private readonly bytes: Uint8Array;
  /** Of all the bytes, once a float came: making one for each would cost more than reading it. */
  private view: DataView | null = null;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The value that all the bytes together are. Throws DecodeError. */
  only(): unknown {
    const value = this.value(0);
    const left = this.bytes.length - this.at;
    if (left > 0) throw new DecodeError(`expected the end at byte ${this.at}, got ${left} more`);
    return value;
  }

  private value(depth: number): unknown {
    const token = this.byteAt(this.take(1));
    if (token < 0x80) return token;
    if (token >= 0xe0) return token - 0x100;
    if (token >= 0xa0 && token < 0xc0) return this.text(token & 0x1f);
    if (token >= 0x90 && token < 0xa0) return this.list(token & 0x0f, depth);
    return this.longValue(token, depth);
  }

  private longValue(token: number, depth: number): unknown {
    // prettier-ignore
    switch (token) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return this.binary(this.unsigned(1));
      case 0xc5: return this.binary(this.unsigned(2));
      case 0xc6: return this.binary(this.unsigned(4));
      case 0xcb: return this.float();
      case 0xcc: return this.unsigned(1);
      case 0xcd: return this.unsigned(2);
      case 0xce: return this.unsigned(4);
      case 0xd0: return (this.unsigned(1) << 24) >> 24;
      case 0xd1: return (this.unsigned(2) << 16) >> 16;
      case 0xd2: return this.unsigned(4) | 0;
      case 0xd9: return this.text(this.unsigned(1));
      case 0xda: return this.text(this.unsigned(2));
      case 0xdb: return this.text(this.unsigned(4));
      case 0xdc: return this.list(this.unsigned(2), depth);
      case 0xdd: return this.list(this.unsigned(4), depth);
      default: throw this.strange(token);
    }
  }

  /** Moves over `count` bytes and returns where they begin. */
  private take(count: number): number {
    const from = this.at;
    if (count > this.bytes.length - from) {
      const left = this.bytes.length - from;
      throw new DecodeError(`expected ${count} bytes at byte ${from}, got ${left}`);
    }
    this.at = from + count;
    return from;
  }

  private binary(length: number): Uint8Array {
    const from = this.take(length);
    const { buffer, byteOffset } = this.bytes;
    return new Uint8Array(buffer, byteOffset + from, length);
  }

  /** A number of 1, 2 or 4 bytes, the highest first. A DataView would cost more than all of it. */
  private unsigned(count: number): number {
    const from = this.take(count);
    let value = 0;
    for (let at = from; at < from + count; at++) value = (value << 8) | this.byteAt(at);
    return value >>> 0;
  }

  private byteAt(at: number): number {
    return this.bytes[at] ?? 0;
  }

  private float(): number {
    const { buffer, byteOffset, byteLength } = this.bytes;
    this.view ??= new DataView(buffer, byteOffset, byteLength);
    const value = this.view.getFloat64(this.take(8));
    if (Number.isFinite(value)) return value;
    throw new DecodeError(`expected a finite number before byte ${this.at}, got ${value}`);
  }

  private text(length: number): string {
    const from = this.take(length);
    if (length <= SHORT_TEXT_BYTES) {
      const ascii = this.ascii(from);
      if (ascii !== null) return ascii;
    }
    try {
      return utf8.decode(this.bytes.subarray(from, this.at));
    } catch {
      throw new DecodeError(`expected UTF-8 in the ${length} bytes at byte ${from}, got others`);
    }
  }

  private ascii(from: number): string | null {
    const codes: number[] = [];
    for (let at = from; at < this.at; at++) {
      const byte = this.byteAt(at);
      if (byte >= 0x80) return null;
      codes.push(byte);
    }
    return String.fromCharCode(...codes);
  }

  private list(length: number, depth: number): unknown[] {
    if (depth >= DEPTH_MAX) {
      throw new DecodeError(`expected at most ${DEPTH_MAX} arrays in one another, got more`);
    }
    // Grows with the items that are there: a length that lies cannot make us allocate.
    const items: unknown[] = [];
    for (let count = 0; count < length; count++) items.push(this.value(depth + 1));
    return items;
  }

  private strange(token: number): DecodeError {
    const hex = token.toString(16);
    return new DecodeError(`expected a value at byte ${this.at - 1}, got the token 0x${hex}`);
  }
}
