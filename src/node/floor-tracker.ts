import type { Index, Term } from '../base/units.ts';

/** An entry, by the two numbers that name its content for ever. */
export interface FloorEntry {
  readonly index: Index;
  readonly term: Term;
}

/**
 * Finds an entry that is durable here and committed, and so can never be cut off: the next
 * durable floor (RAFT.md §15.3). Under load the newest durable entry is rarely committed yet, so
 * one of a moment ago is remembered too; a cut below either forgets it.
 */
export class FloorTracker {
  private newest: FloorEntry | null = null;
  private remembered: FloorEntry | null = null;
  private raised: Index = 0;

  persisted(entry: FloorEntry): void {
    this.newest = entry;
  }

  cut(from: Index): void {
    if (this.newest !== null && this.newest.index >= from) this.newest = null;
    if (this.remembered !== null && this.remembered.index >= from) this.remembered = null;
  }

  /** What is durable now is not known, until more is persisted. */
  forget(): void {
    this.newest = null;
    this.remembered = null;
  }

  /** The entry to raise the floor to now, or null when there is nothing new and safe. */
  take(commitIndex: Index): FloorEntry | null {
    const isSafe = (entry: FloorEntry | null): entry is FloorEntry =>
      entry !== null && entry.index <= commitIndex && entry.index > this.raised;
    const found = [this.newest, this.remembered].find(isSafe) ?? null;
    this.remembered = this.newest;
    if (found !== null) this.raised = found.index;
    return found;
  }
}
