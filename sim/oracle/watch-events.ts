// What the log has to tell those who watch locks, worked out without the product.

import type { Revision } from '../../src/base/units.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import type { WatchEvent, WatchEventType, WatchTarget } from '../../src/wire/watch-messages.ts';
import { isSameData } from './outcomes.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';

/** Who leads by the log; the same parts of what observers of an election are told. */
export interface SeenLeader {
  readonly token: number;
  readonly session: string;
  readonly acquireSeq: number;
  /** '' for none. */
  readonly value: string;
}

/** The events of an entry for this watch, in their order. */
export function eventsFor(target: WatchTarget, { events }: CommittedEntry): readonly WatchEvent[] {
  if (events.length === 0) return [];
  return events.flatMap((event) =>
    namesIn(event)
      .filter((name) => isAbout(target, name))
      .flatMap((name) => toldOf(event, name)),
  );
}

/** The first revision after `after`, up to `upTo`, with an event for this watch; null: none. */
export function nextRevision(
  log: CommittedLog,
  target: WatchTarget,
  { after, upTo }: { readonly after: Revision; readonly upTo: Revision },
): Revision | null {
  const first = Math.max(after + 1, log.entries[0]?.index ?? 0);
  for (let index = first; index <= upTo; index++) {
    const entry = log.at(index);
    if (entry === undefined) return null;
    if (eventsFor(target, entry).length > 0) return index;
  }
  return null;
}

/**
 * The revision after which a node has all events: it began with `begin`, has applied up to
 * `applied`, and keeps the last entries with at most `eventsMax` events together.
 */
export function keptFrom(
  log: CommittedLog,
  node: { readonly begin: Revision; readonly applied: Revision; readonly eventsMax: number },
): Revision {
  let kept = 0;
  for (let index = node.applied; index > node.begin; index--) {
    const events = log.at(index)?.events ?? [];
    if (!events.some((event) => namesIn(event).length > 0)) continue;
    kept += events.length;
    if (kept > node.eventsMax) return index;
  }
  return node.begin;
}

/** Who leads after each entry that changed it, in the order of the log. */
export function leadersOf(
  name: string,
  log: CommittedLog,
): readonly { readonly revision: Revision; readonly leader: SeenLeader | null }[] {
  const changes: { revision: Revision; leader: SeenLeader | null }[] = [];
  let known: SeenLeader | null = null;
  for (const entry of log.entries) {
    let leader: SeenLeader | null = known;
    for (const event of eventsFor({ name, prefix: '' }, entry)) leader = follow(leader, event);
    if (!isSameData(leader, known)) changes.push({ revision: entry.index, leader });
    known = leader;
  }
  return changes;
}

function follow(leader: SeenLeader | null, event: WatchEvent): SeenLeader | null {
  const { type, session, acquireSeq, token } = event;
  if (type === 'granted' || type === 'proclaimed') {
    return { token, session, acquireSeq, value: event.value ?? '' };
  }
  return type === 'released' || type === 'expired' || type === 'broken' ? null : leader;
}

function isAbout({ name, prefix }: WatchTarget, other: string): boolean {
  return name === null ? other.startsWith(prefix) : other === name;
}

function namesIn(event: LockEvent): readonly string[] {
  if ('names' in event) return event.names;
  return 'name' in event ? [event.name] : [];
}

function toldOf(event: LockEvent, name: string): readonly WatchEvent[] {
  if (!('acquireSeq' in event)) return [];
  const { session, acquireSeq } = event;
  const common = { name, session, acquireSeq, token: 0, value: null, delayMs: 0 };
  const silent = { ...common, cause: '', reason: '' };
  switch (event.type) {
    case 'granted':
    case 'proclaimed':
      return [{ ...silent, type: event.type, token: event.token, value: event.value }];
    case 'queued':
      return [{ ...silent, type: 'queued' }];
    case 'left':
      return [{ ...silent, type: 'left', cause: event.cause }];
    case 'freed': {
      const { token, reason } = event;
      const type = FREED[event.cause] ?? 'released';
      return [{ ...silent, type, token, reason, cause: type === 'expired' ? '' : event.cause }];
    }
    case 'delayed':
      return [{ ...silent, type: 'delayed', token: event.token, delayMs: event.delayMs }];
    case 'lifted': {
      const { token, reason, cause } = event;
      return [{ ...silent, type: 'lifted', token, reason, cause }];
    }
  }
}

/** How a grant went, where it was not given back. */
const FREED: Readonly<Record<string, WatchEventType | undefined>> = {
  expired: 'expired',
  broken: 'broken',
  ended: 'broken',
};
