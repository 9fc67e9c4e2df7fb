// The frame that all links write their answers into belongs to one of them at a time.

import { expect, test } from 'vitest';
import { sendFrames } from '../../src/node/client-frames.ts';
import type { NodeMessage, Reply } from '../../src/wire/client-messages.ts';
import { decodeNodeMessages } from '../../src/wire/client.ts';
import { NodeFrame } from '../../src/wire/node-frame.ts';
import { FakeLink } from './fake-link.ts';

const FRAME_BYTES = 128 * 1024;

function reply(requestId: number): Reply {
  return { type: 'reply', requestId, revision: 7, outcome: { code: 'DONE' } };
}

function goodbye(message: string): NodeMessage {
  return { type: 'goodbye', code: 'INTERNAL', message };
}

test('answers of a turn leave in their order, and several together in no large frame', () => {
  const link = new FakeLink('client:1');
  const long = goodbye('x'.repeat(FRAME_BYTES - 100));
  const messages = [reply(1), long, ...Array.from({ length: 60 }, (_, at) => reply(at)), long];
  sendFrames(messages, new NodeFrame(), link);
  expect(link.sent.flatMap((frame) => decodeNodeMessages(frame))).toEqual(messages);
  for (const frame of link.sent) {
    const isAlone = decodeNodeMessages(frame).length === 1;
    expect(isAlone || frame.length <= FRAME_BYTES + 3).toBe(true);
  }
});

test('answers that could not be written never reach the client of another link', () => {
  const frame = new NodeFrame();
  const link = new FakeLink('client:1');
  const other = new FakeLink('client:2');
  expect(() => sendFrames([reply(1), goodbye('\ud800')], frame, link)).toThrow('lone surrogate');
  sendFrames([reply(2)], frame, other);
  expect(other.sent.flatMap((sent) => decodeNodeMessages(sent))).toEqual([reply(2)]);
});
