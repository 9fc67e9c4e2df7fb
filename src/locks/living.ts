// What lives, for whoever keeps deadlines of it and did not see it begin.

import type { LivingFact } from './machine-types.ts';
import type { Lock, Session } from './state.ts';
import type { LockState } from './step.ts';

/** Names that are looked at together: between two pages the state may change. */
const PAGE = 256;

/** The events with which all that lives began; null for each look that found none. */
export function* livingFacts({ sessions, locks }: LockState): Iterable<LivingFact | null> {
  for (const session of sessions.all()) {
    yield { type: 'sessionOpened', session: session.id, ttlMs: session.ttlMs };
    yield* waitersOf(session);
  }
  let names = locks.page('', '', PAGE);
  while (names.length > 0) {
    for (const name of names) {
      yield null;
      yield* ghostsAt(locks.find(name));
    }
    names = locks.page('', names.at(-1) ?? '', PAGE);
  }
}

function* waitersOf(session: Session): Iterable<LivingFact | null> {
  if (session.waiting === 0) return;
  // A copy, for requests may come and go while this one is looked at.
  for (const request of [...session.requests.values()]) {
    yield null;
    if (request.isGranted() || session.requests.get(request.seq) !== request) continue;
    const { seq: acquireSeq, waitMs } = request;
    yield { type: 'queued', session: session.id, acquireSeq, waitMs, names: request.names() };
  }
}

function* ghostsAt(lock: Lock | null): Iterable<LivingFact> {
  for (const { grant } of lock?.crowd?.ghosts(Infinity) ?? []) {
    const { session, acquireSeq, token, closedAt, lockDelayMs: delayMs } = grant;
    const name = lock?.name ?? '';
    yield { type: 'delayed', session, acquireSeq, token, name, closedAt, delayMs };
  }
}
