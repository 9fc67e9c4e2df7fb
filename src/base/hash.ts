// Checksums and hashes. None is cryptographic: they find damage and differences, not attackers.

const CRC32C_POLYNOMIAL = 0x82f63b78;

function crcTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ CRC32C_POLYNOMIAL : crc >>> 1;
    }
    table[byte] = crc;
  }
  return table;
}

const CRC_TABLE = crcTable();

/** CRC-32C (Castagnoli) of bytes; pass an earlier result as `seed` to continue it. */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  return crc32cOf(bytes, 0, bytes.length, seed);
}

/** The same of the bytes in [from, to), without a view of them. */
export function crc32cOf(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let crc = ~seed;
  for (let at = from; at < to; at++) {
    crc = (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

/** CRC-32C of a text whose characters are all ASCII, each as one byte. */
export function crc32cOfAscii(text: string): number {
  let crc = ~0;
  for (let at = 0; at < text.length; at++) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

/**
 * Two independent 32-bit lanes, fed with numbers and texts. The result depends on the order of
 * the inputs. Rounds are those of MurmurHash3's 32-bit finaliser.
 */
export class Hasher {
  private low: number;
  private high: number;

  constructor(seed = 0) {
    this.low = (seed ^ 0x9e3779b9) | 0;
    this.high = (seed ^ 0x85ebca6b) | 0;
  }

  /** Feeds the low 32 bits of a number. */
  u32(value: number): this {
    this.low = mix32(this.low ^ value);
    this.high = mix32((this.high + Math.imul(value | 0, 0x27d4eb2f)) ^ this.low);
    return this;
  }

  /** Feeds a safe integer, or any other finite number by its value. */
  number(value: number): this {
    if (!Number.isSafeInteger(value)) return this.text(String(value));
    return this.u32(value >>> 0).u32(Math.floor(value / 0x1_0000_0000) >>> 0);
  }

  text(value: string): this {
    this.u32(value.length);
    for (let at = 0; at < value.length; at++) this.u32(value.charCodeAt(at));
    return this;
  }

  bytes(value: Uint8Array): this {
    return this.bytesFrom(value, 0);
  }

  /** Feeds the bytes from `start` on, as `bytes` does with a view of them. */
  bytesFrom(value: Uint8Array, start: number): this {
    this.u32(value.length - start);
    let { low, high } = this;
    for (let at = start; at < value.length; at++) {
      const byte = value[at] ?? 0;
      low = mix32(low ^ byte);
      high = mix32((high + Math.imul(byte, 0x27d4eb2f)) ^ low);
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
    return (this.high >>> 11) * 0x1_0000_0000 + (this.low >>> 0);
  }

  hex(): string {
    return hex32(this.high) + hex32(this.low);
  }
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
