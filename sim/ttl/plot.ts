// The table as a picture: the chances of the model over the TTL as lines, what was measured as
// points with bars of two standard errors.

import { element, textElement } from '../report/markup.ts';
import { exactChances } from './model.ts';
import type { Chances } from './model.ts';
import type { TtlRow, Way } from './study.ts';

/** What is drawn besides the rows. */
export interface PlotOptions {
  readonly workMs: number;
  /** A TTL to mark; null for none. */
  readonly chosenMs: number | null;
}

const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 66;
const RIGHT = 20;
const TOP = 66;
const BOTTOM = 52;
const CURVE_STEPS = 240;
const GRID_LINES = 5;
const STEP_CHOICES_MS = [1_000, 5_000, 10_000, 30_000, 60_000, 120_000];
const X_LABELS_MAX = 12;
const FONT = 'ui-sans-serif, system-ui, sans-serif';

interface Series {
  readonly key: keyof Chances;
  readonly colour: string;
  readonly title: string;
}

const SERIES: readonly Series[] = [
  { key: 'expired', colour: '#b45309', title: 'lease ran out before the end' },
  { key: 'overlap', colour: '#b91c1c', title: 'writes of two holders overlap, without fencing' },
];

/** Points of each way stand beside each other. */
const WAYS: readonly { readonly way: Way; readonly shiftPixels: number; readonly fill: string }[] =
  [
    { way: 'renewal off', shiftPixels: -4, fill: 'solid' },
    { way: 'renewal on', shiftPixels: 4, fill: 'hollow' },
  ];

interface Scale {
  x(ttlMs: number): number;
  y(share: number): number;
  readonly xMaxMs: number;
  readonly yMax: number;
}

/** A whole SVG document. */
export function plotTtls(rows: readonly TtlRow[], options: PlotOptions): string {
  const scale = scaleOf(rows, options);
  const parts = [
    element('rect', { width: WIDTH, height: HEIGHT, fill: '#ffffff' }),
    heading(options),
    grid(scale),
    ...SERIES.map((series) => curve(series, scale, options.workMs)),
    ...SERIES.flatMap((series) => rows.map((row) => point(row, series, scale))),
    chosen(scale, options.chosenMs),
  ];
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  const about = { role: 'img', 'font-family': FONT, 'font-size': 13, fill: '#1f2937' };
  const xmlns = 'http://www.w3.org/2000/svg';
  return `${element('svg', { xmlns, ...size, ...about }, parts.join('\n'))}\n`;
}

function scaleOf(rows: readonly TtlRow[], { workMs, chosenMs }: PlotOptions): Scale {
  const longestMs = Math.max(...rows.map(({ ttlMs }) => ttlMs), chosenMs ?? 0);
  const xMaxMs = longestMs * 1.1;
  const top = Math.max(
    exactChances({ ttlMs: shortestMs(workMs), workMs }).expired,
    ...rows.map(({ expired }) => expired.share + 2 * expired.error),
  );
  const percent = Math.max(0.2, Math.ceil(top * 100 * 5) / 5);
  const yMax = percent / 100;
  return {
    x: (ttlMs) => LEFT + ((WIDTH - LEFT - RIGHT) * ttlMs) / xMaxMs,
    y: (share) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * Math.min(share, yMax)) / yMax,
    xMaxMs,
    yMax,
  };
}

/** Where the curves begin: the work must fit into the lease, pauses of a healthy process too. */
function shortestMs(workMs: number): number {
  return workMs + 500;
}

