// What a look at the bytes takes for a usual command is one, without a fault.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBody, encodeBody } from '../../src/wire/command.ts';
import { pack } from '../../src/wire/msgpack.ts';
import { usualOpOf } from '../../src/wire/usual-form.ts';
import { ACQUIRE, BODIES, ITEM, RELEASE } from './samples.ts';

/** It is what it is taken for, if for anything, and has one lock and no permits. */
function checkLook(body: Uint8Array): void {
  const op = usualOpOf(body);
  if (op === null) return;
  const command = decodeBody(body);
  expect(command.op).toBe(op);
  if (command.op === 'acquire') expect(command.items.map(({ permits }) => permits)).toEqual([null]);
}

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('x'.repeat(300)));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(),
  fc.constantFrom(0, 1, -1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
  fc.constantFrom(-0, 0.5, 2.5, 2 ** 51 + 0.5, 2 ** 53, 2 ** 60, -(2 ** 40)),
);

describe('the usual form', () => {
  test.each([
    ['acquire', ACQUIRE],
    ['acquire', { ...ACQUIRE, waitMs: null, items: [{ ...ITEM, mode: 'shared' }] }],
    ['acquire', { ...ACQUIRE, waitMs: 0, seq: 2 ** 31, meta: 'x'.repeat(200) }],
    ['release', RELEASE],
    ['release', { ...RELEASE, acquireSeq: null, token: 2 ** 32 }],
    ['release', { ...RELEASE, acquireSeq: 1, token: 65_536, seq: 2 ** 40 + 1 }],
  ] as const)('an %s is seen', (op, body) => {
    expect(usualOpOf(encodeBody(body))).toBe(op);
  });

  test.each([
    ['two locks', { ...ACQUIRE, items: [ITEM, ITEM] }],
    ['permits', { ...ACQUIRE, items: [{ ...ITEM, permits: [1, 2] }] }],
    ['a value', { ...ACQUIRE, value: 'v' }],
    ['texts that are not ASCII', { ...RELEASE, name: 'schlüssel' }],
  ] as const)('what has %s is decoded', (_, body) => {
    expect(usualOpOf(encodeBody(body))).toBeNull();
  });

  test.each(Object.values(BODIES))('%o is nothing else than it is taken for', (body) => {
    checkLook(encodeBody(body));
  });

  test('whatever the fields are, nothing with a fault is taken for usual', () => {
    const fields = fc.oneof(
      fc.tuple(
        fc.constant(1),
        text,
        number,
        fc.array(fc.tuple(text, fc.nat(2), fc.constantFrom(null, [1, 2])), { maxLength: 2 }),
        fc.option(number),
        text,
        fc.option(text),
      ),
      fc.tuple(fc.constant(3), text, number, text, fc.option(number), number),
      fc.array(fc.oneof(text, number), { maxLength: 8 }),
    );
    fc.assert(
      fc.property(fields, (values) => checkLook(pack(values))),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['an acquire', encodeBody(ACQUIRE)],
    ['a release', encodeBody(RELEASE)],
  ])('%s with bytes changed, cut or added is decoded, or is whole', (_, body) => {
    for (let at = 0; at < body.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const changed = body.slice();
        changed[at] = byte;
        checkLook(changed);
      }
      checkLook(body.subarray(0, at));
    }
    expect(usualOpOf(Uint8Array.of(...body, 0))).toBeNull();
  });
});
