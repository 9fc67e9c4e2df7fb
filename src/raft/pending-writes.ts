// What of the log in memory is on disk, exactly, while entries are cut and written again.
// One batch is out at a time; everything that arrives meanwhile is the next one (group commit).
//
// The race that this file is about (ER TestLeaderMsgAppSelfAckAfterTermChange):
// 1. Entries 5-7 of term 2 are handed to the disk. 2. A leader of term 3 cuts at 6 and puts its
// own entry there. 3. The first write completes. Now 5 is durable, and 6 is not, although a batch
// that reached up to 7 has just succeeded.

import { assert } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import type { Index, MonoUs } from '../base/units.ts';

interface Flight {
  readonly sequence: number;
  /** Last entry of the batch that still is what memory holds. */
  coversTo: Index;
  sinceUs: MonoUs;
}

/** Invariant: durableIndex ≤ submittedIndex ≤ last index of the log in memory. */
export class PendingWrites {
  /** Up to here memory and disk agree now: the last entry known to survive a crash. */
  durableIndex: Index;
  /** Up to here they agree once the batch in flight is written. */
  submittedIndex: Index;
  /** Where the log on disk ends once the batch in flight is written. */
  private diskEnd: Index;
  private flight: Flight | null = null;
  private lastSequence = 0;

  constructor(lastIndex: Index) {
    this.durableIndex = lastIndex;
    this.submittedIndex = lastIndex;
    this.diskEnd = lastIndex;
  }

  get isBusy(): boolean {
    return this.flight !== null;
  }

  /** Since when the oldest batch that is not durable waits; null when none does. */
  get busySinceUs(): MonoUs | null {
    return this.flight?.sinceUs ?? null;
  }

  /** The log in memory was cut at `from`: nothing from there on counts, in flight or not. */
  onTruncate(from: Index): void {
    probes.sometimes('batch-in-flight-truncated', (this.flight?.coversTo ?? 0) >= from);
    this.durableIndex = Math.min(this.durableIndex, from - 1);
    this.submittedIndex = Math.min(this.submittedIndex, from - 1);
    if (this.flight !== null) this.flight.coversTo = Math.min(this.flight.coversTo, from - 1);
  }

  /** Hands out the batch that ends at `last`; it cuts the disk where memory was cut. */
  begin(last: Index, nowUs: MonoUs): { sequence: number; truncateFrom: Index | null } {
    assert(this.flight === null, 'one batch is on its way to the disk at a time');
    assert(last > this.submittedIndex, 'a batch has at least one entry');
    const truncateFrom = this.diskEnd > this.submittedIndex ? this.submittedIndex + 1 : null;
    this.lastSequence++;
    this.flight = { sequence: this.lastSequence, coversTo: last, sinceUs: nowUs };
    this.submittedIndex = last;
    this.diskEnd = last;
    return { sequence: this.lastSequence, truncateFrom };
  }

  /** The batch is on disk. What was cut or replaced meanwhile does not count. */
  complete(sequence: number): void {
    assert(this.flight?.sequence === sequence, 'completions answer the batch in flight');
    this.durableIndex = Math.max(this.durableIndex, this.flight.coversTo);
    this.flight = null;
  }

  /** A checkpoint up to `anchor` took the place of the whole log, in memory and on disk. */
  restartAt(anchor: Index): void {
    assert(this.flight === null, 'no batch is out while the log is replaced');
    this.durableIndex = anchor;
    this.submittedIndex = anchor;
    this.diskEnd = anchor;
  }

  /** This process did not run: the time it lost is not the disk's fault. */
  forgiveStall(nowUs: MonoUs): void {
    if (this.flight !== null) this.flight.sinceUs = nowUs;
  }
}
