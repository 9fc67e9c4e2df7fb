// A frame of a node, made message by message. Nearly all of them are replies to the acquire of one
// lock and to its release, and the news that a waiter was granted: these are written straight into
// the frame, in a quarter of the time that packing takes. Whatever is not in exactly that form is
// packed.

import type { NewsMessage, NodeMessage, Reply } from './client-messages.ts';
import { NEWS_KINDS, REPLY_TYPES, nodeMessageFields } from './client-replies.ts';
import { MessageList } from './message-list.ts';
import { pack } from './msgpack.ts';
import { OUTCOME_CODES } from './outcome.ts';
import { choiceOf } from './reader.ts';

const REPLY = choiceOf(REPLY_TYPES, 'reply');
const NEWS = choiceOf(REPLY_TYPES, 'news');
const GRANTED = choiceOf(OUTCOME_CODES, 'GRANTED');
const QUEUED = choiceOf(OUTCOME_CODES, 'QUEUED');
const DONE = choiceOf(OUTCOME_CODES, 'DONE');
const NEWS_GRANTED = choiceOf(NEWS_KINDS, 'granted');

/** The bytes are those that encodeNodeMessages makes of the messages. */
export class NodeFrame {
  private readonly list = new MessageList();

  /** Messages so far; at most 65,535. */
  get length(): number {
    return this.list.length;
  }

  /** Bytes of the messages so far. */
  get sizeBytes(): number {
    return this.list.sizeBytes;
  }

  add(message: NodeMessage): void {
    const { list } = this;
    const { out } = list;
    out.isPlain = true;
    if (message.type === 'reply') this.reply(message);
    else if (message.type === 'news') this.news(message);
    else out.isPlain = false;
    if (!out.isPlain) {
      list.undo();
      out.raw(pack(nodeMessageFields(message)));
    }
    list.added();
  }

  /** The whole frame, in memory of its own; empties this. */
  take(): Uint8Array {
    return this.list.take();
  }

  /** A frame of all but the last message, which stays. There are two or more. */
  takeAllButLast(): Uint8Array {
    return this.list.takeAllButLast();
  }

  private reply({ requestId, revision, outcome }: Reply): void {
    const { out } = this.list;
    out.array(4);
    out.integer(REPLY);
    out.integer(requestId);
    out.integer(revision);
    if (outcome.code === 'GRANTED' && outcome.slots.length === 0) {
      out.array(3);
      out.integer(GRANTED);
      out.integer(outcome.token);
      out.array(0);
    } else if (outcome.code === 'DONE') {
      out.array(1);
      out.integer(DONE);
    } else if (outcome.code === 'QUEUED') {
      out.array(2);
      out.integer(QUEUED);
      out.integer(outcome.ahead);
    } else {
      out.isPlain = false;
    }
  }

  private news({ revision, news }: NewsMessage): void {
    const { out } = this.list;
    if (news.kind !== 'granted' || news.slots.length > 0) {
      out.isPlain = false;
      return;
    }
    out.array(3);
    out.integer(NEWS);
    out.integer(revision);
    out.array(5);
    out.integer(NEWS_GRANTED);
    out.text(news.session);
    out.integer(news.acquireSeq);
    out.integer(news.token);
    out.array(0);
  }
}
