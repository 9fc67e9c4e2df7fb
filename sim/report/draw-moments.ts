// What travels, as arrows, and what happens in an instant, as marks.

import type { Canvas } from './draw-spans.ts';
import { laneOf } from './layout.ts';
import { element, rounded, textElement } from './markup.ts';
import type { Frame, MarkKind } from './recording.ts';
import type { Item } from './view.ts';

const GLYPHS: Readonly<Record<MarkKind, string>> = {
  start: '▶',
  crash: '✖',
  commit: '●',
  disk: '▾',
  write: '✔',
  refused: '✘',
  note: '◆',
};

/** Beyond so many frames their names would cover everything. */
const LABELLED_FRAMES_MAX = 260;
const LABEL_HEIGHT = 10;
const LABEL_LETTER = 5;
/** Of a way that ended nowhere, so much is drawn. */
const LOST_PART = 0.55;
const LOST_PIXELS = 14;

interface Line {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

/** All frames, with their names where they do not cover each other. */
export function drawFrames(canvas: Canvas): string {
  const { frames } = canvas.view;
  const labels = frames.length <= LABELLED_FRAMES_MAX ? new Labels() : null;
  return frames.map((item) => drawFrame(canvas, item, labels)).join('');
}

/** All marks, above everything else. */
export function drawMarks({ view, layout, axis }: Canvas): string {
  return view.marks
    .map(({ number, of: { kind, lane, atUs } }) => {
      const placed = laneOf(layout, lane);
      if (placed === undefined) return '';
      const y = placed.middle + 4;
      const attributes = { class: `i m ${kind}`, 'data-i': number, x: axis.x(atUs), y };
      return textElement('text', attributes, GLYPHS[kind]);
    })
    .join('');
}

function drawFrame(canvas: Canvas, { number, of }: Item<Frame>, labels: Labels | null): string {
  const line = lineOf(canvas, of);
  if (line === null) return '';
  const { x1, y1, x2, y2 } = line;
  const classes = ['i', 'f', of.fate, of.isStale ? 'stale' : '', of.isRoutine ? 'routine' : ''];
  const d = `M${rounded(x1)} ${rounded(y1)}L${rounded(x2)} ${rounded(y2)}`;
  const path = element('path', { d });
  const end = of.fate === 'lost' ? textElement('text', { class: 'x', x: x2, y: y2 + 4 }, '✕') : '';
  const label = labels?.draw(of.label, line) ?? '';
  const attributes = { class: classes.filter(Boolean).join(' '), 'data-i': number };
  return element('g', attributes, path + end + label);
}

function lineOf({ layout, axis }: Canvas, frame: Frame): Line | null {
  const from = laneOf(layout, frame.from);
  const to = laneOf(layout, frame.to);
  if (from === undefined || to === undefined) return null;
  const isDown = to.middle > from.middle;
  const y1 = from.middle + (isDown ? 9 : -9);
  const y2 = to.middle + (isDown ? -9 : 9);
  const x1 = axis.x(frame.sentUs);
  if (frame.heardUs !== null) return { x1, y1, x2: axis.x(frame.heardUs), y2 };
  return { x1, y1, x2: x1 + LOST_PIXELS, y2: y1 + (y2 - y1) * LOST_PART };
}

/** Names of frames that found room so far. */
class Labels {
  private readonly taken: Box[] = [];

  draw(text: string, { x1, y1, x2, y2 }: Line): string {
    const left = (x1 + x2) / 2 + 4;
    const top = (y1 + y2) / 2;
    const box = { left, right: left + text.length * LABEL_LETTER, top };
    if (this.taken.some((other) => overlap(other, box))) return '';
    this.taken.push(box);
    return textElement('text', { class: 'n', x: left, y: top + 3 }, text);
  }
}

function overlap(one: Box, other: Box): boolean {
  const isBeside = one.right < other.left || other.right < one.left;
  return !isBeside && Math.abs(one.top - other.top) < LABEL_HEIGHT;
}
