// What watchers of a lock are told of an event of the machine.

import type { LockEvent } from '../locks/outcomes.ts';
import type { WatchEvent, WatchEventType } from '../wire/client-messages.ts';

/** Events that concern locks; the others are about sessions alone. */
export type NamedEvent = Exclude<
  LockEvent,
  { readonly type: 'sessionOpened' | 'leaseChanged' | 'sessionEnded' }
>;

/** Null for an event that names no lock. */
export function asNamed(event: LockEvent): NamedEvent | null {
  switch (event.type) {
    case 'sessionOpened':
    case 'leaseChanged':
    case 'sessionEnded':
      return null;
    default:
      return event;
  }
}

/** The locks that it is about. */
export function namesOf(event: NamedEvent): readonly string[] {
  return 'names' in event ? event.names : [event.name];
}

/** The event as the watchers of one of its names see it. */
export function watchEventOf(event: NamedEvent, name: string): WatchEvent {
  const { session, acquireSeq } = event;
  const type = typeOf(event);
  return {
    type,
    name,
    session,
    acquireSeq,
    token: 'token' in event ? event.token : 0,
    value: 'value' in event ? event.value : null,
    // Of `expired` the type says it all.
    cause: 'cause' in event && type !== 'expired' ? event.cause : '',
    reason: 'reason' in event ? event.reason : '',
    delayMs: event.type === 'delayed' ? event.delayMs : 0,
  };
}

function typeOf(event: NamedEvent): WatchEventType {
  if (event.type !== 'freed') return event.type;
  switch (event.cause) {
    case 'expired':
      return 'expired';
    case 'broken':
    case 'ended':
      return 'broken';
    case 'released':
    case 'cancelled':
    case 'closed':
    case 'withdrawn': // ends waiters only
      return 'released';
  }
}
