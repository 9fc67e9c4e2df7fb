import { describe, expect, test } from 'vitest';
import { Alarms } from '../../src/node/alarms.ts';

describe('alarms', () => {
  test('show one text for each topic until it is taken back', () => {
    const alarms = new Alarms();
    expect(alarms.raise('disk', 'The disk is slow.')).toBe(true);
    expect(alarms.raise('disk', 'The disk is slower.')).toBe(false);
    alarms.raise('hash', 'A state differs.');
    expect(alarms.list()).toEqual(['The disk is slower.', 'A state differs.']);
    alarms.clear('disk');
    expect(alarms.list()).toEqual(['A state differs.']);
  });

  test('are bounded, whatever is raised', () => {
    const alarms = new Alarms();
    for (let at = 0; at < 1_000; at++) alarms.raise(`${at}`, 'text');
    expect(alarms.list().length).toBeLessThan(100);
  });
});
