// The short way to read a command says what the long one says, or nothing.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/locks/commands.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { decodePayload, encodeBody, encodePayload } from '../../src/wire/command.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { pack } from '../../src/wire/msgpack.ts';
import { UsualCommands } from '../../src/wire/usual-commands.ts';
import { ACQUIRE, BODIES, ITEM, RELEASE } from './samples.ts';

const STAMP = { ackedBelow: 2 ** 40, stampMs: 1_790_000_000_000 };

function payloadOf(body: CommandBody): Uint8Array {
  return encodePayload(encodeBody(body), STAMP);
}

/** What the reader of all forms says; null for an error. */
function longWay(payload: Uint8Array): Command | null {
  try {
    return decodePayload(payload);
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function sameOrNothing(reader: UsualCommands, payload: Uint8Array): void {
  const command = reader.read(payload);
  if (command !== null) expect(command).toEqual(longWay(payload));
}

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('x'.repeat(300)));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(),
  fc.constantFrom(0, 1, -1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
  fc.constantFrom(-0, 0.5, 2 ** 53, 2 ** 60),
);

describe('usual commands', () => {
  test.each([
    ['an acquire of one lock', ACQUIRE],
    [
      'one that is shared and waits for ever',
      { ...ACQUIRE, waitMs: null, items: [{ ...ITEM, mode: 'shared' }] },
    ],
    ['a release', RELEASE],
    ['a release of what was granted outside exactly-once', { ...RELEASE, acquireSeq: null }],
  ] as const)('%s is read', (_, body) => {
    const payload = payloadOf(body);
    expect(new UsualCommands().read(payload)).toEqual(decodePayload(payload));
  });

  test.each(Object.values(BODIES))('%o is read alike or left alone', (body) => {
    sameOrNothing(new UsualCommands(), payloadOf(body));
  });

  test('whatever their fields are, are read alike or left alone', () => {
    const reader = new UsualCommands();
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
      fc.property(fields, (values) => sameOrNothing(reader, encodePayload(pack(values), STAMP))),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['an acquire', payloadOf(ACQUIRE)],
    ['a release', payloadOf(RELEASE)],
  ])('%s with bytes changed, cut or added is read alike or left alone', (_, payload) => {
    const reader = new UsualCommands();
    for (let at = 0; at < payload.length; at++) {
      for (let byte = 0; byte < 256; byte += 5) {
        const changed = payload.slice();
        changed[at] = (payload[at] ?? 0) ^ byte;
        sameOrNothing(reader, changed);
      }
      sameOrNothing(reader, payload.subarray(0, at));
    }
    expect(reader.read(Uint8Array.of(...payload, 0))).toBeNull();
  });

  test('texts that fall on one place of the memory do not take each other for themselves', () => {
    const reader = new UsualCommands();
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 6_000; n++) {
        const payload = payloadOf({ ...RELEASE, name: `lock/${n}` });
        expect(reader.read(payload)).toMatchObject({ name: `lock/${n}` });
      }
    }
  });
});
