// What is watched, and an event of every type.

import type { WatchEvent, WatchEventType, WatchTarget } from '../../src/wire/client-messages.ts';
import { ORIGIN, SESSION } from './samples.ts';

export const TARGETS: readonly WatchTarget[] = [
  { name: 'orders/42', prefix: '' },
  { name: null, prefix: 'orders/' },
];

const PLAIN_EVENT = {
  name: 'orders/42',
  session: SESSION,
  acquireSeq: 2,
  token: ORIGIN + 5,
  value: null,
  cause: '',
  reason: '',
  delayMs: 0,
} as const;

export const WATCH_EVENTS: { readonly [Type in WatchEventType]: WatchEvent } = {
  granted: { ...PLAIN_EVENT, type: 'granted', value: 'here' },
  released: { ...PLAIN_EVENT, type: 'released', cause: 'cancelled' },
  expired: { ...PLAIN_EVENT, type: 'expired' },
  broken: { ...PLAIN_EVENT, type: 'broken', cause: 'ended', reason: 'ops: stuck' },
  queued: { ...PLAIN_EVENT, type: 'queued', token: 0 },
  left: { ...PLAIN_EVENT, type: 'left', token: 0, cause: 'withdrawn' },
  proclaimed: { ...PLAIN_EVENT, type: 'proclaimed', value: 'there' },
  delayed: { ...PLAIN_EVENT, type: 'delayed', delayMs: 5_000 },
  lifted: { ...PLAIN_EVENT, type: 'lifted', cause: 'over' },
};
