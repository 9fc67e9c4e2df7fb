import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deadlines, NOWHERE } from '../../src/client/deadlines.ts';
import type { Due } from '../../src/client/deadlines.ts';
import { VirtualClock } from './virtual-clock.ts';

class Item implements Due {
  place = NOWHERE;
  rangUs: number | null = null;
  readonly dueUs: number;
  private readonly clock: VirtualClock;

  constructor(clock: VirtualClock, dueUs: number) {
    this.clock = clock;
    this.dueUs = dueUs;
  }

  onDue(): void {
    expect([this.rangUs, this.place]).toEqual([null, NOWHERE]);
    this.rangUs = this.clock.monoUs();
  }
}

const step = fc.record({
  afterMs: fc.oneof(fc.nat(40), fc.nat(3_000)),
  isRemoval: fc.boolean(),
  which: fc.nat(),
  waitMs: fc.oneof(fc.nat(5), fc.nat(1_500)),
});

test('each that is not removed rings at its time, once, whatever else comes and goes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new VirtualClock();
      const deadlines = new Deadlines(clock);
      const items: Item[] = [];
      const removed = new Map<Item, number>();
      for (const { afterMs, isRemoval, which, waitMs } of steps) {
        const nowUs = clock.monoUs();
        const item = isRemoval ? items[which % items.length] : undefined;
        if (item !== undefined) {
          deadlines.remove(item);
          if (item.rangUs === null && !removed.has(item)) removed.set(item, nowUs);
        } else {
          const added = new Item(clock, nowUs + afterMs * 1000);
          items.push(added);
          deadlines.add(added);
          expect(added.rangUs).toBeNull();
        }
        await clock.run(waitMs);
      }
      await clock.run(3_050);
      for (const item of items) expect(item.rangUs).toBe(removed.has(item) ? null : item.dueUs);
      expect(clock.pending()).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('those that go in any order leave the others where they can be found', async () => {
  const afterMs = fc.integer({ min: 900, max: 3_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(afterMs, fc.nat())), fc.nat(100), async (drawn, part) => {
      const clock = new VirtualClock();
      const deadlines = new Deadlines(clock);
      const ranked = drawn.map(([ms, rank]) => ({
        item: new Item(clock, clock.monoUs() + ms * 1000),
        rank,
      }));
      const items = ranked.map(({ item }) => item);
      for (const item of items) deadlines.add(item);
      ranked.sort((one, other) => one.rank - other.rank);
      const leaving = new Set(items.slice(0, Math.ceil((items.length * part) / 100)));
      for (const { item } of ranked) if (leaving.has(item)) deadlines.remove(item);
      await clock.run(3_050);
      for (const item of items) expect(item.rangUs).toBe(leaving.has(item) ? null : item.dueUs);
    }),
    { numRuns: 50 },
  );
});

test('one clock timer for all, which stop takes back', async () => {
  const clock = new VirtualClock();
  const deadlines = new Deadlines(clock);
  for (let at = 0; at < 100; at++) {
    const item = new Item(clock, clock.monoUs() + 1_000 + at);
    deadlines.add(item);
    deadlines.remove(item);
    expect(clock.pending()).toBe(1);
  }
  deadlines.add(new Item(clock, Infinity));
  deadlines.stop();
  expect(clock.pending()).toBe(0);
  const last = new Item(clock, clock.monoUs() + 1_000);
  deadlines.add(last);
  await clock.run(1);
  expect(last.rangUs).toBe(last.dueUs);
});

test('between two that are due at once there is room for what the first one leads to', async () => {
  const clock = new VirtualClock();
  const deadlines = new Deadlines(clock);
  const items = [1, 2].map(() => new Item(clock, clock.monoUs() + 1_000));
  for (const item of items) deadlines.add(item);
  clock.block(5);
  await clock.steps(1);
  const [rang] = items.filter((item) => item.rangUs !== null);
  for (const item of items) if (item !== rang) deadlines.remove(item);
  await clock.run(10);
  expect(items.filter((item) => item.rangUs !== null)).toEqual([rang]);
});
