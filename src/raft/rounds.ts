// Quorum rounds (RAFT.md §8): numbers that leave with every Append and heartbeat and come back
// with every answer. Whoever answered round n was asked after round n began; if a quorum did, we
// were still the leader when it began. Numbers only grow and are never reused within a term.

import type { Index, MonoUs } from '../base/units.ts';

/** Start times kept; an answer to a round older than this many tells nothing any more. */
const ROUNDS_KEPT = 4_096;

/** Requests that one round confirms, and what state they must be answered from. */
export interface ReadBatch {
  readonly round: number;
  readonly readIndex: Index;
  readonly ids: readonly number[];
}

/** Rounds and reads of one leader in one term. */
export class Rounds {
  /** The round that leaves with messages now. The first one begins with the election. */
  current = 1;
  /** Waiting for the next round to begin. Bounded by READS_MAX (reads.ts). */
  gathering: number[] = [];
  /** The batch whose round is out. */
  flight: ReadBatch | null = null;
  /** Confirmed, waiting for the state machine. */
  readonly confirmed: ReadBatch[] = [];
  private readonly startsUs = new Float64Array(ROUNDS_KEPT);

  constructor(nowUs: MonoUs) {
    this.startsUs[1] = nowUs;
  }

  /** Begins a round: all that leaves from now on carries its number. */
  begin(nowUs: MonoUs): number {
    this.current++;
    this.startsUs[this.current % ROUNDS_KEPT] = nowUs;
    return this.current;
  }

  /** When that round began; null for one that never did, or too long ago. */
  startOf(round: number): MonoUs | null {
    if (round < 1 || round > this.current || round <= this.current - ROUNDS_KEPT) return null;
    return this.startsUs[round % ROUNDS_KEPT] ?? null;
  }

  /** Everything that waits, for a leader that stops being one. */
  takeAll(): number[] {
    const ids = [...this.confirmed.flatMap((batch) => batch.ids)];
    if (this.flight !== null) ids.push(...this.flight.ids);
    ids.push(...this.gathering);
    this.confirmed.length = 0;
    this.flight = null;
    this.gathering = [];
    return ids;
  }
}
