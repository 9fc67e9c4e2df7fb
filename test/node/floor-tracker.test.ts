import { expect, test } from 'vitest';
import { FloorTracker } from '../../src/node/floor-tracker.ts';

test('INV-20 the floor is only ever an entry that is durable and committed', () => {
  const tracker = new FloorTracker();
  expect(tracker.take(100)).toBe(null);
  tracker.persisted({ index: 10, term: 1 });
  expect(tracker.take(9)).toBe(null);
  tracker.persisted({ index: 20, term: 1 });
  expect(tracker.take(12)).toEqual({ index: 10, term: 1 });
  expect(tracker.take(25)).toEqual({ index: 20, term: 1 });
});

test('INV-20 an entry that was cut off never becomes the floor, however far commit gets', () => {
  const tracker = new FloorTracker();
  tracker.persisted({ index: 10, term: 1 });
  tracker.take(5);
  tracker.persisted({ index: 12, term: 1 });
  tracker.cut(9);
  expect(tracker.take(50)).toBe(null);
  tracker.persisted({ index: 11, term: 2 });
  expect(tracker.take(50)).toEqual({ index: 11, term: 2 });
});

test('the floor never goes back', () => {
  const tracker = new FloorTracker();
  tracker.persisted({ index: 30, term: 2 });
  expect(tracker.take(30)).toEqual({ index: 30, term: 2 });
  expect(tracker.take(40)).toBe(null);
});
