// How much of what a node says goes into one frame.

import type { Link } from '../ports/transport.ts';
import type { NodeMessage } from '../wire/client-messages.ts';
import type { NodeFrame } from '../wire/node-frame.ts';

/** A frame of several answers; a larger one goes alone, and is at most twice as large. */
const FRAME_BYTES = 128 * 1024;

/** Sends a turn's answers in frames of a bounded size; `frame` is empty before and after. */
export function sendFrames(
  messages: readonly NodeMessage[],
  frame: NodeFrame,
  link: Pick<Link, 'send'>,
): void {
  try {
    for (const message of messages) {
      frame.add(message);
      const isTooMuch = frame.length > 1 && frame.sizeBytes > FRAME_BYTES;
      if (isTooMuch) link.send(frame.takeAllButLast());
    }
    link.send(frame.take());
  } catch (error) {
    frame.take(); // or the client of the next link would be told what was not for it
    throw error;
  }
}
