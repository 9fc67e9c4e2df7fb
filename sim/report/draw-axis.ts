// The axis of time with its folds, the grounds of lanes, and the lines that tell when it broke.

import type { Canvas } from './draw-spans.ts';
import { AXIS_HEIGHT } from './layout.ts';
import type { PlacedLane } from './layout.ts';
import { element, escaped, textElement } from './markup.ts';

/** Between labels of the axis there are at least so many pixels. */
const TICK_PIXELS = 84;
const FOLD_WORD_PIXELS = 40;

/** Seconds since the scenario began, to the microsecond where it matters. */
export function timeText(timeUs: number, originUs: number): string {
  const ms = (timeUs - originUs) / 1_000;
  const digits = Number.isInteger(ms) ? 0 : Math.abs(ms) < 100 ? 2 : 1;
  if (Math.abs(ms) < 1_000) return `${ms.toFixed(digits)} ms`;
  return `${(ms / 1_000).toFixed(4).replace(/0$/, '')} s`;
}

/** Lines of lanes, folds and times: what everything else is drawn upon. */
export function drawGround({ axis, layout, recording, view }: Canvas): string {
  const lines = layout.lanes.map(({ top, height, kind }) =>
    element('rect', {
      class: `lane ${kind}`,
      x: 0,
      y: top - 4,
      width: axis.width,
      height: height + 8,
    }),
  );
  const folds = axis.folds.map(({ fromUs, toUs }) => {
    const x = axis.x(fromUs);
    const width = axis.x(toUs) - x;
    const band = element('rect', { class: 'fold', x, y: 18, width, height: AXIS_HEIGHT - 24 });
    const word = `${spanText(toUs - fromUs)}`;
    const isRoomy = width >= FOLD_WORD_PIXELS;
    const middle = { class: 'foldWord', x: x + width / 2, y: 32 };
    return band + (isRoomy ? textElement('text', middle, word) : '');
  });
  const ticks: string[] = [];
  let lastX = -Infinity;
  for (const timeUs of axis.times) {
    const x = axis.x(timeUs);
    if (x - lastX < TICK_PIXELS || timeUs < view.fromUs || timeUs > view.toUs) continue;
    lastX = x;
    const line = element('line', { class: 'tick', x1: x, x2: x, y1: 16, y2: layout.height });
    ticks.push(
      line + textElement('text', { class: 'time', x, y: 12 }, timeText(timeUs, recording.originUs)),
    );
  }
  return [...lines, ...folds, ...ticks].join('');
}

/** A line over all lanes with a word at its foot. */
export function drawLine(
  { axis, layout }: Pick<Canvas, 'axis' | 'layout'>,
  timeUs: number,
  { kind, word }: { readonly kind: 'violation' | 'difference' | 'spoken'; readonly word: string },
): string {
  const x = axis.x(timeUs);
  const line = element('line', { x1: x, x2: x, y1: 16, y2: layout.height + 14 });
  const text = textElement('text', { x, y: layout.height + 12 }, word);
  return element('g', { class: kind }, line + text);
}

/** Where the line meets the lanes that the violation speaks of. */
export function drawAccused({ axis, layout, recording }: Canvas, timeUs: number): string {
  return layout.lanes
    .filter(({ name, kind }) => kind !== 'faults' && recording.accused.includes(name))
    .map(({ middle }) =>
      textElement('text', { class: 'spot', x: axis.x(timeUs), y: middle + 6 }, '◉'),
    )
    .join('');
}

/** The names of lanes, beside the picture; those that the violation speaks of stand out. */
export function laneNames(lanes: readonly PlacedLane[], accused: readonly string[]): string {
  return lanes
    .map(({ name, kind, top }) => {
      const isAccused = kind !== 'faults' && accused.includes(name);
      const what = kind === 'faults' ? 'what goes wrong' : kind;
      const style = `top:${top}px`;
      const shown = kind === 'faults' ? '' : `<b>${escaped(name)}</b> `;
      const content = `${shown}<i>${what}</i>`;
      return element(
        'div',
        { class: isAccused ? 'name accused' : 'name', style, title: name },
        content,
      );
    })
    .join('');
}

function spanText(spanUs: number): string {
  return spanUs < 1_000_000
    ? `⋯ ${Math.round(spanUs / 1_000)} ms`
    : `⋯ ${(spanUs / 1_000_000).toFixed(1)} s`;
}
