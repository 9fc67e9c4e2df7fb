import { OrderedSet } from '../base/ordered-set.ts';
import type { LeaseUs } from '../base/units.ts';

interface Entry {
  readonly key: string;
  /** Tells apart what is looked at at the same time. */
  readonly number: number;
  readonly durationUs: number;
  startedUs: LeaseUs;
  /** When to look at it; the true deadline may be later by now. */
  lookUs: LeaseUs;
}

/** How much one call of `takeDue` may do. */
export interface TakeLimits {
  /** Entries that are looked at, due or not. */
  readonly looksMax: number;
  /** Entries that are given back. */
  readonly dueMax: number;
}

/**
 * What one tick may do for one table. Each entry that is due becomes a log entry on every node,
 * for 20 µs or more: 512 in a tick of 25 ms end 100,000 sessions in 5 s, and leave the loop to the
 * renewals of those that live (G1).
 */
export const PER_TICK: TakeLimits = { looksMax: 4_096, dueMax: 512 };

/**
 * Deadlines of very many things without a timer each. An entry is due at
 * max(base, started) + duration, where the base is the moment this node became a ready leader:
 * "restart everything" costs nothing (RAFT.md §14.1).
 *
 * Each entry stands in the schedule at most once, under a deadline that may be too early by now;
 * only when it comes first is the true one computed. So a renewal is one assignment. What is
 * deleted leaves the schedule at once: on a follower nothing ever becomes due.
 */
export class DeadlineTable {
  private readonly entries = new Map<string, Entry>();
  private schedule = newSchedule();
  private lastNumber = 0;

  /** Entries that will be looked at; those that `takeDue` gave back are not among them. */
  get scheduled(): number {
    return this.schedule.size;
  }

  /** Adds or replaces. */
  set(key: string, durationUs: number, startedUs: LeaseUs): void {
    this.delete(key);
    const lookUs = startedUs + durationUs;
    const entry = { key, number: ++this.lastNumber, durationUs, startedUs, lookUs };
    this.entries.set(key, entry);
    this.schedule.add(entry);
  }

  /** Counts the duration from `startedUs` on, if that is later than before. */
  restart(key: string, startedUs: LeaseUs): void {
    const entry = this.entries.get(key);
    if (entry !== undefined && startedUs > entry.startedUs) entry.startedUs = startedUs;
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.schedule.delete(entry);
  }

  clear(): void {
    this.entries.clear();
    this.schedule = newSchedule();
  }

  /** Until it is due, 0 if it is already; null: not known. */
  leftUs(key: string, nowUs: LeaseUs, baseUs: LeaseUs): number | null {
    const entry = this.entries.get(key);
    return entry === undefined ? null : Math.max(0, dueUsOf(entry, baseUs) - nowUs);
  }

  /**
   * Keys that are due, oldest deadline first; they are taken out of the schedule until `again`.
   * Bounded, so that a new leader with very many entries, and the end of very many at once, spread
   * their work over several ticks.
   */
  takeDue(nowUs: LeaseUs, baseUs: LeaseUs, limits: TakeLimits): string[] {
    const due: string[] = [];
    for (let looks = 0; looks < limits.looksMax && due.length < limits.dueMax; looks++) {
      const entry = this.schedule.first();
      if (entry === null || entry.lookUs > nowUs) break;
      this.schedule.delete(entry);
      const dueUs = dueUsOf(entry, baseUs);
      if (dueUs > nowUs) this.look(entry, dueUs);
      else due.push(entry.key);
    }
    return due;
  }

  /** Puts a key that `takeDue` gave back into the schedule: it will be looked at again. */
  again(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.schedule.delete(entry);
    this.look(entry, entry.startedUs + entry.durationUs);
  }

  // Only while it is not in the schedule, which is ordered by this field.
  private look(entry: Entry, lookUs: LeaseUs): void {
    entry.lookUs = lookUs;
    this.schedule.add(entry);
  }
}

function newSchedule(): OrderedSet<Entry> {
  return new OrderedSet<Entry>(
    (left, right) => left.lookUs - right.lookUs || left.number - right.number,
  );
}

function dueUsOf(entry: Entry, baseUs: LeaseUs): LeaseUs {
  return Math.max(baseUs, entry.startedUs) + entry.durationUs;
}
