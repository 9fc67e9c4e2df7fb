// The story as a picture: three life lines side by side, time downwards, writes as arrows.

import { element, textElement } from '../../../sim/report/markup.ts';
import type { Act, StoryEvent, WorkerName } from './story.ts';
import { eventText } from './timeline.ts';

const WIDTH = 1_040;
const TIME_X = 62;
const LANES: Readonly<Record<WorkerName | 'database', number>> = {
  'worker-1': 120,
  'worker-2': 240,
  database: 360,
};
const TEXT_X = 390;
const TOP = 74;
const ROW = 34;
const FOOT = 52;
const FONT = 'ui-sans-serif, system-ui, sans-serif';
const RED = '#b91c1c';
const GREEN = '#15803d';
const GREY = '#9ca3af';
const INK = '#1f2937';

/** A whole SVG document of these acts, one below the other. */
export function drawStory(acts: readonly Act[], ttlMs: number): string {
  const heights = acts.map(({ events }) => TOP + events.length * ROW + FOOT);
  const height = heights.reduce((sum, each) => sum + each, 0);
  const parts = acts.map((act, at) => {
    const y = heights.slice(0, at).reduce((sum, each) => sum + each, 0);
    return element('g', { transform: `translate(0 ${y})` }, drawAct(act, ttlMs));
  });
  const back = element('rect', { width: WIDTH, height, fill: '#ffffff' });
  const size = { width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` };
  const about = { role: 'img', 'font-family': FONT, 'font-size': 13, fill: INK };
  const xmlns = 'http://www.w3.org/2000/svg';
  return `${element('svg', { xmlns, ...size, ...about }, [back, ...parts].join('\n'))}\n`;
}

function drawAct(act: Act, ttlMs: number): string {
  const { events, isGuarded } = act;
  const end = TOP + events.length * ROW;
  const heading = isGuarded
    ? 'With a guard: the database compares tokens'
    : 'Without a guard: nobody compares tokens';
  const bold = { x: 20, y: 26, 'font-size': 15, 'font-weight': 600 };
  const names = Object.entries(LANES).map(([name, x]) =>
    textElement('text', { x, y: TOP - 22, 'text-anchor': 'middle', 'font-weight': 600 }, name),
  );
  const lines = Object.values(LANES).map((x) =>
    element('line', { x1: x, x2: x, y1: TOP - 14, y2: end - 10, stroke: GREY }),
  );
  return [
    textElement('text', bold, heading),
    ...names,
    ...lines,
    ...holds(events),
    ...events.map((event, at) => drawEvent(event, { y: rowY(at), ttlMs })),
    verdict(act, end),
  ].join('\n');
}

interface Bar {
  readonly lane: WorkerName;
  readonly from: number;
  readonly to: number;
  readonly fill: string;
}

/** Bars for who has the lock by the cluster's count, and for the pause. */
function holds(events: readonly StoryEvent[]): string[] {
  const at = (kind: StoryEvent['kind'], who: WorkerName): number =>
    rowY(events.findIndex((event) => event.kind === kind && event.who === who));
  const next = at('granted', 'worker-2');
  const bars: readonly Bar[] = [
    { lane: 'worker-1', from: at('granted', 'worker-1'), to: next, fill: '#bfdbfe' },
    { lane: 'worker-2', from: next, to: rowY(events.length - 1), fill: '#bfdbfe' },
    {
      ...{ lane: 'worker-1', from: at('stopped', 'worker-1'), to: at('resumed', 'worker-1') },
      fill: '#4b5563',
    },
  ];
  return bars.map(({ lane, from, to, fill }, number) => {
    const width = number === 2 ? 6 : 14;
    const x = LANES[lane] - width / 2;
    return element('rect', { x, y: from, width, height: Math.max(0, to - from), rx: 3, fill });
  });
}

interface Row {
  readonly y: number;
  readonly ttlMs: number;
}

function drawEvent(event: StoryEvent, { y, ttlMs }: Row): string {
  const colour = colourOf(event);
  const time = { x: TIME_X, y: y + 4, 'text-anchor': 'end', fill: '#6b7280' };
  const parts = [
    textElement('text', time, `${(event.atMs / 1_000).toFixed(2)} s`),
    textElement('text', { x: TEXT_X, y: y + 4, fill: colour }, eventText(event, ttlMs)),
    element('circle', { cx: LANES[event.who], cy: y, r: 4, fill: colour }),
  ];
  if (event.kind === 'taken' || event.kind === 'refused') parts.push(arrow(event, y));
  return parts.join('');
}

function arrow(event: StoryEvent, y: number): string {
  const colour = colourOf(event);
  const tip = LANES.database - 4;
  const line = { x1: LANES[event.who], x2: tip, y1: y, y2: y, stroke: colour, 'stroke-width': 2 };
  const head =
    event.kind === 'taken'
      ? `M${tip - 7} ${y - 5} L${tip} ${y} L${tip - 7} ${y + 5}`
      : `M${tip - 8} ${y - 6} L${tip + 2} ${y + 6} M${tip - 8} ${y + 6} L${tip + 2} ${y - 6}`;
  const stroke = { stroke: colour, 'stroke-width': 2, fill: 'none' };
  return element('line', line) + element('path', { d: head, ...stroke });
}

function verdict({ isGuarded, value, problems }: Act, end: number): string {
  const isAsTold = problems.length === 0;
  const text = isAsTold
    ? `In the end the database holds what ${value} wrote.`
    : `Not as told: ${problems.join('; ')}`;
  const fill = isAsTold && isGuarded ? GREEN : RED;
  return textElement('text', { x: 20, y: end + 16, fill, 'font-weight': 600 }, text);
}

function colourOf({ kind, who }: StoryEvent): string {
  if (kind === 'refused') return GREEN;
  return kind === 'taken' && who === 'worker-1' ? RED : INK;
}

function rowY(at: number): number {
  return TOP + at * ROW + 6;
}
