// What is drawn of a recording: all of it, as far as there is room, or what the violation follows
// from. Everything that is drawn is an item with a number, by which the page finds its text.

import type { Frame, Mark, Recording, Span } from './recording.ts';

/** An item of one view; its number is that of the whole report. */
export interface Item<T> {
  readonly number: number;
  readonly of: T;
}

/** What is drawn. */
export interface View {
  readonly fromUs: number;
  readonly toUs: number;
  readonly spans: readonly Item<Span>[];
  readonly marks: readonly Item<Mark>[];
  readonly frames: readonly Item<Frame>[];
  /** See Recording. */
  readonly spokenUs: readonly number[];
  /** In words. */
  readonly leftOut: readonly string[];
}

/** Everything of one recording, numbered from `first` on. */
export interface Numbered {
  readonly recording: Recording;
  readonly spans: readonly Item<Span>[];
  readonly marks: readonly Item<Mark>[];
  readonly frames: readonly Item<Frame>[];
}

const CONE_FRAMES_MAX = 260;
const CONE_MARKS_MAX = 240;
/** Offices that are drawn with what a violation follows from. */
const CONE_SPANS_MAX = 400;

/** Gives every item its number. */
export function numbered(recording: Recording, first = 0): Numbered {
  let number = first;
  const numberAll = <T>(list: readonly T[]): readonly Item<T>[] =>
    list.map((of) => ({ number: number++, of }));
  return {
    recording,
    spans: numberAll(recording.spans),
    marks: numberAll(recording.marks),
    frames: numberAll(recording.frames),
  };
}

/** What the violation follows from, and what happened shortly before it. */
export function coneView(all: Numbered, toUs = all.recording.endUs): View {
  const { originUs } = all.recording;
  const frames = all.frames.filter(({ of }) => of.isInCone && of.sentUs >= originUs);
  const marks = all.marks.filter(({ of }) => of.atUs >= originUs && (of.isInCone || isTelling(of)));
  return {
    ...within(originUs, toUs),
    spans: newest(
      all.spans.filter(({ of }) => of.toUs > originUs && of.fromUs <= toUs),
      CONE_SPANS_MAX,
    ),
    marks: newest(marks, CONE_MARKS_MAX),
    frames: newest(frames, CONE_FRAMES_MAX),
    spokenUs: all.recording.spokenUs,
    leftOut: all.recording.leftOut,
  };
}

/** Everything, but for the oldest where there is too much of it. */
export function fullView(all: Numbered, itemsMax: number): View {
  const { spans, marks, frames, recording } = all;
  const marksMax = Math.floor(itemsMax / 3);
  const framesMax = itemsMax - Math.min(marks.length, marksMax) - spans.length;
  const shown = { marks: newest(marks, marksMax), frames: newest(frames, Math.max(0, framesMax)) };
  const firsts = [shown.marks[0]?.of.atUs ?? 0, shown.frames[0]?.of.sentUs ?? 0];
  const isCut = shown.marks.length < marks.length || shown.frames.length < frames.length;
  return {
    ...within(isCut ? Math.min(...firsts) : 0, recording.endUs),
    spans: newest(spans, itemsMax),
    ...shown,
    spokenUs: recording.spokenUs,
    leftOut: [
      ...recording.leftOut,
      ...leftOutText(marks.length - shown.marks.length, 'events'),
      ...leftOutText(frames.length - shown.frames.length, 'frames'),
    ],
  };
}

function within(fromUs: number, toUs: number): { readonly fromUs: number; readonly toUs: number } {
  return { fromUs, toUs: Math.max(fromUs, toUs) };
}

/** Shown wherever it happened: a story without it makes no sense. */
function isTelling({ kind }: Mark): boolean {
  return ['crash', 'write', 'refused', 'remark'].includes(kind);
}

function newest<T>(items: readonly T[], max: number): readonly T[] {
  return max === 0 ? [] : items.slice(-max);
}

function leftOutText(count: number, what: string): readonly string[] {
  return count > 0 ? [`the oldest ${count} ${what}`] : [];
}
