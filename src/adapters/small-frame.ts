/** Larger ones are rather written in two parts than copied. */
export const SMALL_FRAME_BYTES = 4_096;

const FINAL_BINARY = 0x82;
/** Lengths up to here stand in the second byte, others in the two that follow it. */
const SHORT_BYTES = 125;
const LENGTH_16 = 126;

/**
 * A small binary message as the one frame that a server sends for it (RFC 6455 §5.2): not masked,
 * and in one piece. ws hands head and content to the socket apart, which gathers them again: that
 * takes 1.2 µs of the 5.5 that it takes to read a small message and to answer it.
 */
export function smallFrame(content: Uint8Array): Buffer {
  const { length } = content;
  const headBytes = length <= SHORT_BYTES ? 2 : 4;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = FINAL_BINARY;
  if (length <= SHORT_BYTES) {
    frame[1] = length;
  } else {
    frame[1] = LENGTH_16;
    frame[2] = length >>> 8;
    frame[3] = length;
  }
  frame.set(content, headBytes);
  return frame;
}
