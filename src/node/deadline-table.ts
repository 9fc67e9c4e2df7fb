import { MinHeap } from '../base/heap.ts';
import type { LeaseUs } from '../base/units.ts';

interface Entry {
  readonly key: string;
  readonly durationUs: number;
  startedUs: LeaseUs;
}

interface HeapItem {
  readonly entry: Entry;
  readonly dueUs: LeaseUs;
}

/**
 * Deadlines of very many things without a timer each. An entry is due at
 * max(base, started) + duration, where the base is the moment this node became a ready leader:
 * "restart everything" costs nothing (RAFT.md §14.1).
 *
 * Each entry stands in the heap once, under a deadline that may be too early by now; only when
 * it comes to the top is the true one computed. So a renewal is one assignment.
 */
export class DeadlineTable {
  private readonly entries = new Map<string, Entry>();
  private readonly heap = new MinHeap<HeapItem>((left, right) => left.dueUs - right.dueUs);

  get size(): number {
    return this.entries.size;
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** Adds or replaces. */
  set(key: string, durationUs: number, startedUs: LeaseUs): void {
    const entry = { key, durationUs, startedUs };
    this.entries.set(key, entry);
    this.heap.push({ entry, dueUs: startedUs + durationUs });
  }

  /** Counts the duration from `startedUs` on, if that is later than before. */
  restart(key: string, startedUs: LeaseUs): void {
    const entry = this.entries.get(key);
    if (entry !== undefined && startedUs > entry.startedUs) entry.startedUs = startedUs;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  /**
   * Keys that are due, oldest deadline first; they are taken out of the schedule until `again`.
   * Looks at no more than `looksMax` heap items, so that a new leader with very many entries
   * spreads the work over several ticks.
   */
  takeDue(nowUs: LeaseUs, baseUs: LeaseUs, looksMax: number): string[] {
    const due: string[] = [];
    for (let looks = 0; looks < looksMax; looks++) {
      const top = this.heap.peek();
      if (top === undefined || top.dueUs > nowUs) break;
      this.heap.pop();
      const { entry } = top;
      if (this.entries.get(entry.key) !== entry) continue;
      const dueUs = Math.max(baseUs, entry.startedUs) + entry.durationUs;
      if (dueUs > nowUs) this.heap.push({ entry, dueUs });
      else due.push(entry.key);
    }
    return due;
  }

  /** Puts a key that `takeDue` gave back into the schedule: it will be looked at again. */
  again(key: string): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) {
      this.heap.push({ entry, dueUs: entry.startedUs + entry.durationUs });
    }
  }
}
