// Frames between a client and a node: each is a list of messages, so that many small ones share
// one frame.

import type { ClientMessage, NodeMessage } from './client-messages.ts';
import { nodeMessageFields, readNodeMessage } from './client-replies.ts';
import { clientMessageFields, readClientMessage } from './client-requests.ts';
import { unexpected } from './decode-error.ts';
import { pack, unpack } from './msgpack.ts';
import { usualReplies } from './usual-replies.ts';
import { usualRequests } from './usual-requests.ts';

/** One frame from a client. Throws HoldfastError INVALID for a text with a lone surrogate. */
export function encodeClientMessages(list: readonly ClientMessage[]): Uint8Array {
  return pack(list.map(clientMessageFields));
}

/** Throws DecodeError for anything but a list of whole messages. Command bodies are views. */
export function decodeClientMessages(bytes: Uint8Array): ClientMessage[] {
  return usualRequests(bytes) ?? readList(bytes, readClientMessage);
}

/** One frame from a node. */
export function encodeNodeMessages(list: readonly NodeMessage[]): Uint8Array {
  return pack(list.map(nodeMessageFields));
}

/** Throws DecodeError for anything but a list of whole messages. */
export function decodeNodeMessages(bytes: Uint8Array): readonly NodeMessage[] {
  return usualReplies(bytes) ?? readList(bytes, readNodeMessage);
}

function readList<T>(bytes: Uint8Array, read: (value: unknown, what: string) => T): T[] {
  const list = unpack(bytes);
  if (!Array.isArray(list)) throw unexpected('frame', 'an array of messages', list);
  return list.map((value: unknown, at) => read(value, `frame[${at}]`));
}
