import type { Random } from '../ports/random.ts';

/** Delays that double up to a cap, each drawn from its upper half so that clients spread out. */
export class Backoff {
  private readonly random: Random;
  private readonly firstUs: number;
  private readonly capUs: number;
  private nextUs: number;

  constructor(random: Random, firstUs: number, capUs: number) {
    this.random = random;
    this.capUs = Math.max(1, capUs);
    this.firstUs = Math.min(firstUs, this.capUs);
    this.nextUs = this.firstUs;
  }

  /** Delay before the next try, in microseconds. */
  take(): number {
    const delayUs = jitter(this.random, this.nextUs);
    this.nextUs = Math.min(this.capUs, this.nextUs * 2);
    return delayUs;
  }

  /** The last try went well. */
  reset(): void {
    this.nextUs = this.firstUs;
  }
}

/** A whole number between half of `us` and `us`. */
export function jitter(random: Random, us: number): number {
  const half = us / 2;
  return Math.floor(half + (half * random.u32()) / 0x1_0000_0000);
}
