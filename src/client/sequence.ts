import type { Random } from '../ports/random.ts';
import { drawUnnumbered } from './draws.ts';

/** Undecided requests of one session; beyond it the client queues locally (RAFT.md §12). */
export const WINDOW_MAX = 4_096;

/** Where the commands of a session get their numbers. */
export interface Numbering {
  /** The next number, or null while the window is full. */
  admit(): number | null;
  /** The answer is known, or nobody will ask for it again. Idempotent. */
  settle(seq: number): void;
  /** All requests below were answered: the cluster may forget their results. */
  ackedBelow(): number;
}

/**
 * Numbers the requests of one session and knows which answers are still missing. A request that
 * was answered QUEUED or GRANTED is decided here: its record in the state machine is the waiter
 * or the grant itself, which may lie below `ackedBelow` (RAFT.md §12).
 */
export class Sequence implements Numbering {
  private nextSeq = 1;
  /** The smallest undecided number, or the next. */
  private lowest = 1;
  /** 1 for each undecided number from the lowest on, at its remainder by WINDOW_MAX. */
  private readonly undecided = new Uint8Array(WINDOW_MAX);

  /** From now on numbers begin here; for a session whose earlier ones another process gave out. */
  startAt(seq: number): void {
    this.nextSeq = seq;
    this.lowest = seq;
    this.undecided.fill(0);
  }

  admit(): number | null {
    if (this.nextSeq >= this.lowest + WINDOW_MAX) return null;
    const seq = this.nextSeq++;
    this.undecided[seq % WINDOW_MAX] = 1;
    return seq;
  }

  settle(seq: number): void {
    if (seq < this.lowest || seq >= this.nextSeq) return;
    this.undecided[seq % WINDOW_MAX] = 0;
    while (this.lowest < this.nextSeq && this.undecided[this.lowest % WINDOW_MAX] === 0) {
      this.lowest++;
    }
  }

  ackedBelow(): number {
    return this.lowest;
  }
}

/**
 * Numbers for whoever shares a session with the process that numbers its requests. No answers are
 * kept for them, so they are only for commands that name what they mean: a repetition of a release
 * finds no such grant, one of a proclamation proclaims again.
 */
export class DrawnNumbers implements Numbering {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  admit(): number {
    return drawUnnumbered(this.random);
  }

  settle(): void {}

  /** The answers are the other process's to acknowledge. */
  ackedBelow(): number {
    return 0;
  }
}
