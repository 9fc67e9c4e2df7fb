import { expect, test } from 'vitest';
import { Reminder } from '../../src/client/reminder.ts';
import { ManualClock } from '../node/manual-clock.ts';

test('who waits is reminded after a second, then ever more rarely, until it is over', () => {
  const clock = new ManualClock();
  const seconds: number[] = [];
  const reminder = new Reminder(clock, () => seconds.push(clock.nowUs / 1_000_000));
  for (let second = 0; second < 130; second++) clock.advance(1_000_000);
  expect(seconds).toEqual([1, 3, 7, 15, 31, 61, 91, 121]);
  reminder.stop();
  clock.advance(100_000_000);
  expect([seconds.length, clock.timerCount()]).toEqual([8, 0]);
});
