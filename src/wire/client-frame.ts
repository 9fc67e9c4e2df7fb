// A frame of a client, made message by message. Nearly all of them are the acquire of one lock and
// its release: these are written straight into the frame. Whatever is not in exactly that form is
// packed, which also says what is wrong with it.

import type { ClientMessage } from './client-messages.ts';
import { REQUEST_TYPES, clientMessageFields } from './client-requests.ts';
import { encodeBody } from './command.ts';
import type { CommandBody } from './command.ts';
import { OPS } from './command-fields.ts';
import { MessageList } from './message-list.ts';
import { MODES } from './modes.ts';
import { pack } from './msgpack.ts';
import { choiceOf } from './reader.ts';

const COMMAND = choiceOf(REQUEST_TYPES, 'command');
const ACQUIRE = choiceOf(OPS, 'acquire');
const RELEASE = choiceOf(OPS, 'release');

type AcquireBody = Extract<CommandBody, { readonly op: 'acquire' }>;
type ReleaseBody = Extract<CommandBody, { readonly op: 'release' }>;

/** At most 65,535 messages; the bytes are those that encodeClientMessages makes of them. */
export class ClientFrame {
  private readonly list = new MessageList();

  /** Bytes of the messages so far. */
  get sizeBytes(): number {
    return this.list.sizeBytes;
  }

  /** Throws HoldfastError INVALID for a text with a lone surrogate; nothing is added then. */
  message(message: ClientMessage): void {
    this.list.out.raw(pack(clientMessageFields(message)));
    this.list.added();
  }

  /** A command with its body; see message. */
  command(requestId: number, ackedBelow: number, body: CommandBody): void {
    const { list } = this;
    const { out } = list;
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
      list.added();
    } else {
      list.undo();
      this.message({ type: 'command', requestId, ackedBelow, body: encodeBody(body) });
    }
  }

  /** The whole frame, in memory of its own; empties this. */
  take(): Uint8Array {
    return this.list.take();
  }

  private acquire({ session, seq, items, waitMs, meta, value }: AcquireBody): void {
    const { out } = this.list;
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
    const { out } = this.list;
    out.array(6);
    out.integer(RELEASE);
    out.text(session);
    out.integer(seq);
    out.text(name);
    out.integerOrNull(acquireSeq);
    out.integer(token);
  }
}
