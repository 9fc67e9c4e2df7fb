// What lasts, as bars: roles as bands in the colour of their term, what is dead or stands still,
// what is held and waited for, and what is broken.

import { FAULT_LANE, ROW_HEIGHT, isInRows, laneOf } from './layout.ts';
import type { Layout, PlacedLane } from './layout.ts';
import { element, textElement } from './markup.ts';
import type { Recording, Span } from './recording.ts';
import type { TimeAxis } from './time-axis.ts';
import type { Item, View } from './view.ts';

/** What drawing needs. */
export interface Canvas {
  readonly recording: Recording;
  readonly view: View;
  readonly layout: Layout;
  readonly axis: TimeAxis;
}

/** Pixels of a letter, a little more than it takes. */
export const LETTER_PIXELS = 6.4;
/** Colours of terms before they come again; the page's style has as many. */
const TERM_COLOURS = 7;
const BAND_PIXELS = 18;
const PADDING = 5;
/** Of the label of a span there is room for so many pixels, whatever the span lasts. */
const LABEL_PIXELS_MAX = 210;

/** Room that the label of a span needs. */
export function labelPixels({ label }: Span): number {
  return Math.min(LABEL_PIXELS_MAX, label.length * LETTER_PIXELS + 2 * PADDING);
}

/** All bars, those below first. */
export function drawSpans(canvas: Canvas): string {
  const { spans } = canvas.view;
  const shades = spans.filter(({ of }) => of.kind === 'fault' && of.lane !== '');
  const isBand = ({ of }: Item<Span>): boolean => !isInRows(of.kind) && !isOver(of);
  const bands = spans.filter(isBand);
  const bars = spans.filter(({ of }) => isInRows(of.kind));
  const covers = spans.filter(({ of }) => isOver(of));
  return [
    ...shades.map((item) => drawShade(canvas, item)),
    ...[...bands, ...bars, ...covers].map((item) => drawSpan(canvas, item)),
  ].join('');
}

/** It hides what would otherwise be there. */
function isOver({ kind }: Span): boolean {
  return kind === 'dead' || kind === 'paused';
}

/** The lane of whom a fault strikes, while it lasts. */
function drawShade({ layout, axis, view }: Canvas, { of }: Item<Span>): string {
  const lane = laneOf(layout, of.lane);
  if (lane === undefined) return '';
  const { top, height } = lane;
  return element('rect', {
    class: 'shade',
    ...sides(of, { axis, view }),
    y: top - 4,
    height: height + 8,
  });
}

function drawSpan(canvas: Canvas, item: Item<Span>): string {
  const { of } = item;
  const lane = placeOf(canvas.layout, of);
  if (lane === undefined) return '';
  const { x, width } = sides(of, canvas);
  const y = topOf(canvas.layout, lane, item);
  const colour = of.term === null ? '' : ` t${of.term % TERM_COLOURS}`;
  const rect = element('rect', { x, y, width: Math.max(1, width), height: BAND_PIXELS - 2, rx: 2 });
  const letters = Math.floor((width - 2 * PADDING) / LETTER_PIXELS);
  const label =
    letters >= of.label.length ? of.label : `${of.label.slice(0, Math.max(0, letters - 1))}…`;
  const text = letters < 2 ? '' : textElement('text', { x: x + PADDING, y: y + 12 }, label);
  return element('g', { class: `i s ${of.kind}${colour}`, 'data-i': item.number }, rect + text);
}

function placeOf(layout: Layout, { kind, lane }: Span): PlacedLane | undefined {
  if (kind === 'fault') return laneOf(layout, FAULT_LANE);
  return laneOf(layout, lane, kind === 'hold' || kind === 'wait' || kind === 'delay');
}

function topOf(layout: Layout, lane: PlacedLane, { number, of }: Item<Span>): number {
  if (!isInRows(of.kind)) return lane.top + 1;
  const band = lane.kind === 'process' ? BAND_PIXELS + 2 : 0;
  return lane.top + band + (layout.rows.get(number) ?? 0) * ROW_HEIGHT + 1;
}

function sides(
  { fromUs, toUs }: Span,
  { axis, view }: Pick<Canvas, 'axis' | 'view'>,
): { readonly x: number; readonly width: number } {
  const x = axis.x(Math.max(fromUs, view.fromUs));
  return { x, width: Math.max(0, axis.x(Math.min(toUs, view.toUs)) - x) };
}
