// Writes the plain part of msgpack straight into memory that is used again: what `pack` makes of
// it, without an array of the fields and without a buffer for each.

import { viewOf } from './binary.ts';

/** Texts up to here have a header of one or two bytes. */
const PLAIN_TEXT_MAX = 255;
/** More than the header of any value. */
const HEADER_BYTES_MAX = 9;

/** Appends values. Whatever is not plain makes isPlain false, and is to be packed otherwise. */
export class MsgpackWriter {
  /** Where the next byte comes; may be set back. */
  at = 0;
  /** Since it was last set to true, only plain values were written: the bytes are pack's. */
  isPlain = true;
  private bytes: Uint8Array;
  private view: DataView;

  constructor(sizeBytes: number) {
    this.bytes = new Uint8Array(sizeBytes);
    this.view = viewOf(this.bytes);
  }

  nil(): void {
    this.room(1);
    this.bytes[this.at++] = 0xc0;
  }

  /** The head of an array of at most 15 items. */
  array(length: number): void {
    this.room(1);
    this.bytes[this.at++] = 0x90 | length;
  }

  /** Plain: a safe integer from 0. */
  integer(value: number): void {
    this.room(HEADER_BYTES_MAX);
    const { bytes } = this;
    if (value >>> 0 !== value) {
      this.float(value);
    } else if (value < 0x80) {
      bytes[this.at++] = value;
    } else if (value < 0x100) {
      bytes[this.at++] = 0xcc;
      bytes[this.at++] = value;
    } else if (value < 0x10000) {
      bytes[this.at++] = 0xcd;
      bytes[this.at++] = value >>> 8;
      bytes[this.at++] = value;
    } else {
      bytes[this.at++] = 0xce;
      this.view.setUint32(this.at, value);
      this.at += 4;
    }
  }

  integerOrNull(value: number | null): void {
    if (value === null) this.nil();
    else this.integer(value);
  }

  /** Plain: ASCII of at most 255 characters. */
  text(text: string): void {
    const { length } = text;
    if (length > PLAIN_TEXT_MAX) {
      this.isPlain = false;
      return;
    }
    this.room(HEADER_BYTES_MAX + length);
    const { bytes } = this;
    let { at } = this;
    if (length >= 0x20) bytes[at++] = 0xd9;
    bytes[at++] = length < 0x20 ? 0xa0 | length : length;
    let all = 0;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      all |= unit;
      bytes[at++] = unit;
    }
    this.at = at;
    if (all >= 0x80) this.isPlain = false;
  }

  /** Begins bytes of fewer than 65,536 that hold what is written next; gives what end wants. */
  begin(): number {
    this.room(HEADER_BYTES_MAX);
    this.at += 2;
    return this.at;
  }

  /** The bytes that began there are whole. */
  end(begun: number): void {
    const length = this.at - begun;
    const { bytes } = this;
    if (length < 0x100) {
      bytes[begun - 2] = 0xc4;
      bytes[begun - 1] = length;
      return;
    }
    this.room(1);
    this.bytes.copyWithin(begun + 1, begun, this.at);
    this.at += 1;
    this.bytes[begun - 2] = 0xc5;
    this.view.setUint16(begun - 1, length);
  }

  /** Bytes as they are: packed values. */
  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** A copy of what was written there. */
  copy(from: number, to: number): Uint8Array {
    return this.bytes.slice(from, to);
  }

  /** Puts what was written from there on in another place, before it. */
  move(from: number, to: number): void {
    this.bytes.copyWithin(to, from, this.at);
    this.at -= from - to;
  }

  /** One byte in the place of another. */
  put(at: number, byte: number): void {
    this.bytes[at] = byte;
  }

  private float(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) this.isPlain = false;
    this.bytes[this.at++] = 0xcb;
    this.view.setFloat64(this.at, value);
    this.at += 8;
  }

  private room(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const bytes = new Uint8Array(2 * (this.at + count));
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.view = viewOf(bytes);
  }
}
