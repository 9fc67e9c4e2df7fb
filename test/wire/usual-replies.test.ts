// The short way to read replies says what the long one says, or nothing.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import { readNodeMessage } from '../../src/wire/client-replies.ts';
import { encodeNodeMessages } from '../../src/wire/client.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { pack, unpack } from '../../src/wire/msgpack.ts';
import { usualReplies } from '../../src/wire/usual-replies.ts';
import { NODE_MESSAGES } from './client-samples.ts';

const USUAL: readonly NodeMessage[] = [
  { type: 'reply', requestId: 7, revision: 300, outcome: { code: 'DONE' } },
  {
    type: 'reply',
    requestId: 2 ** 33,
    revision: 70_000,
    outcome: { code: 'GRANTED', token: 2 ** 40, slots: [] },
  },
  { type: 'reply', requestId: 0, revision: 2 ** 32, outcome: { code: 'QUEUED', ahead: 3 } },
];

/** What the reader of all forms says; null for an error. */
function longWay(frame: Uint8Array): readonly NodeMessage[] | null {
  try {
    const list = unpack(frame);
    if (!Array.isArray(list)) return null;
    return list.map((each: unknown) => readNodeMessage(each, 'frame'));
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function sameOrNothing(frame: Uint8Array): void {
  const replies = usualReplies(frame);
  if (replies !== null) expect(replies).toEqual(longWay(frame));
}

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(),
  fc.constantFrom(0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
  fc.constantFrom(-0, -1, 0.5, 2 ** 60),
);

describe('usual replies', () => {
  test('are read, few or many', () => {
    expect(usualReplies(encodeNodeMessages(USUAL))).toEqual(USUAL);
    const many = Array.from({ length: 300 }, () => USUAL).flat();
    expect(usualReplies(encodeNodeMessages(many))).toEqual(many);
  });

  test.each(Object.values(NODE_MESSAGES))('%o is read alike or left alone', (message) => {
    sameOrNothing(encodeNodeMessages([message]));
    sameOrNothing(encodeNodeMessages([...USUAL, message]));
  });

  test('whatever their fields are, are read alike or left alone', () => {
    const outcome = fc.oneof(
      fc.tuple(fc.nat(4)),
      fc.tuple(fc.nat(4), number),
      fc.tuple(fc.nat(4), number, fc.array(fc.array(number, { maxLength: 2 }), { maxLength: 2 })),
    );
    const reply = fc.tuple(fc.nat(3), number, number, outcome);
    const property = fc.property(fc.array(reply, { maxLength: 20 }), (replies) => {
      sameOrNothing(pack(replies));
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test('with bytes changed, cut or added are read alike or left alone', () => {
    const frame = encodeNodeMessages(USUAL);
    for (let at = 0; at < frame.length; at++) {
      for (let byte = 0; byte < 256; byte += 5) {
        const changed = frame.slice();
        changed[at] = (frame[at] ?? 0) ^ byte;
        sameOrNothing(changed);
      }
      expect(usualReplies(frame.subarray(0, at))).toBeNull();
    }
    expect(usualReplies(Uint8Array.of(...frame, 0))).toBeNull();
  });
});
