// What is written straight into a frame is what packing would make of it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import { encodeNodeMessages } from '../../src/wire/client.ts';
import { NodeFrame } from '../../src/wire/node-frame.ts';
import { NODE_MESSAGES } from './client-samples.ts';

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(),
  fc.constantFrom(0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
);
const slots = fc.constantFrom([], [[]], [[1, 300]], [[0], [70_000]]);
const outcome = fc.oneof(
  fc.record({ code: fc.constant('DONE' as const) }),
  fc.record({ code: fc.constant('QUEUED' as const), ahead: number }),
  fc.record({ code: fc.constant('GRANTED' as const), token: number, slots }),
  fc.record({ code: fc.constant('SESSION_GONE' as const), message: fc.string() }),
);
const session = fc.oneof(
  fc.string(),
  fc.constantFrom('x'.repeat(255), 'x'.repeat(256), '7-\u00e9'),
);
const message: fc.Arbitrary<NodeMessage> = fc.oneof(
  fc.record({ type: fc.constant('reply' as const), requestId: number, revision: number, outcome }),
  fc.record({
    type: fc.constant('news' as const),
    revision: number,
    news: fc.record({
      kind: fc.constant('granted' as const),
      session,
      acquireSeq: number,
      token: number,
      slots,
    }),
  }),
  fc.constantFrom(...Object.values(NODE_MESSAGES)),
);

describe('a frame of a node', () => {
  test('has the bytes that packing makes of the same messages', () => {
    const frame = new NodeFrame();
    const property = fc.property(fc.array(message, { maxLength: 40 }), (messages) => {
      for (const each of messages) frame.add(each);
      expect(Buffer.compare(frame.take(), encodeNodeMessages(messages))).toBe(0);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test('can be sent without its last message, which begins the next', () => {
    const frame = new NodeFrame();
    const property = fc.property(fc.array(message, { minLength: 2, maxLength: 40 }), (messages) => {
      const next = messages.slice(0, 3);
      for (const each of messages) frame.add(each);
      const sent = frame.takeAllButLast();
      expect(Buffer.compare(sent, encodeNodeMessages(messages.slice(0, -1)))).toBe(0);
      const rest = [...messages.slice(-1), ...next];
      for (const each of next) frame.add(each);
      const { length, sizeBytes } = frame;
      const last = frame.take();
      expect(Buffer.compare(last, encodeNodeMessages(rest))).toBe(0);
      expect([length, sizeBytes]).toEqual([rest.length, last.length - 1]);
    });
    fc.assert(property, { numRuns: 500 });
  });
});
