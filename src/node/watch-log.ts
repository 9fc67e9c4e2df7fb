import type { Revision } from '../base/units.ts';
import type { LockEvent } from '../locks/outcomes.ts';
import { EventRing } from './event-ring.ts';

/** Events, and bytes of their texts by estimate, that are kept for watchers who come back. */
const KEPT_EVENTS_MAX = 16_384;
const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** What an event takes without its texts. */
const EVENT_BYTES = 160;
/** The same of a slot number, of which a grant of many permits has thousands. */
const SLOT_BYTES = 8;

/** The events of one entry, those aside that name no lock. */
export interface WatchedEntry {
  readonly revision: Revision;
  readonly events: readonly LockEvent[];
}

/** Bounds other than the usual, for tests. */
export interface WatchLogLimits {
  readonly eventsMax: number;
  readonly bytesMax: number;
}

/**
 * The last events by revision, on every node, for any may lead. The events of one entry stay
 * together and are dropped together; an entry that alone is beyond the bounds is not kept at all,
 * so that whoever would have needed it learns of a gap.
 */
export class WatchLog {
  private readonly limits: WatchLogLimits;
  /**
   * Entries, the oldest at `head`, `count` of them, and the bytes of each. Each has an event at
   * least, which bounds the number.
   */
  private readonly ring = new EventRing();
  private readonly sizes: number[] = [];
  private head = 0;
  private count = 0;
  private events = 0;
  private bytes = 0;
  private filled = 0;
  private droppedTo: Revision;

  /** `begin`: what was applied before the first push. */
  constructor(
    begin: Revision,
    limits: WatchLogLimits = { eventsMax: KEPT_EVENTS_MAX, bytesMax: KEPT_BYTES_MAX },
  ) {
    this.droppedTo = begin;
    this.limits = limits;
  }

  /** All events of later revisions are kept. */
  get floor(): Revision {
    return this.droppedTo;
  }

  /** How many quarters of the bounds all pushed events fill together, whole ones. */
  get quarters(): number {
    return Math.floor(this.filled);
  }

  /** Revisions come in their order. An entry without a name is none of ours. */
  push(revision: Revision, events: readonly LockEvent[]): void {
    const bytes = bytesOf(events);
    if (bytes === 0) return;
    const { eventsMax, bytesMax } = this.limits;
    this.filled += 4 * Math.max(events.length / eventsMax, bytes / bytesMax);
    while (
      this.count > 0 &&
      (this.events + events.length > eventsMax || this.bytes + bytes > bytesMax)
    ) {
      this.dropOldest();
    }
    if (events.length > eventsMax || bytes > bytesMax) {
      this.droppedTo = revision;
      return;
    }
    const place = (this.head + this.count) % eventsMax;
    this.ring.put(place, revision, events);
    this.sizes[place] = bytes;
    this.count += 1;
    this.events += events.length;
    this.bytes += bytes;
  }

  /** Nothing of what led to this revision is known: who comes back from before it has a gap. */
  restart(begin: Revision): void {
    while (this.count > 0) this.dropOldest();
    this.droppedTo = begin;
  }

  /** The oldest entry of a later revision; null: there is none. Not to be asked below the floor. */
  next(after: Revision): WatchedEntry | null {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ring.revisionAt(this.placeOf(middle)) <= after) low = middle + 1;
      else high = middle;
    }
    if (low === this.count) return null;
    const place = this.placeOf(low);
    return { revision: this.ring.revisionAt(place), events: this.ring.eventsAt(place) };
  }

  private placeOf(position: number): number {
    return (this.head + position) % this.limits.eventsMax;
  }

  private dropOldest(): void {
    const { head } = this;
    this.events -= this.ring.countAt(head);
    this.bytes -= this.sizes[head] ?? 0;
    this.droppedTo = this.ring.revisionAt(head);
    this.ring.drop(head);
    this.head = (head + 1) % this.limits.eventsMax;
    this.count -= 1;
  }
}

function bytesOf(events: readonly LockEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += bytesOfEvent(event);
  return bytes;
}

function bytesOfEvent(event: LockEvent): number {
  switch (event.type) {
    case 'sessionOpened':
    case 'leaseChanged':
    case 'sessionEnded':
      return 0;
    case 'granted':
      return bytesOfNames(event.names) + (event.value?.length ?? 0) + bytesOfSlots(event.slots);
    case 'proclaimed':
      return bytesOfNames(event.names) + event.value.length;
    case 'freed':
      return bytesOfNames(event.names) + event.reason.length;
    case 'queued':
    case 'left':
      return bytesOfNames(event.names);
    case 'delayed':
      return EVENT_BYTES + event.name.length;
    case 'lifted':
      return EVENT_BYTES + event.name.length + event.reason.length;
  }
}

function bytesOfNames(names: readonly string[]): number {
  let bytes = EVENT_BYTES;
  for (const name of names) bytes += name.length;
  return bytes;
}

function bytesOfSlots(slots: readonly (readonly number[])[]): number {
  let bytes = 0;
  for (const list of slots) bytes += SLOT_BYTES * list.length;
  return bytes;
}
