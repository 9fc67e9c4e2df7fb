import { probes } from '../base/probe.ts';
import type { LeaseUs, SessionId, Term } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import { DeadlineTable } from './deadline-table.ts';

const LOOKS_PER_TICK_MAX = 4_096;

/** A waiting acquire, by the session and the number that it was asked with. */
export interface WaiterKey {
  readonly session: SessionId;
  readonly acquireSeq: number;
}

export interface WaitsOptions {
  /** Appends Withdraw entries; tells how many of the list were admitted. */
  readonly withdraw: (waiters: readonly WaiterKey[], term: Term) => number;
}

/**
 * The leader's limit on waiting (RAFT.md §13): serves callers that vanished, for a client that is
 * there gives up by itself. A new leader restarts every wait; only waiters are removed by it.
 */
export class Waits {
  private readonly options: WaitsOptions;
  private readonly table = new DeadlineTable();
  private readonly keys = new Map<string, WaiterKey>();
  /** Waiters whose Withdraw is appended and undecided. */
  private readonly withdrawing = new Set<string>();

  constructor(options: WaitsOptions) {
    this.options = options;
  }

  /** A request entered the queue. `waitMs` null waits without limit. */
  queued(waiter: WaiterKey, waitMs: number | null, startedUs: LeaseUs): void {
    if (waitMs === null) return;
    const name = nameOf(waiter);
    this.keys.set(name, waiter);
    this.table.set(name, waitMs * US_PER_MS, startedUs);
  }

  /** It is granted, or gone. */
  settled(waiter: WaiterKey): void {
    const name = nameOf(waiter);
    this.keys.delete(name);
    this.table.delete(name);
    this.withdrawing.delete(name);
  }

  /** Tests the deadlines of a ready leader of `term`. */
  test(nowUs: LeaseUs, baseUs: LeaseUs, term: Term): void {
    const due = this.table.takeDue(nowUs, baseUs, LOOKS_PER_TICK_MAX);
    const waiters = due.flatMap((name) => this.keys.get(name) ?? []);
    if (waiters.length === 0) return;
    probes.reach('wait-ends-at-leader');
    const admitted = this.options.withdraw(waiters, term);
    due.forEach((name, position) => {
      if (position < admitted) this.withdrawing.add(name);
      else this.table.again(name);
    });
  }

  /** Leadership is over: what it appended may be lost, so every wait is tested again. */
  stepDown(): void {
    for (const name of this.withdrawing) this.table.again(name);
    this.withdrawing.clear();
  }
}

function nameOf(waiter: WaiterKey): string {
  return `${waiter.session} ${waiter.acquireSeq}`;
}
