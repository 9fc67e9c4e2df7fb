// The same run without its last necessary fault: where the two part.

import { timeText } from './draw-axis.ts';
import type { Recording } from './recording.ts';

/** Where two runs part. */
export interface Parting {
  readonly atUs: number;
  /** What happens there in each of them; null: nothing any more. */
  readonly here: string | null;
  readonly there: string | null;
}

interface Happening {
  readonly atUs: number;
  readonly text: string;
}

/** The first happening in which the two differ, faults aside; null: there is none. */
export function partingOf(here: Recording, there: Recording): Parting | null {
  const mine = happenings(here);
  const theirs = happenings(there);
  const at = mine.findIndex((each, place) => {
    const other = theirs[place];
    return other === undefined || other.atUs !== each.atUs || other.text !== each.text;
  });
  const place = at >= 0 ? at : mine.length;
  const own = mine[place];
  const other = theirs[place];
  if (own === undefined && other === undefined) return null;
  const atUs = Math.min(own?.atUs ?? Infinity, other?.atUs ?? Infinity);
  return { atUs, here: told(own, here.originUs), there: told(other, there.originUs) };
}

function happenings(recording: Recording): readonly Happening[] {
  const marks = recording.marks.map(({ atUs, lane, text }) => ({ atUs, text: `${lane} ${text}` }));
  const frames = recording.frames.flatMap(({ from, to, label, sentUs, heardUs }) => [
    { atUs: sentUs, text: `${from} sends ${label} to ${to}` },
    ...(heardUs === null ? [] : [{ atUs: heardUs, text: `${to} takes in ${label} of ${from}` }]),
  ]);
  return [...marks, ...frames].sort(inOrder);
}

function inOrder(left: Happening, right: Happening): number {
  if (left.atUs !== right.atUs) return left.atUs - right.atUs;
  if (left.text === right.text) return 0;
  return left.text < right.text ? -1 : 1;
}

function told(happening: Happening | undefined, originUs: number): string | null {
  return happening === undefined
    ? null
    : `at ${timeText(happening.atUs, originUs)} ${happening.text}`;
}
