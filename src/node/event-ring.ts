import type { Revision } from '../base/units.ts';
import type { LockEvent } from '../locks/outcomes.ts';

/** The events of one entry, as they are told. */
type Events = readonly LockEvent[];

/** What an entry is kept as: all that its events are, or one of two kinds in a few parts. */
const WHOLE = 0;
const GRANT = 1;
const RELEASE = 2;

/**
 * What entries told, by places. Nearly all of them grant or release one lock, and nobody ever asks
 * for most; so of those two only the parts that differ are kept, in lists of numbers and of texts
 * that live anyway. Kept as they came, events were more than half of what the garbage collector had
 * to carry, on every node, watched or not.
 */
export class EventRing {
  private readonly revisions: Revision[] = [];
  private readonly kinds: number[] = [];
  private readonly wholes: (Events | undefined)[] = [];
  private readonly sessions: string[] = [];
  private readonly names: string[] = [];
  private readonly acquireSeqs: number[] = [];
  private readonly tokens: number[] = [];

  /** Places are taken one after another, from 0 on, and again when all were. */
  put(place: number, revision: Revision, events: Events): void {
    this.revisions[place] = revision;
    const [event] = events;
    if (events.length === 1 && event !== undefined && this.putParts(place, event)) return;
    this.kinds[place] = WHOLE;
    this.wholes[place] = events;
    this.sessions[place] = '';
    this.names[place] = '';
    this.acquireSeqs[place] = 0;
    this.tokens[place] = 0;
  }

  revisionAt(place: number): Revision {
    return this.revisions[place] ?? 0;
  }

  /** Equal to what was put there. */
  eventsAt(place: number): Events {
    const kind = this.kinds[place];
    if (kind !== GRANT && kind !== RELEASE) return this.wholes[place] ?? [];
    const parts = {
      session: this.sessions[place] ?? '',
      acquireSeq: this.acquireSeqs[place] ?? 0,
      token: this.tokens[place] ?? 0,
      names: [this.names[place] ?? ''],
    };
    if (kind === GRANT) return [{ type: 'granted', ...parts, slots: [], value: null }];
    return [{ type: 'freed', ...parts, cause: 'released', reason: '' }];
  }

  /** How many events are there. */
  countAt(place: number): number {
    return this.kinds[place] === WHOLE ? (this.wholes[place]?.length ?? 0) : 1;
  }

  /** Nothing is there any more; its texts would outlive their locks, beyond the bound of bytes. */
  drop(place: number): void {
    this.kinds[place] = WHOLE;
    this.wholes[place] = undefined;
    this.sessions[place] = '';
    this.names[place] = '';
  }

  private putParts(place: number, event: LockEvent): boolean {
    const kind = kindOf(event);
    if (kind === WHOLE || !('names' in event) || !('token' in event)) return false;
    this.kinds[place] = kind;
    this.wholes[place] = undefined;
    this.sessions[place] = event.session;
    this.names[place] = event.names[0] ?? '';
    this.acquireSeqs[place] = event.acquireSeq;
    this.tokens[place] = event.token;
    return true;
  }
}

function kindOf(event: LockEvent): number {
  if (event.type === 'granted') {
    const isPlain = event.value === null && event.slots.length === 0;
    return isPlain && event.names.length === 1 ? GRANT : WHOLE;
  }
  if (event.type !== 'freed' || event.cause !== 'released') return WHOLE;
  return event.reason === '' && event.names.length === 1 ? RELEASE : WHOLE;
}
