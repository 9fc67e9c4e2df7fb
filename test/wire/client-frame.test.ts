// What is written straight into a frame is what packing would make of it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import { ClientFrame } from '../../src/wire/client-frame.ts';
import type { ClientMessage } from '../../src/wire/client-messages.ts';
import { encodeClientMessages } from '../../src/wire/client.ts';
import { encodeBody } from '../../src/wire/command.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { CLIENT_MESSAGES } from './client-samples.ts';
import { BODIES } from './samples.ts';

interface Command {
  readonly requestId: number;
  readonly ackedBelow: number;
  readonly body: CommandBody;
}

function packed(commands: readonly Command[]): Uint8Array {
  return encodeClientMessages(
    commands.map(({ requestId, ackedBelow, body }) => {
      return { type: 'command', requestId, ackedBelow, body: encodeBody(body) };
    }),
  );
}

function written(frame: ClientFrame, commands: readonly Command[]): Uint8Array {
  for (const { requestId, ackedBelow, body } of commands) {
    frame.command(requestId, ackedBelow, body);
  }
  return frame.take();
}

const length = fc.constantFrom(0, 1, 31, 32, 33, 63, 64, 100, 254, 255, 256, 4_000);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  length.map((count) => 'x'.repeat(count)),
  length.map((count) => `${'x'.repeat(count)}\u00e9`),
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(),
  fc.constantFrom(0, 1, 31, 32, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53),
  fc.constantFrom(-0, -1, 0.5, -(2 ** 40)),
);
const permits = fc.constantFrom(null, [1, 2] as const);
const mode = fc.constantFrom('exclusive' as const, 'shared' as const);
const body: fc.Arbitrary<CommandBody> = fc.oneof(
  fc.record({
    op: fc.constant('acquire' as const),
    session: text,
    seq: number,
    items: fc.array(fc.record({ name: text, mode, permits }), { minLength: 1, maxLength: 2 }),
    waitMs: fc.option(number),
    meta: text,
    value: fc.option(text),
  }),
  fc.record({
    op: fc.constant('release' as const),
    session: text,
    seq: number,
    name: text,
    acquireSeq: fc.option(number),
    token: number,
  }),
  fc.constantFrom(...Object.values(BODIES)),
);
const command = fc.record({ requestId: number, ackedBelow: number, body });

describe('a frame of a client', () => {
  test('has the bytes that packing makes of the same commands', () => {
    const frame = new ClientFrame();
    const property = fc.property(fc.array(command, { minLength: 1, maxLength: 20 }), (commands) => {
      expect(Buffer.compare(written(frame, commands), packed(commands))).toBe(0);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('takes every other message as well', () => {
    const frame = new ClientFrame();
    const messages: readonly ClientMessage[] = Object.values(CLIENT_MESSAGES);
    for (const message of messages) frame.message(message);
    expect(frame.take()).toEqual(encodeClientMessages(messages));
  });

  test('of a thousand commands is as whole, and leaves nothing behind in the next', () => {
    const frame = new ClientFrame();
    const many = Array.from({ length: 1_000 }, (_, requestId) => {
      return { requestId, ackedBelow: 1, body: BODIES.acquire };
    });
    const kept = written(frame, many);
    const sizeBytes = kept.length - 3;
    expect(Buffer.compare(kept, packed(many))).toBe(0);
    const few = many.slice(7, 8);
    expect(written(frame, few)).toEqual(packed(few));
    for (const { requestId } of many) frame.command(requestId, 1, BODIES.acquire);
    expect(frame.sizeBytes).toBe(sizeBytes);
  });

  test('refuses a text that is not well-formed, and is then as if it had not come', () => {
    const frame = new ClientFrame();
    const good = { requestId: 1, ackedBelow: 1, body: BODIES.acquire };
    frame.command(good.requestId, good.ackedBelow, good.body);
    const bad = { op: 'closeSession', session: '\ud800', seq: 1 } as const;
    expect(() => frame.command(2, 1, bad)).toThrow(HoldfastError);
    expect(frame.take()).toEqual(packed([good]));
  });
});
