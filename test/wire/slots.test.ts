import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/base/hash.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { pack, unpack } from '../../src/wire/msgpack.ts';
import { SLOT_FORMAT_VERSION, decodeSlot, encodeSlot } from '../../src/wire/slots.ts';
import { SLOT } from './samples.ts';

/** The slot with these fields behind its own, and a right CRC. */
function withMore(bytes: Uint8Array, ...more: readonly unknown[]): Uint8Array {
  const fields = unpack(bytes.subarray(4));
  if (!Array.isArray(fields)) throw new Error('a slot holds an array');
  const content = pack([...fields, ...more]);
  const changed = new Uint8Array(4 + content.length);
  changed.set(content, 4);
  new DataView(changed.buffer).setUint32(0, crc32c(content), true);
  return changed;
}

describe('a slot', () => {
  test('of a blank node comes back', () => {
    const blank = { ...SLOT, clusterId: null, term: 0, vote: null };
    expect(decodeSlot(encodeSlot(blank))).toEqual(blank);
  });

  test('with any single bit flipped is refused', () => {
    const bytes = encodeSlot(SLOT);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Uint8Array.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decodeSlot(damaged)).toThrow(DecodeError);
    }
  });

  test('of a newer format tells its version, whatever else it holds', () => {
    const formatVersion = SLOT_FORMAT_VERSION + 1;
    const newer = withMore(encodeSlot({ ...SLOT, formatVersion }), 'more', [1]);
    expect(decodeSlot(newer)).toEqual({ ...SLOT, formatVersion });
  });

  test('of this format with more fields is refused', () => {
    expect(() => decodeSlot(withMore(encodeSlot(SLOT), 1))).toThrow(/expected 10 fields, got 11/);
  });

  test('that is empty is refused', () => {
    expect(() => decodeSlot(new Uint8Array())).toThrow(DecodeError);
  });
});
