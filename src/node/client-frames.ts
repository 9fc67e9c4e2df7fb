// How much of what a node says goes into one frame.

import type { NodeMessage, WatchEvent } from '../wire/client-messages.ts';

/** A frame of answers, by estimate; the hard limit of a frame is twice as much. */
const FRAME_BYTES = 128 * 1024;
/** Of a number below 2^53. */
const NUMBER_BYTES = 9;

/** Cuts a turn's answers into frames of a bounded size. */
export function framesOf(messages: readonly NodeMessage[]): NodeMessage[][] {
  const frames: NodeMessage[][] = [];
  let current: NodeMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    if (current.length > 0 && bytes + size > FRAME_BYTES) {
      frames.push(current);
      current = [];
      bytes = 0;
    }
    current.push(message);
    bytes += size;
  }
  if (current.length > 0) frames.push(current);
  return frames;
}

/** An upper estimate of a message's encoded size. */
function sizeOf(message: NodeMessage): number {
  switch (message.type) {
    case 'answer':
      return FRAME_BYTES;
    case 'keepAliveReply':
      return 32 + 64 * message.items.length;
    case 'news': {
      const { news } = message;
      return news.kind === 'granted' ? 128 + slotsBytes(news.slots) : 128 + 3 * news.reason.length;
    }
    case 'reply': {
      const { outcome } = message;
      if ('message' in outcome) return 256 + 3 * outcome.message.length;
      if (outcome.code === 'GRANTED') return 64 + slotsBytes(outcome.slots);
      if (outcome.code !== 'LOCK_BUSY') return 256;
      const { holder, ghost, name } = outcome;
      const texts = [holder?.sessionName, holder?.sessionMeta, holder?.meta, holder?.value, name];
      const slots = (holder?.slots.length ?? 0) + (ghost?.slots.length ?? 0);
      texts.push(ghost?.sessionName);
      return texts.reduce((sum, text) => sum + 3 * (text?.length ?? 0), 512 + NUMBER_BYTES * slots);
    }
    case 'watchEvents':
      return message.events.reduce((sum, event) => sum + watchEventBytes(event), 64);
    case 'watchOver':
    case 'goodbye':
      return 64 + 3 * message.message.length;
    default:
      return 512;
  }
}

/** An upper estimate of an event's encoded size. */
export function watchEventBytes(event: WatchEvent): number {
  const { name, session, value, reason } = event;
  return 64 + 3 * (name.length + session.length + (value?.length ?? 0) + reason.length);
}

function slotsBytes(slots: readonly (readonly number[])[]): number {
  return slots.reduce((sum, list) => sum + 5 + NUMBER_BYTES * list.length, 0);
}
