// What happened, as integers, with a rolling hash: two runs are the same run if and only if their
// hashes agree, and if they do not, the first event in which they differ is named
// (SIMULATOR.md §4.12).

import { hex32, mix32 } from '../../src/base/hash.ts';

/** Kinds of events. The numbers are part of every trace hash: append, never renumber. */
const EVENT_KINDS = [
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
  'message',
] as const;

/** One of the kinds by name. */
export type EventKind = (typeof EVENT_KINDS)[number];

/** The numbers of an event; all are whole and below 2^32. */
export interface Occurrence {
  readonly kind: EventKind;
  /** Number of the process, 0 for the world itself. */
  readonly process: number;
  /** What it is about: which link, which timer. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Seq of the event that led to it, 0 for none. */
  readonly cause: number;
}

/** One event as it is kept; `seq` counts from 1. */
export interface TraceEvent extends Occurrence {
  readonly seq: number;
  readonly timeUs: number;
}

/** Events from one checkpoint to the next. */
export const CHECKPOINT_EVENTS = 1_024;

// Columns of a row, one word each: the time takes two.
const WORDS = 8;
const WORD = 0x1_0000_0000;

const KIND_NUMBERS: ReadonlyMap<EventKind, number> = new Map(
  EVENT_KINDS.map((kind, number) => [kind, number]),
);

interface Checkpoint {
  readonly rows: Uint32Array;
  readonly hash: string;
}

/** Where two traces part: `null` in `left` or `right` means that it ended before. */
export interface TraceDifference {
  readonly checkpoint: number;
  readonly left: TraceEvent | null;
  readonly right: TraceEvent | null;
}

/** The events of one run. Its size is bounded by the world's event limit: 32 bytes for each. */
export class Trace {
  private readonly complete: Checkpoint[] = [];
  private rows = new Uint32Array(WORDS * CHECKPOINT_EVENTS);
  private used = 0;
  private low = 0;
  private high = 0;

  /** Events so far. */
  get length(): number {
    return this.complete.length * CHECKPOINT_EVENTS + this.used;
  }

  add(timeUs: number, event: Occurrence): void {
    const { rows } = this;
    const at = this.used * WORDS;
    rows[at] = timeUs;
    rows[at + 1] = timeUs / WORD;
    rows[at + 2] = event.process;
    rows[at + 3] = KIND_NUMBERS.get(event.kind) ?? 0;
    rows[at + 4] = event.a;
    rows[at + 5] = event.b;
    rows[at + 6] = event.c;
    rows[at + 7] = event.cause;
    this.feed(at);
    this.used++;
    if (this.used < CHECKPOINT_EVENTS) return;
    this.complete.push({ rows, hash: this.hash() });
    this.rows = new Uint32Array(WORDS * CHECKPOINT_EVENTS);
    this.used = 0;
  }

  /** 16 hex digits over every field of every event, in order. */
  hash(): string {
    return hex32(mix32(this.high ^ this.low)) + hex32(mix32(this.low));
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
    const from = (place % CHECKPOINT_EVENTS) * WORDS;
    const word = (offset: number): number => rows[from + offset] ?? 0;
    return {
      seq: place + 1,
      timeUs: word(1) * WORD + word(0),
      process: word(2),
      kind: EVENT_KINDS[word(3)] ?? 'note',
      a: word(4),
      b: word(5),
      c: word(6),
      cause: word(7),
    };
  }

  // Two lanes of 32 bits with multipliers of their own: two multiplications for each word.
  private feed(from: number): void {
    const { rows } = this;
    let { low, high } = this;
    for (let at = from; at < from + WORDS; at++) {
      const word = rows[at] ?? 0;
      low = Math.imul(low ^ word, 0x85ebca6b);
      low ^= low >>> 15;
      high = Math.imul((high + word) ^ low, 0xc2b2ae35);
      high ^= high >>> 13;
    }
    this.low = low;
    this.high = high;
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
