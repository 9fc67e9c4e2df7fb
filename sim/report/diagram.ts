// One picture: lanes over time.

import { drawAccused, drawGround, drawLine, laneNames, timeText } from './draw-axis.ts';
import { drawFrames, drawMarks } from './draw-moments.ts';
import { drawSpans, labelPixels } from './draw-spans.ts';
import { layoutOf } from './layout.ts';
import { element } from './markup.ts';
import type { RecordedViolation, Recording } from './recording.ts';
import { TimeAxis } from './time-axis.ts';
import type { Need } from './time-axis.ts';
import type { View } from './view.ts';

/** What else is in a picture. */
export interface DiagramOptions {
  /** What a reader who does not see it is told. */
  readonly title: string;
  /** Shared with another picture, so that times are below each other. */
  readonly axis?: TimeAxis;
  /** When two runs part. */
  readonly differenceUs?: number | null;
}

/** Room for the words at the foot of lines. */
const FOOT = 18;

/** The axis on which all of these views fit. */
export function axisOf(...views: readonly View[]): TimeAxis {
  const times = views.flatMap((view) => timesOf(view));
  const needs = views.flatMap(({ spans, fromUs, toUs }): readonly Need[] =>
    spans.map(({ of }) => ({
      fromUs: Math.max(of.fromUs, fromUs),
      toUs: Math.min(of.toUs, toUs),
      pixels: labelPixels(of),
    })),
  );
  return new TimeAxis(times, needs);
}

/** A picture with the names of its lanes. */
export function diagram(recording: Recording, view: View, options: DiagramOptions): string {
  const { title, axis = axisOf(view), differenceUs = null } = options;
  const layout = layoutOf(recording.lanes, view);
  const canvas = { recording, view, layout, axis };
  const { violation } = recording;
  const height = layout.height + FOOT;
  const content = [
    drawGround(canvas),
    drawSpans(canvas),
    element('g', { class: 'frames' }, drawFrames(canvas)),
    drawMarks(canvas),
    differenceUs === null
      ? ''
      : drawLine(canvas, differenceUs, { kind: 'difference', word: 'here the two runs part' }),
    ...recording.spokenUs.map((timeUs) =>
      drawLine(canvas, timeUs, { kind: 'spoken', word: timeText(timeUs, recording.originUs) }),
    ),
    violation === null
      ? ''
      : drawLine(canvas, violation.atUs, {
          kind: 'violation',
          word: brokenText(recording, violation),
        }) + drawAccused(canvas, violation.atUs),
  ].join('');
  const { width } = axis;
  const svg = element(
    'svg',
    {
      viewBox: `0 0 ${Math.ceil(width)} ${height}`,
      width: Math.ceil(width),
      height,
      role: 'img',
      'aria-label': title,
    },
    element('g', { class: 'drawn' }, content),
  );
  const names = laneNames(layout.lanes, recording.accused);
  const column = element('div', { class: 'names', style: `height:${height}px` }, names);
  const scroller = element(
    'div',
    { class: 'scroll', tabindex: 0, 'aria-label': `${title}: arrow keys step` },
    svg,
  );
  return element('div', { class: 'diagram' }, column + scroller);
}

function brokenText({ originUs }: Recording, { oracle, atUs }: RecordedViolation): string {
  return `${oracle} at ${timeText(atUs, originUs)}`;
}

function timesOf({ spans, marks, frames, spokenUs, fromUs, toUs }: View): readonly number[] {
  const times = [
    fromUs,
    toUs,
    ...spokenUs,
    ...spans.flatMap(({ of }) => [of.fromUs, of.toUs]),
    ...marks.map(({ of }) => of.atUs),
    ...frames.flatMap(({ of }) => [of.sentUs, of.heardUs ?? of.sentUs]),
  ];
  return times.filter((timeUs) => timeUs >= fromUs && timeUs <= toUs);
}
