// A frame of a client, made message by message. Nearly all of them are the acquire of one lock and
// its release: these are written straight into the frame. Whatever is not in exactly that form is
// packed, which also says what is wrong with it.

import type { ClientMessage } from './client-messages.ts';
import { REQUEST_TYPES, clientMessageFields } from './client-requests.ts';
import { encodeBody } from './command.ts';
import type { CommandBody } from './command.ts';
import { OPS } from './command-fields.ts';
import { MODES } from './modes.ts';
import { pack } from './msgpack.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import { choiceOf } from './reader.ts';

const COMMAND = choiceOf(REQUEST_TYPES, 'command');
const ACQUIRE = choiceOf(OPS, 'acquire');
const RELEASE = choiceOf(OPS, 'release');
/** Most frames of a busy client. */
const USUAL_BYTES = 32 * 1024;
/** Room for the head of the list of messages, whose length is known at the end. */
const HEAD_BYTES = 3;
/** Lists up to here have a head of one byte. */
const SHORT_LIST = 15;
const ARRAY = 0x90;
const ARRAY_16 = 0xdc;

type AcquireBody = Extract<CommandBody, { readonly op: 'acquire' }>;
type ReleaseBody = Extract<CommandBody, { readonly op: 'release' }>;

/** At most 65,535 messages; the bytes are those that encodeClientMessages makes of them. */
export class ClientFrame {
  private readonly out = new MsgpackWriter(USUAL_BYTES);
  private count = 0;

  constructor() {
    this.out.at = HEAD_BYTES;
  }

  /** Bytes of the messages so far. */
  get sizeBytes(): number {
    return this.out.at - HEAD_BYTES;
  }

  /** Throws HoldfastError INVALID for a text with a lone surrogate; nothing is added then. */
  message(message: ClientMessage): void {
    this.out.raw(pack(clientMessageFields(message)));
    this.count += 1;
  }

  /** A command with its body; see message. */
  command(requestId: number, ackedBelow: number, body: CommandBody): void {
    const { out } = this;
    const from = out.at;
    out.isPlain = true;
    out.array(4);
    out.integer(COMMAND);
    out.integer(requestId);
    out.integer(ackedBelow);
    const begun = out.begin();
    if (body.op === 'acquire') this.acquire(body);
    else if (body.op === 'release') this.release(body);
    else out.isPlain = false;
    if (out.isPlain) {
      out.end(begun);
      this.count += 1;
    } else {
      out.at = from;
      this.message({ type: 'command', requestId, ackedBelow, body: encodeBody(body) });
    }
  }

  /** The whole frame, in memory of its own; empties this. */
  take(): Uint8Array {
    const { out, count } = this;
    const isShort = count <= SHORT_LIST;
    if (isShort) {
      out.put(HEAD_BYTES - 1, ARRAY | count);
    } else {
      out.put(0, ARRAY_16);
      out.put(1, count >>> 8);
      out.put(2, count);
    }
    const frame = out.copyFrom(isShort ? HEAD_BYTES - 1 : 0);
    out.at = HEAD_BYTES;
    this.count = 0;
    return frame;
  }

  private acquire({ session, seq, items, waitMs, meta, value }: AcquireBody): void {
    const { out } = this;
    const [item] = items;
    if (item === undefined || items.length > 1 || item.permits !== null || value !== null) {
      out.isPlain = false;
      return;
    }
    out.array(7);
    out.integer(ACQUIRE);
    out.text(session);
    out.integer(seq);
    out.array(1);
    out.array(3);
    out.text(item.name);
    out.integer(choiceOf(MODES, item.mode));
    out.nil();
    out.integerOrNull(waitMs);
    out.text(meta);
    out.nil();
  }

  private release({ session, seq, name, acquireSeq, token }: ReleaseBody): void {
    const { out } = this;
    out.array(6);
    out.integer(RELEASE);
    out.text(session);
    out.integer(seq);
    out.text(name);
    out.integerOrNull(acquireSeq);
    out.integer(token);
  }
}
