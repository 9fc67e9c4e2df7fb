// Checksums and hashes. None is cryptographic: they find damage and differences, not attackers.

const CRC32C_POLYNOMIAL = 0x82f63b78;

// What each value of a byte does to the checksum, and what is left of that one, two and three bytes
// later: so four bytes are taken at a time, in half the time that one by one takes.
function crcTable(): Int32Array {
  const table = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ CRC32C_POLYNOMIAL : crc >>> 1;
    }
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at++) {
    const earlier = table[at - 256] ?? 0;
    table[at] = (earlier >>> 8) ^ (table[earlier & 0xff] ?? 0);
  }
  return table;
}

const CRC_TABLE = crcTable();

function crcOfByte(crc: number, byte: number): number {
  return (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
}

/** CRC-32C (Castagnoli) of bytes; pass an earlier result as `seed` to continue it. */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return crc32cOf(bytes, 0, bytes.length, seed);
}

/** The same of the bytes in [from, to), without a view of them. */
export function crc32cOf(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let crc = ~seed;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    crc ^= (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    crc ^= ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    crc =
      (CRC_TABLE[0x300 + (crc & 0xff)] ?? 0) ^
      (CRC_TABLE[0x200 + ((crc >>> 8) & 0xff)] ?? 0) ^
      (CRC_TABLE[0x100 + ((crc >>> 16) & 0xff)] ?? 0) ^
      (CRC_TABLE[crc >>> 24] ?? 0);
  }
  for (; at < to; at++) crc = crcOfByte(crc, bytes[at] ?? 0);
  return ~crc >>> 0;
}

/** CRC-32C of a text whose characters are all ASCII, each as one byte. */
export function crc32cOfAscii(text: string): number {
  let crc = ~0;
  for (let at = 0; at < text.length; at++) {
    crc = crcOfByte(crc, text.charCodeAt(at));
  }
  return ~crc >>> 0;
}

const INITIAL_LOW = 0x9e3779b9 | 0;
const INITIAL_HIGH = 0x85ebca6b | 0;

/**
 * Two independent 32-bit lanes, fed with numbers and texts. The result depends on the order of
 * the inputs. Rounds are those of MurmurHash3's 32-bit finaliser.
 */
export class Hasher {
  private low: number;
  private high: number;

  constructor(seed = 0) {
    this.low = seed ^ INITIAL_LOW;
    this.high = seed ^ INITIAL_HIGH;
  }

  /** Feeds the low 32 bits of a number. */
  u32(value: number): this {
    this.low = mix32(this.low ^ value);
    this.high = mix32(((this.high + spread(value)) | 0) ^ this.low);
    return this;
  }

  /** Feeds a safe integer, or any other finite number by its value. */
  number(value: number): this {
    if (!Number.isSafeInteger(value)) return this.text(String(value));
    return this.u32(value >>> 0).u32(Math.floor(value / 0x1_0000_0000) >>> 0);
  }

  /** Feeds its length and each of its characters. */
  text(value: string): this {
    this.u32(value.length);
    // As u32 does, without a field that is written for each character.
    let { low, high } = this;
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      low = mix32(low ^ code);
      high = mix32(((high + spread(code)) | 0) ^ low);
    }
    this.low = low;
    this.high = high;
    return this;
  }

  /** The lanes as two unsigned 32-bit numbers. */
  lanes(): readonly [number, number] {
    return [this.low >>> 0, this.high >>> 0];
  }

  /** 53 bits of the hash as a safe integer. */
  digest53(): number {
    return digest53(this.low, this.high);
  }

  hex(): string {
    return hex32(this.high) + hex32(this.low);
  }
}

/**
 * 53 bits of a hash of the bytes from `start` on: what a Hasher digests that was fed with their
 * number and each of them. In numbers of 32 bits only, that takes two thirds of the time.
 */
export function hash53(bytes: Uint8Array, start: number): number {
  let low = mix32(INITIAL_LOW ^ (bytes.length - start));
  let high = mix32(((INITIAL_HIGH + spread(bytes.length - start)) | 0) ^ low);
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    low = mix32(low ^ byte);
    high = mix32(((high + spread(byte)) | 0) ^ low);
  }
  return digest53(low, high);
}

function spread(value: number): number {
  return Math.imul(value, 0x27d4eb2f);
}

function digest53(low: number, high: number): number {
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/** Eight hex digits of an unsigned 32-bit number. */
export function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** Every bit of the result depends on every bit of the value; signed. */
export function mix32(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
