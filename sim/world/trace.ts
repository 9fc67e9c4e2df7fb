// What happened, as integers, with a rolling hash: two runs are the same run if and only if their
// hashes agree, and if they do not, the first event in which they differ is named
// (SIMULATOR.md §4.12).

import { Hasher } from '../../src/base/hash.ts';

/** Kinds of events. The numbers are part of every trace hash: append, never renumber. */
export const EVENT_KINDS = [
  'control',
  'start',
  'crash',
  'pause',
  'resume',
  'timer',
  'soon',
  'dial',
  'accept',
  'open',
  'dialFailed',
  'frame',
  'close',
  'drain',
  'disk',
  'note',
  'ping',
  'pong',
] as const;

/** One of the kinds by name. */
export type EventKind = (typeof EVENT_KINDS)[number];

/** One event as it is kept. `process` is 0 for the world itself; `cause` is another event's seq. */
export interface TraceEvent {
  readonly seq: number;
  readonly timeUs: number;
  readonly process: number;
  readonly kind: EventKind;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly cause: number;
}

/** Events from one checkpoint to the next. */
export const CHECKPOINT_EVENTS = 1_024;

const FIELDS = 8;

interface Checkpoint {
  readonly rows: Float64Array;
  readonly hash: string;
}

/** Where two traces part: `null` in `left` or `right` means that it ended before. */
export interface TraceDifference {
  readonly checkpoint: number;
  readonly left: TraceEvent | null;
  readonly right: TraceEvent | null;
}

/** The events of one run. Its size is bounded by the world's event limit. */
export class Trace {
  private readonly hasher = new Hasher(0);
  private readonly complete: Checkpoint[] = [];
  private rows = new Float64Array(FIELDS * CHECKPOINT_EVENTS);
  private used = 0;

  /** Events so far. */
  get length(): number {
    return this.complete.length * CHECKPOINT_EVENTS + this.used;
  }

  add(event: TraceEvent): void {
    const at = this.used * FIELDS;
    const kind = EVENT_KINDS.indexOf(event.kind);
    const { seq, timeUs, process, a, b, c, cause } = event;
    this.rows.set([seq, timeUs, process, kind, a, b, c, cause], at);
    for (let field = 0; field < FIELDS; field++) this.hasher.number(this.rows[at + field] ?? 0);
    this.used++;
    if (this.used < CHECKPOINT_EVENTS) return;
    this.complete.push({ rows: this.rows, hash: this.hash() });
    this.rows = new Float64Array(FIELDS * CHECKPOINT_EVENTS);
    this.used = 0;
  }

  /** 16 hex digits over every field of every event, in order. */
  hash(): string {
    return this.hasher.hex();
  }

  /** The hash at every 1,024th event. */
  checkpoints(): readonly string[] {
    return this.complete.map((checkpoint) => checkpoint.hash);
  }

  /** The event with this place in the trace, from 0; null past its end. */
  at(place: number): TraceEvent | null {
    if (place >= this.length) return null;
    const block = Math.floor(place / CHECKPOINT_EVENTS);
    const rows = this.complete[block]?.rows ?? this.rows;
    const from = (place % CHECKPOINT_EVENTS) * FIELDS;
    const field = (offset: number): number => rows[from + offset] ?? 0;
    return {
      seq: field(0),
      timeUs: field(1),
      process: field(2),
      kind: EVENT_KINDS[field(3)] ?? 'note',
      a: field(4),
      b: field(5),
      c: field(6),
      cause: field(7),
    };
  }
}

/** The first event in which two traces differ, found by their checkpoints; null when equal. */
export function firstDifference(left: Trace, right: Trace): TraceDifference | null {
  const leftMarks = left.checkpoints();
  const rightMarks = right.checkpoints();
  let checkpoint = 0;
  while (checkpoint < leftMarks.length && leftMarks[checkpoint] === rightMarks[checkpoint]) {
    checkpoint++;
  }
  const end = Math.max(left.length, right.length);
  for (let place = checkpoint * CHECKPOINT_EVENTS; place < end; place++) {
    const mine = left.at(place);
    const theirs = right.at(place);
    if (JSON.stringify(mine) !== JSON.stringify(theirs)) {
      return { checkpoint, left: mine, right: theirs };
    }
  }
  return null;
}
