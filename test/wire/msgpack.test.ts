import fc from 'fast-check';
import { Unpackr } from 'msgpackr';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/base/assert.ts';
import { DecodeError, pack, unpack } from '../../src/wire/msgpack.ts';
import { DEPTH_MAX } from '../../src/wire/msgpack-decoder.ts';

const text = fc.string({ unit: 'binary', maxLength: 300 });
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.uint8Array({ maxLength: 70_000, size: 'small' }),
    fc.array(tie('value'), { maxLength: 20 }),
  ),
}));

function bytesOf(...bytes: readonly number[]): Uint8Array {
  return Uint8Array.from(bytes);
}

function nested(depth: number): unknown {
  let list: unknown = 1;
  for (let level = 0; level < depth; level++) list = [list];
  return list;
}

describe('what was packed', () => {
  test('comes out of unpack unchanged', () => {
    fc.assert(
      fc.property(value, (input) => {
        const plain = Object.is(input, -0) ? 0 : input;
        expect(unpack(pack(plain))).toEqual(plain);
      }),
    );
  });

  test('reads the same through msgpackr itself, but for a leading byte order mark', () => {
    const reference = new Unpackr({ useRecords: false });
    fc.assert(
      fc.property(value, (input) => {
        fc.pre(!JSON.stringify(input).includes('\ufeff'));
        const bytes = pack(input);
        expect(unpack(bytes)).toEqual(plain(reference.unpack(bytes)));
      }),
    );
  });

  test('keeps a leading byte order mark, whatever the length of the text', () => {
    for (const length of [0, 10, 47, 48, 49, 100, 300, 70_000]) {
      const marked = `\ufeff${'x'.repeat(length)}`;
      expect(unpack(pack(marked))).toBe(marked);
    }
  });

  test('has equal bytes for equal values', () => {
    fc.assert(
      fc.property(value, (input) => {
        expect(pack(structuredClone(input))).toEqual(pack(input));
      }),
    );
  });

  test('does not hold the pool of bytes that others are packed into', () => {
    const first = pack(['first']);
    const before = Uint8Array.from(first);
    for (let count = 0; count < 5_000; count++) pack(['x'.repeat(count % 50)]);
    expect(first).toEqual(before);
  });
});

describe('pack refuses', () => {
  test('a text with a lone surrogate, as INVALID', () => {
    expect(() => pack(['a\ud800'])).toThrow(/INVALID.*lone surrogate/);
  });

  test.each([
    ['a map', { a: 1 }],
    ['undefined', [undefined]],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['not a number', Number.NaN],
    ['infinity', Infinity],
    ['too many arrays in one another', nested(DEPTH_MAX + 1)],
  ])('%s', (_name, input) => {
    expect(() => pack(input)).toThrow(InvariantError);
  });

  test('nothing up to the depth that unpack accepts', () => {
    expect(unpack(pack(nested(DEPTH_MAX)))).toEqual(nested(DEPTH_MAX));
  });
});

describe('unpack refuses', () => {
  test.each([
    ['nothing', []],
    ['bytes after the value', [0x01, 0x02]],
    ['an empty map', [0x80]],
    ['a map of 16 bits', [0xde, 0x00, 0x00]],
    ['the token that msgpack never uses', [0xc1]],
    ['a record definition', [0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01]],
    ['an extension', [0xc7, 0x01, 0x05, 0x00]],
    ['a timestamp', [0xd6, 0xff, 0x00, 0x00, 0x00, 0x00]],
    ['a float of 32 bits', [0xca, 0x00, 0x00, 0x00, 0x00]],
    ['an integer of 64 bits', [0xcf, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['not a number', [0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]],
    ['infinity', [0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0]],
    ['a text that is cut', [0xa5, 0x61]],
    ['a text that is not UTF-8', [0xa1, 0xff]],
    ['a surrogate written as UTF-8', [0xa3, 0xed, 0xa0, 0x80]],
    ['an overlong form', [0xa2, 0xc0, 0x80]],
    ['bytes longer than the frame', [0xc6, 0xff, 0xff, 0xff, 0xff]],
    ['an array longer than the frame', [0xdd, 0xff, 0xff, 0xff, 0xff]],
    ['a number that is cut', [0xcd, 0x01]],
  ])('%s', (_name, bytes) => {
    expect(() => unpack(bytesOf(...bytes))).toThrow(DecodeError);
  });

  test('arrays nested as deep as a frame is long', () => {
    expect(() => unpack(new Uint8Array(256 * 1024).fill(0x91))).toThrow(/at most 16 arrays/);
  });

  test('arrays that each promise the rest of the frame, without allocating it', () => {
    const frame = new Uint8Array(256 * 1024);
    for (let at = 0; at + 3 < frame.length; at += 3) frame.set([0xdc, 0xff, 0xff], at);
    expect(() => unpack(frame)).toThrow(DecodeError);
  });

  test('records and extensions without remembering them', () => {
    const definition = bytesOf(0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01);
    expect(() => unpack(definition)).toThrow(DecodeError);
    expect(unpack(bytesOf(0x40))).toBe(0x40);
  });
});

// Binary fields come out of msgpackr as Buffers when it runs in Node.
function plain(input: unknown): unknown {
  if (input instanceof Uint8Array) return Uint8Array.from(input);
  return Array.isArray(input) ? input.map(plain) : input;
}
