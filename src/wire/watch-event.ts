// What watchers are told, as positional arrays.

import type { WatchEvent, WatchEventType } from './client-messages.ts';
import { Reader, choiceOf } from './reader.ts';

const TYPES = [
  'granted',
  'released',
  'expired',
  'broken',
  'queued',
  'left',
  'proclaimed',
  'delayed',
  'lifted',
] as const satisfies readonly WatchEventType[];

/** The event as a positional array. */
export function watchEventFields(event: WatchEvent): unknown[] {
  return [
    choiceOf(TYPES, event.type),
    event.name,
    event.session,
    event.acquireSeq,
    event.token,
    event.value,
    event.cause,
    event.reason,
    event.delayMs,
  ];
}

/** Throws DecodeError. */
export function readWatchEvent(value: unknown, what: string): WatchEvent {
  const read = new Reader(value, what);
  return read.done({
    type: read.choice('type', TYPES),
    name: read.text('name'),
    session: read.text('session'),
    acquireSeq: read.integer('acquireSeq', 1),
    token: read.integer('token'),
    value: read.textOrNull('value'),
    cause: read.text('cause'),
    reason: read.text('reason'),
    delayMs: read.integer('delayMs'),
  });
}
