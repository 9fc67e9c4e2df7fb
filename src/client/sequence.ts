/** Undecided requests of one session; beyond it the client queues locally (RAFT.md §12). */
export const WINDOW_MAX = 4_096;

/**
 * Numbers the requests of one session and knows which answers are still missing. A request that
 * was answered QUEUED or GRANTED is decided here: its record in the state machine is the waiter
 * or the grant itself, which may lie below `ackedBelow` (RAFT.md §12).
 */
export class Sequence {
  private nextSeq = 1;
  // Grows in ascending order, so its first element is the smallest.
  private readonly undecided = new Set<number>();

  /** The next number, or null while the window is full. */
  admit(): number | null {
    if (this.nextSeq >= this.ackedBelow() + WINDOW_MAX) return null;
    const seq = this.nextSeq++;
    this.undecided.add(seq);
    return seq;
  }

  /** The answer is known, or nobody will ask for it again. Idempotent. */
  settle(seq: number): void {
    this.undecided.delete(seq);
  }

  /** All requests below were answered: the cluster may forget their results. */
  ackedBelow(): number {
    for (const smallest of this.undecided) return smallest;
    return this.nextSeq;
  }
}
