// Checksums and hashes are part of the formats on the wire and on disk: the fast ways to compute
// them give what the plain definitions give.

import { describe, expect, it } from 'vitest';
import { Hasher, crc32c, crc32cOf, crc32cOfAscii, hash53 } from '../../src/base/hash.ts';

const BYTES = Uint8Array.from({ length: 64 }, (_, at) => (at * 167 + 13) & 0xff);

/** As the first release computed it. */
const HASH_OF_BYTES = 1_629_167_759_923_866;

/** CRC-32C by its definition, bit by bit. */
function crcByBits(bytes: Uint8Array, seed: number): number {
  let crc = ~seed;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** All stretches of at most 20 bytes, so that every rest after the fours comes at every place. */
function* stretches(): Generator<readonly [number, number]> {
  for (let from = 0; from < 8; from++) {
    for (let to = from; to <= from + 20; to++) yield [from, to];
  }
}

describe('CRC-32C', () => {
  it('gives what RFC 3720 gives for its examples', () => {
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  });

  it('is the same of every stretch, from every seed, as bit by bit', () => {
    for (const [from, to] of stretches()) {
      for (const seed of [0, 1, 0x8000_0000, 0xffff_ffff]) {
        expect(crc32cOf(BYTES, from, to, seed)).toBe(crcByBits(BYTES.slice(from, to), seed));
      }
    }
  });

  it('goes on from an earlier result, and takes texts as their bytes', () => {
    expect(crc32c(BYTES.slice(7), crc32c(BYTES.slice(0, 7)))).toBe(crc32c(BYTES));
    expect(crc32cOfAscii('a state row')).toBe(crc32c(new TextEncoder().encode('a state row')));
  });
});

describe('hash53', () => {
  it('is that of a hasher that was fed with the number of bytes and each of them', () => {
    for (const [from, to] of stretches()) {
      const hasher = new Hasher().u32(to - from);
      for (const byte of BYTES.slice(from, to)) hasher.u32(byte);
      expect(hash53(BYTES.slice(0, to), from)).toBe(hasher.digest53());
    }
  });

  it('never changes: requests of older logs are told apart by it', () => {
    expect(hash53(BYTES, 17)).toBe(HASH_OF_BYTES);
  });
});
