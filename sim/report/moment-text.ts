// The state of the world when it broke, in a few sentences.

import { timeText } from './draw-axis.ts';
import type { Lane, Recording, Span } from './recording.ts';

const LOCKS_MAX = 6;

/** Who led, who was away, who held what, and what those believed of whom the violation speaks. */
export function momentText(recording: Recording): readonly string[] {
  return [
    ...recording.aliases,
    ...leaderText(recording),
    ...awayText(recording),
    ...lockTexts(recording),
    ...beliefTexts(recording),
  ];
}

function leaderText(recording: Recording): readonly string[] {
  const leading = recording.spans.filter(
    (span) => span.kind === 'leader' && isLasting(recording, span),
  );
  const alive = leading.filter(({ lane }) => !isAway(recording, lane, 'dead'));
  if (alive.length === 0) return ['Nobody leads.'];
  return [`${sentence(alive.map(({ lane, term }) => `${lane} leads term ${term ?? 0}`))}.`];
}

/** Together, who is away in the same way since the same time. */
function awayText(recording: Recording): readonly string[] {
  const { lanes, spans, originUs } = recording;
  const groups = new Map<string, string[]>();
  for (const { name } of lanes) {
    const away = spans.find(
      (span) => span.lane === name && isAwayKind(span) && isLasting(recording, span),
    );
    if (away === undefined) continue;
    const what = away.kind === 'dead' ? 'Dead' : 'Standing still';
    const key = `${what} since ${timeText(away.fromUs, originUs)}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([what, names]) => `${what}: ${names.join(', ')}.`);
}

function lockTexts(recording: Recording): readonly string[] {
  const { lanes, accused } = recording;
  const locks = lanes.filter(({ kind }) => kind === 'lock');
  const named = locks.filter(({ name }) => accused.includes(name));
  return (named.length > 0 ? named : locks)
    .slice(0, LOCKS_MAX)
    .map((lane) => lockText(recording, lane));
}

function lockText(recording: Recording, { name }: Lane): string {
  const { spans, originUs } = recording;
  const of = (kind: Span['kind']): readonly Span[] =>
    spans.filter((span) => span.kind === kind && span.lane === name);
  const holds = of('hold').filter((span) => isLasting(recording, span));
  const waits = of('wait').filter((span) => isLasting(recording, span)).length;
  const queue = waits === 0 ? '' : `; ${waits} ${waits === 1 ? 'waits' : 'wait'}`;
  if (holds.length > 0)
    return `${name} is held: ${sentence(holds.map(({ label }) => label))}${queue}.`;
  const last = of('hold').at(-1);
  if (last === undefined) return `${name} was never held${queue}.`;
  return `${name} is free since ${timeText(last.toUs, originUs)} (${last.label})${queue}.`;
}

function beliefTexts(recording: Recording): readonly string[] {
  const { accused, spans, originUs } = recording;
  return accused.flatMap((name) => {
    const last = spans.findLast(({ kind, lane }) => kind === 'belief' && lane === name);
    if (last === undefined) return [];
    if (isLasting(recording, last)) return [`${name} ${last.label}.`];
    const past = last.label.replace('believes', 'believed');
    return [`${name} ${past} until ${timeText(last.toUs, originUs)}, and in nothing since.`];
  });
}

function isLasting({ endUs }: Recording, { toUs }: Span): boolean {
  return toUs >= endUs;
}

function isAwayKind({ kind }: Span): boolean {
  return kind === 'dead' || kind === 'paused';
}

function isAway(recording: Recording, name: string, kind: Span['kind']): boolean {
  return recording.spans.some(
    (span) => span.kind === kind && span.lane === name && isLasting(recording, span),
  );
}

function sentence(parts: readonly string[]): string {
  return parts.join(' and ');
}
