// What travels, as arrows, and what happens in an instant, as marks.

import { LETTER_PIXELS } from './draw-spans.ts';
import type { Canvas } from './draw-spans.ts';
import { laneOf } from './layout.ts';
import { element, rounded, textElement } from './markup.ts';
import type { Frame, Mark, MarkKind } from './recording.ts';
import type { Item } from './view.ts';

const GLYPHS: Readonly<Record<MarkKind, string>> = {
  start: '▶',
  crash: '✖',
  commit: '●',
  disk: '▾',
  write: '✔',
  refused: '✘',
  note: '◆',
  remark: '◆',
};

const WITH_WORDS: ReadonlySet<MarkKind> = new Set<MarkKind>(['write', 'refused', 'remark']);

/** Beyond so many frames their names would cover everything. */
const LABELLED_FRAMES_MAX = 260;
const LABELLED_MARKS_MAX = 300;
const LABEL_HEIGHT = 10;
/** From where the arrow begins. */
const LABEL_AWAY = 7;
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

/** All marks, above everything else, and words for those that tell most. */
export function drawMarks(canvas: Canvas): string {
  const words = new Words();
  return canvas.view.marks.map((item) => drawMark(canvas, item, words)).join('');
}

function drawMark(canvas: Canvas, { number, of }: Item<Mark>, words: Words): string {
  const { layout, axis, view } = canvas;
  const { kind, lane, atUs, text } = of;
  const placed = laneOf(layout, lane);
  if (placed === undefined) return '';
  const y = placed.middle + (kind === 'disk' ? 9 : 4);
  const x = axis.x(atUs);
  const glyph = textElement('text', { class: `i m ${kind}`, 'data-i': number, x, y }, GLYPHS[kind]);
  if (!WITH_WORDS.has(kind)) return glyph;
  if (view.marks.length > LABELLED_MARKS_MAX) return glyph;
  const word = kind === 'refused' ? `refused: ${text}` : text;
  const isLate = axis.x(view.toUs) - x < word.length * LETTER_PIXELS;
  const width = word.length * LETTER_PIXELS;
  const left = isLate ? x - width - 9 : x + 9;
  if (!words.has(lane, left, width)) return glyph;
  const side = isLate ? { x: x - 9, class: 'word late' } : { x: x + 9, class: 'word' };
  return glyph + textElement('text', { ...side, y }, word);
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

/** Words beside marks, lane by lane, as far as there is room for them. */
class Words {
  private readonly ends = new Map<string, number>();

  /** Takes the room if it is free. */
  has(lane: string, left: number, width: number): boolean {
    if (left < (this.ends.get(lane) ?? -Infinity)) return false;
    this.ends.set(lane, left + width);
    return true;
  }
}

/** Names of frames that found room so far. */
class Labels {
  private readonly taken: Box[] = [];

  /** Beside the lane that it leaves, where there are no bars. */
  draw(text: string, { x1, y1, x2, y2 }: Line): string {
    const top = y1 + (y2 > y1 ? LABEL_AWAY : -LABEL_AWAY);
    const left = x1 + ((x2 - x1) * (top - y1)) / (y2 - y1) + 3;
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
