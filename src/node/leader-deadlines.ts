import type { LeaseUs, Term } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import { DeadlineTable, PER_TICK } from './deadline-table.ts';

/** How items are told apart, and what ends them. */
export interface LeaderDeadlinesOptions<Item> {
  /** Unique among the items that run at the same time. */
  readonly nameOf: (item: Item) => string;
  /** Appends the entries that end the items; tells how many of the list were admitted. */
  readonly propose: (items: readonly Item[], term: Term) => number;
}

/**
 * Deadlines that a leader enforces with entries of its own: the ends of waits and of lock-delays
 * (RAFT.md §13). Every node keeps the table, for any may lead; only a ready leader tests it, and a
 * new one starts every duration again. What has come due is proposed until an entry settles it.
 */
export class LeaderDeadlines<Item> {
  private readonly options: LeaderDeadlinesOptions<Item>;
  private readonly table = new DeadlineTable();
  private readonly items = new Map<string, Item>();
  /** Whose entry is appended and undecided. */
  private readonly proposed = new Set<string>();

  constructor(options: LeaderDeadlinesOptions<Item>) {
    this.options = options;
  }

  /** Items whose entry is appended and undecided. */
  get undecided(): number {
    return this.proposed.size;
  }

  /** The item runs from now on. */
  start(item: Item, durationMs: number, startedUs: LeaseUs): void {
    const name = this.options.nameOf(item);
    this.items.set(name, item);
    this.table.set(name, durationMs * US_PER_MS, startedUs);
  }

  /** It is over, in whatever way. One that does not run is none of ours. */
  settle(item: Item): void {
    if (this.items.size === 0) return;
    const name = this.options.nameOf(item);
    if (!this.items.delete(name)) return;
    this.table.delete(name);
    this.proposed.delete(name);
  }

  /** Nothing runs any more: another machine is in force. */
  clear(): void {
    this.items.clear();
    this.proposed.clear();
    this.table.clear();
  }

  /** How long it still runs, in microseconds, 0 at least; null: it does not. */
  leftUs(item: Item, nowUs: LeaseUs, baseUs: LeaseUs): number | null {
    return this.table.leftUs(this.options.nameOf(item), nowUs, baseUs);
  }

  /** Tests the deadlines of a ready leader of `term`. */
  test(nowUs: LeaseUs, baseUs: LeaseUs, term: Term): void {
    const due = this.table.takeDue(nowUs, baseUs, PER_TICK);
    const items = due.flatMap((name) => this.items.get(name) ?? []);
    if (items.length === 0) return;
    const admitted = this.options.propose(items, term);
    due.forEach((name, position) => {
      if (position < admitted) this.proposed.add(name);
      else this.table.again(name);
    });
  }

  /** Leadership is over: what it appended may be lost, so everything is tested again. */
  stepDown(): void {
    for (const name of this.proposed) this.table.again(name);
    this.proposed.clear();
  }
}
