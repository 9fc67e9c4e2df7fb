// The short way to read requests says what the long one says, or nothing.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClientMessage } from '../../src/wire/client-messages.ts';
import { readClientMessage } from '../../src/wire/client-requests.ts';
import { encodeClientMessages } from '../../src/wire/client.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';
import { pack, unpack } from '../../src/wire/msgpack.ts';
import { usualRequests } from '../../src/wire/usual-requests.ts';
import { CLIENT_MESSAGES } from './client-samples.ts';

const SHORT: readonly ClientMessage[] = [
  { type: 'command', requestId: 7, ackedBelow: 3, body: new Uint8Array([1, 2, 3]) },
  { type: 'command', requestId: 0, ackedBelow: 2 ** 32, body: new Uint8Array(0) },
];
const USUAL: readonly ClientMessage[] = [
  ...SHORT,
  { type: 'command', requestId: 2 ** 33, ackedBelow: 70_000, body: new Uint8Array(300).fill(9) },
];

/** What the reader of all forms says; null for an error. */
function longWay(frame: Uint8Array): readonly ClientMessage[] | null {
  try {
    const list = unpack(frame);
    if (!Array.isArray(list)) return null;
    return list.map((each: unknown) => readClientMessage(each, 'frame'));
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function sameOrNothing(frame: Uint8Array): void {
  const requests = usualRequests(frame);
  if (requests !== null) expect(requests).toEqual(longWay(frame));
}

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(),
  fc.constantFrom(0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
  fc.constantFrom(-0, -1, 0.5, 2 ** 60),
);

describe('usual requests', () => {
  test('are read, few or many', () => {
    expect(usualRequests(encodeClientMessages(USUAL))).toEqual(USUAL);
    const many = Array.from({ length: 300 }, () => USUAL).flat();
    expect(usualRequests(encodeClientMessages(many))).toEqual(many);
  });

  test('have bodies that are views into the frame', () => {
    const frame = encodeClientMessages(USUAL);
    const within = new Uint8Array(frame.length + 8);
    within.set(frame, 5);
    const [first] = usualRequests(within.subarray(5, 5 + frame.length)) ?? [];
    expect(first?.body).toEqual(USUAL[0]?.type === 'command' ? USUAL[0].body : null);
    expect(first?.body.buffer).toBe(within.buffer);
  });

  test.each(Object.values(CLIENT_MESSAGES))('%o is read alike or left alone', (message) => {
    sameOrNothing(encodeClientMessages([message]));
    sameOrNothing(encodeClientMessages([...USUAL, message]));
  });

  test('whatever their fields are, are read alike or left alone', () => {
    const body = fc.oneof(fc.uint8Array({ maxLength: 300 }), number, fc.string());
    const request = fc.oneof(
      fc.tuple(fc.nat(2), number, number, body),
      fc.tuple(fc.nat(2), number, number),
    );
    const property = fc.property(fc.array(request, { maxLength: 20 }), (requests) => {
      sameOrNothing(pack(requests));
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test('with bytes changed, cut or added are read alike or left alone', () => {
    const frame = encodeClientMessages(SHORT);
    for (let at = 0; at < frame.length; at++) {
      for (let byte = 0; byte < 256; byte += 5) {
        const changed = frame.slice();
        changed[at] = (frame[at] ?? 0) ^ byte;
        sameOrNothing(changed);
      }
      expect(usualRequests(frame.subarray(0, at))).toBeNull();
    }
    expect(usualRequests(Uint8Array.of(...frame, 0))).toBeNull();
  });
});
