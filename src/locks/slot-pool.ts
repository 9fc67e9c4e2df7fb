// The numbered slots of a semaphore: which are free. Who has which is the crowd's to know.

import { OrderedSet } from '../base/ordered-set.ts';

/** Free slots from `from` up to and without `to`. */
interface Run {
  from: number;
  to: number;
}

/**
 * Slots 0 … total - 1. Kept as runs of free ones, no two of which touch: a million slots cost
 * what their holders do, and the lowest free one is always at hand.
 */
export class SlotPool {
  readonly total: number;
  private readonly runs = new OrderedSet<Run, Pick<Run, 'from'>>(
    (left, right) => left.from - right.from,
  );
  private count: number;

  constructor(total: number) {
    this.total = total;
    this.count = total;
    this.runs.add({ from: 0, to: total });
  }

  /** How many slots are free. */
  get free(): number {
    return this.count;
  }

  /** Takes the lowest free slots, ascending; fewer than `count` only when there are no more. */
  take(count: number): readonly number[] {
    const slots: number[] = [];
    while (slots.length < count) {
      const run = this.runs.first();
      if (run === null) break;
      slots.push(run.from);
      if (run.from + 1 === run.to) this.runs.delete(run);
      // The first run stays the first when it loses its lowest slot.
      else run.from++;
    }
    this.count -= slots.length;
    return slots;
  }

  /** Takes these slots, ascending; false, with some of them taken, if one is not free. */
  takeThese(slots: readonly number[]): boolean {
    for (const slot of slots) {
      const run = this.runs.lastBelow({ from: slot + 1 });
      if (run === null || slot >= run.to) return false;
      this.split(run, slot);
      this.count--;
    }
    return true;
  }

  /** Gives back slots that were taken. */
  giveBack(slots: readonly number[]): void {
    for (const slot of slots) this.giveBackOne(slot);
    this.count += slots.length;
  }

  /** Free slots as [from, to), in order. */
  freeRuns(): readonly (readonly [from: number, to: number])[] {
    return [...this.runs.values()].map(({ from, to }) => [from, to]);
  }

  private split(run: Run, slot: number): void {
    const { from, to } = run;
    if (slot + 1 < to) this.runs.add({ from: slot + 1, to });
    if (from < slot) run.to = slot;
    else this.runs.delete(run);
  }

  private giveBackOne(slot: number): void {
    const before = this.runs.lastBelow({ from: slot });
    const after = this.runs.firstFrom({ from: slot });
    const run = before?.to === slot ? before : { from: slot, to: slot };
    if (run !== before) this.runs.add(run);
    run.to = slot + 1;
    if (after === null || after.from !== run.to) return;
    run.to = after.to;
    this.runs.delete(after);
  }
}
