import type { Cells } from './lease-cells.ts';

const DEADLINE = 0;
const CONFIRMED = 1;
const HOLD_END = 2;
const GONE = 3;

/** Cells that a LeaseMemory takes. */
export const LEASE_CELLS = 4;

/**
 * What is known of one lease, in whichever thread. Times are lease time in microseconds.
 *
 * Invariant: the deadline is sendTime + κ·D of some request that the cluster confirmed, and was
 * raised to it before it had passed. So once it has passed, it stays so.
 */
export class LeaseMemory {
  private readonly cells: Cells;

  constructor(cells: Cells) {
    this.cells = cells;
  }

  /** End of the belief; Infinity without TTL. */
  get deadlineUs(): number {
    return this.cells.get(DEADLINE);
  }

  /** When the last request was sent that the cluster confirmed. */
  get confirmedUs(): number {
    return this.cells.get(CONFIRMED);
  }

  /** Only ever moves ahead, whichever thread comes first. */
  confirm(sentUs: number, deadlineUs: number): void {
    this.cells.raise(DEADLINE, deadlineUs);
    this.cells.raise(CONFIRMED, sentUs);
  }

  /**
   * From then on nothing is renewed: some holder has had its lock for as long as it may, and has
   * not given it back. Infinity while nobody is limited.
   */
  get holdEndUs(): number {
    return this.cells.get(HOLD_END);
  }

  set holdEndUs(us: number) {
    this.cells.set(HOLD_END, us);
  }

  /** The cluster has said that the session is over. */
  get isGone(): boolean {
    return this.cells.get(GONE) > 0;
  }

  becomeGone(): void {
    this.cells.set(GONE, 1);
  }
}
