import { describe, expect, test } from 'vitest';
import { parseDuration, showDuration } from '../../src/cli/duration.ts';

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['15s', 15_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['0s', 0],
  ])('%s is read, and shown the same', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(showDuration(ms)).toBe(text);
  });

  test('a bare number is refused with what to write instead', () => {
    expect(() => parseDuration('15')).toThrow('write 15s or 15ms; got "15", a string');
  });

  test.each(['', 's', '-1s', '1.5s', '1 s', '1d', '15S', '99999999999s', '1s1s'])(
    '%j is refused with examples',
    (text) => {
      expect(() => parseDuration(text)).toThrow('expected a duration such as 500ms, 15s, 2m or 1h');
    },
  );
});