function heading({ workMs }: PlotOptions): string {
  const title = `One pause in ${workMs / 1_000} s of work under a lock`;
  const legend = SERIES.map(({ colour, title: text }, at) => {
    const y = 40 + at * 16;
    const line = { x1: LEFT, x2: LEFT + 22, y1: y - 4, y2: y - 4, stroke: colour };
    return (
      element('line', { ...line, 'stroke-width': 2.5 }) +
      textElement('text', { x: LEFT + 30, y }, text)
    );
  });
  const dots = [
    element('circle', { cx: 470, cy: 36, r: 4, fill: '#4b5563' }),
    textElement('text', { x: 482, y: 40 }, 'shipped client, no renewal arrives'),
    element('circle', { cx: 470, cy: 52, r: 4, fill: '#ffffff', stroke: '#4b5563' }),
    textElement('text', { x: 482, y: 56 }, 'shipped client, renewing'),
  ];
  const bold = { x: LEFT, y: 20, 'font-size': 15, 'font-weight': 600 };
  return [textElement('text', bold, title), ...legend, ...dots].join('\n');
}

function grid({ x, y, xMaxMs, yMax }: Scale): string {
  const rows = Array.from({ length: GRID_LINES + 1 }, (_, at) => (yMax * at) / GRID_LINES);
  const horizontal = rows.map((share) => {
    const line = { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share), stroke: '#e5e7eb' };
    const label = { x: LEFT - 8, y: y(share) + 4, 'text-anchor': 'end' };
    return element('line', line) + textElement('text', label, `${(share * 100).toFixed(2)} %`);
  });
  const stepMs =
    STEP_CHOICES_MS.find((step) => xMaxMs / step <= X_LABELS_MAX) ?? STEP_CHOICES_MS.at(-1) ?? 1;
  const count = Math.floor(xMaxMs / stepMs);
  const vertical = Array.from({ length: count + 1 }, (_, at) => {
    const place = { x: x(at * stepMs), y: HEIGHT - BOTTOM + 18, 'text-anchor': 'middle' };
    return textElement('text', place, String((at * stepMs) / 1_000));
  });
  const below = { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 12, 'text-anchor': 'middle' };
  return [...horizontal, ...vertical, textElement('text', below, 'TTL in seconds')].join('\n');
}

function curve({ key, colour }: Series, { x, y, xMaxMs }: Scale, workMs: number): string {
  const fromMs = shortestMs(workMs);
  const points = Array.from({ length: CURVE_STEPS + 1 }, (_, at) => {
    const ttlMs = fromMs + ((xMaxMs - fromMs) * at) / CURVE_STEPS;
    return `${x(ttlMs).toFixed(1)},${y(exactChances({ ttlMs, workMs })[key]).toFixed(1)}`;
  });
  const line = { fill: 'none', stroke: colour, 'stroke-width': 2 };
  return element('polyline', { points: points.join(' '), ...line });
}

function point(row: TtlRow, { key, colour }: Series, { x, y }: Scale): string {
  const kind = WAYS.find(({ way }) => way === row.way);
  if (kind === undefined) return '';
  const { share, error } = row[key];
  const middle = x(row.ttlMs) + kind.shiftPixels;
  const bar = { x1: middle, x2: middle, y1: y(share + 2 * error), y2: y(share - 2 * error) };
  const fill = kind.fill === 'solid' ? colour : '#ffffff';
  const text = `${row.way}: ${(share * 100).toFixed(3)} % ± ${(error * 100).toFixed(3)}`;
  const dot = { cx: middle, cy: y(share), r: 4, fill, stroke: colour, 'stroke-width': 1.5 };
  return (
    element('line', { ...bar, stroke: colour }) +
    element('circle', dot, textElement('title', {}, text))
  );
}

function chosen({ x }: Scale, chosenMs: number | null): string {
  if (chosenMs === null) return '';
  const at = x(chosenMs);
  const line = { x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM, stroke: '#1d4ed8' };
  const side = at > WIDTH / 2 ? -1 : 1;
  const anchor = side === 1 ? 'start' : 'end';
  const place = { x: at + side * 6, y: TOP + 26, fill: '#1d4ed8', 'text-anchor': anchor };
  const text = `advised: ${chosenMs / 1_000} s`;
  return element('line', { ...line, 'stroke-dasharray': '5 4' }) + textElement('text', place, text);
}
