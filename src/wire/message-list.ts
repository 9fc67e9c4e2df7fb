import { MsgpackWriter } from './msgpack-writer.ts';

/** Most frames of a busy link. */
const USUAL_BYTES = 32 * 1024;
/** Room for the head of the list of messages, whose length is known at the end. */
const HEAD_BYTES = 3;
/** Lists up to here have a head of one byte. */
const SHORT_LIST = 15;
const ARRAY = 0x90;
const ARRAY_16 = 0xdc;

/** A frame that is made message by message, in memory that is used again. */
export class MessageList {
  /** Writes the next message; what it wrote counts when `added` is called. */
  readonly out = new MsgpackWriter(USUAL_BYTES);
  private count = 0;
  /** Where the last message begins. */
  private lastAt = HEAD_BYTES;
  private end = HEAD_BYTES;

  constructor() {
    this.out.at = HEAD_BYTES;
  }

  /** Messages so far; at most 65,535. */
  get length(): number {
    return this.count;
  }

  /** Bytes of the messages so far. */
  get sizeBytes(): number {
    return this.end - HEAD_BYTES;
  }

  /** What was written since the last message is the next one. */
  added(): void {
    this.lastAt = this.end;
    this.end = this.out.at;
    this.count += 1;
  }

  /** What was written since the last message is forgotten. */
  undo(): void {
    this.out.at = this.end;
  }

  /** The whole frame, in memory of its own; empties this. */
  take(): Uint8Array {
    const frame = this.frameTo(this.end, this.count);
    this.restart(0, 0);
    return frame;
  }

  /** A frame of all but the last message, which stays. There are two or more. */
  takeAllButLast(): Uint8Array {
    const frame = this.frameTo(this.lastAt, this.count - 1);
    this.out.move(this.lastAt, HEAD_BYTES);
    this.restart(this.end - this.lastAt, 1);
    return frame;
  }

  private frameTo(end: number, count: number): Uint8Array {
    const { out } = this;
    const isShort = count <= SHORT_LIST;
    if (isShort) {
      out.put(HEAD_BYTES - 1, ARRAY | count);
    } else {
      out.put(0, ARRAY_16);
      out.put(1, count >>> 8);
      out.put(2, count);
    }
    return out.copy(isShort ? HEAD_BYTES - 1 : 0, end);
  }

  private restart(bytes: number, count: number): void {
    this.out.at = this.end = HEAD_BYTES + bytes;
    this.lastAt = HEAD_BYTES;
    this.count = count;
  }
}
