// What the files of a store are made of: little-endian numbers, varints, checksums. Written from
// the public description of LevelDB's format, for an eye on our stores that is not their own.

/** CRC-32C of each byte, reflected. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});
const MASK_DELTA = 0xa282ead8;

/** CRC-32C (Castagnoli). */
export function crc32c(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff];
  return ~crc >>> 0;
}

/** CRC-32C as LevelDB's files hold it: turned and moved, so that a sum over sums is one too. */
export function maskedCrc(bytes) {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

/** Thrown where bytes cannot mean anything. */
export class FormatError extends Error {}

/** Reads numbers and strings one after the other; `at` is the place of the next. */
export class Cursor {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get isAtEnd() {
    return this.at >= this.bytes.length;
  }

  u8() {
    return this.bytes[this.step(1)];
  }

  u32() {
    return this.view.getUint32(this.step(4), true);
  }

  u64() {
    return Number(this.view.getBigUint64(this.step(8), true));
  }

  /** Seven bits a byte, the lowest first; exact up to 2^53. */
  varint() {
    let value = 0;
    for (let weight = 1; weight < 2 ** 63; weight *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
    throw new FormatError(`a number without end at byte ${this.at}`);
  }

  take(length) {
    const from = this.step(length);
    return this.bytes.subarray(from, from + length);
  }

  /** Bytes with their length before them. */
  string() {
    return this.take(this.varint());
  }

  step(length) {
    const from = this.at;
    if (from + length > this.bytes.length) {
      throw new FormatError(`${length} bytes wanted at byte ${from} of ${this.bytes.length}`);
    }
    this.at += length;
    return from;
  }
}

/** A key as text; keys that are not ASCII are of no interest here. */
export function textOf(bytes) {
  return Buffer.from(bytes).toString('latin1');
}
