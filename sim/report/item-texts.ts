// What the page says of each item that is drawn, as data for its script.

import { timeText } from './draw-axis.ts';
import type { Frame, Mark, Span } from './recording.ts';
import type { Item, View } from './view.ts';

/** Number of the item, time in microseconds, when, where, what, and what else there is to say. */
export type ItemText = readonly [
  number: number,
  atUs: number,
  when: string,
  where: string,
  what: string,
  more: readonly string[],
];

const FATES = { heard: '', lost: 'never taken in', underWay: 'under way at the end' } as const;

/** Every item of these views once, in the order of time. */
export function itemTexts(views: readonly View[], originUs: number): readonly ItemText[] {
  const texts = new Map<number, ItemText>();
  for (const { spans, marks, frames } of views) {
    for (const item of spans) texts.set(item.number, spanText(item, originUs));
    for (const item of marks) texts.set(item.number, markText(item, originUs));
    for (const item of frames) texts.set(item.number, frameText(item, originUs));
  }
  return [...texts.values()].sort((left, right) => left[1] - right[1] || left[0] - right[0]);
}

function spanText({ number, of }: Item<Span>, originUs: number): ItemText {
  const { fromUs, toUs, lane, label, kind } = of;
  const lasting = `${timeText(toUs - fromUs, 0)}, until ${timeText(toUs, originUs)}`;
  return [
    number,
    fromUs,
    timeText(Math.max(fromUs, originUs), originUs),
    lane,
    label,
    [`${kind} for ${lasting}`],
  ];
}

function markText({ number, of }: Item<Mark>, originUs: number): ItemText {
  const [what = '', ...more] = of.text.split('; ');
  return [number, of.atUs, timeText(of.atUs, originUs), of.lane, what, more];
}

function frameText({ number, of }: Item<Frame>, originUs: number): ItemText {
  const { from, to, sentUs, heardUs, label, lines, fate, isStale } = of;
  const heard = heardUs === null ? FATES[fate] : `taken in at ${timeText(heardUs, originUs)}`;
  const stale = isStale ? ', over an old link' : '';
  const more = [`${heard}${stale}`, ...lines];
  return [number, sentUs, timeText(sentUs, originUs), `${from} → ${to}`, label, more];
}
