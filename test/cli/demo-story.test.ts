// What makes the story as told, and how it is drawn; the story itself is played in demo.test.ts.

import { describe, expect, test } from 'vitest';
import { drawStory } from '../../src/cli/demo/picture.ts';
import { problemsOf } from '../../src/cli/demo/story.ts';
import type { StoryEvent } from '../../src/cli/demo/story.ts';
import { Timeline } from '../../src/cli/demo/timeline.ts';
import { elementsOf } from './svg.ts';

const base = { atMs: 0, token: 33, seen: 0, text: '' } as const;
const EVENTS: readonly StoryEvent[] = [
  { ...base, kind: 'granted', who: 'worker-1' },
  { ...base, kind: 'looked', who: 'worker-1' },
  { ...base, kind: 'stopped', who: 'worker-1' },
  { ...base, kind: 'granted', who: 'worker-2', token: 34, atMs: 2_000 },
  { ...base, kind: 'taken', who: 'worker-2', token: 34, atMs: 2_010 },
  { ...base, kind: 'resumed', who: 'worker-1', atMs: 2_020 },
  { ...base, kind: 'refused', who: 'worker-1', seen: 34, atMs: 2_030, text: '33 < 34' },
];
const GUARDED = { value: 'worker-2', isGuarded: true } as const;

function changed(kind: StoryEvent['kind'], who: string, change: Partial<StoryEvent>) {
  return EVENTS.map((each) =>
    each.kind === kind && each.who === who ? { ...each, ...change } : each,
  );
}

describe('the story is as told', () => {
  test('only if the late write was refused by the token of the other', () => {
    expect(problemsOf(EVENTS, GUARDED)).toEqual([]);
    expect(problemsOf(EVENTS.slice(0, -1), GUARDED)).toEqual([
      'the late write was not answered',
      'the refusal does not tell the token that was seen',
    ]);
    const taken = changed('refused', 'worker-1', { kind: 'taken' });
    expect(problemsOf(taken, { value: 'worker-1', isGuarded: false })).toEqual([]);
    expect(problemsOf(taken, GUARDED)).toContain('the late write was taken');
    expect(problemsOf(changed('refused', 'worker-1', { seen: 0 }), GUARDED)).toHaveLength(1);
  });

  test('only if tokens grow, the holder may write, and the value is whose it should be', () => {
    const backwards = changed('taken', 'worker-2', { token: 33 });
    expect(problemsOf(backwards, GUARDED)).toContain('the second grant has no larger token');
    const shutOut = changed('taken', 'worker-2', { kind: 'refused' });
    expect(problemsOf(shutOut, GUARDED)).toContain('the write of the holder was refused');
    expect(problemsOf(EVENTS, { ...GUARDED, value: 'worker-1' })).toEqual([
      'the database holds what worker-1 wrote, not worker-2',
    ]);
  });
});

describe('lines for a terminal', () => {
  test('have a lane for each worker, grey while one is stopped', () => {
    const timeline = new Timeline({ isColourful: false, ttlMs: 2_000 });
    expect(EVENTS.map((event) => timeline.line(event).slice(8, 18))).toEqual([
      '  ◆     │ ',
      '  ●     │ ',
      '  ▒     │ ',
      '  ▒  ◆  │ ',
      '  ▒  ●──▶ ',
      '  ●  │  │ ',
      '  ●──┼──✗ ',
    ]);
  });

  test('are coloured only where that is wanted', () => {
    const act = { ...GUARDED, events: EVENTS, problems: [] };
    const plain = new Timeline({ isColourful: false, ttlMs: 2_000 });
    const colourful = new Timeline({ isColourful: true, ttlMs: 2_000 });
    const [uncoloured, coloured] = [plain, colourful].map((timeline) => {
      const lines = EVENTS.map((event) => timeline.line(event));
      return [timeline.heading(true), ...lines, timeline.verdict(act)].join('\n');
    });
    expect(uncoloured).not.toContain('\u001b');
    expect(coloured).toContain('\u001b[32mworker-1 wrote with token 33: refused');
    expect(coloured?.replace(/\u001b\[\d+m/g, '')).toBe(uncoloured);
  });

  test('say what was not as told', () => {
    const timeline = new Timeline({ isColourful: false, ttlMs: 2_000 });
    const act = { ...GUARDED, events: EVENTS, problems: ['one thing', 'another'] };
    expect(timeline.verdict(act)).toBe('not as told: one thing; another');
  });
});

test('the picture is an SVG with an arrow for each write, and escapes what it is given', () => {
  const act = { ...GUARDED, events: EVENTS, problems: ['<b> & "c"'] };
  const elements = elementsOf(drawStory([act, act], 2_000));
  expect(elements[0]).toMatchObject({ name: 'svg', attributes: { width: '1040' } });
  expect(elements.filter(({ name }) => name === 'path')).toHaveLength(4);
  expect(elements.filter(({ name }) => name === 'circle')).toHaveLength(2 * EVENTS.length);
});
