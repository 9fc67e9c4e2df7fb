// Numbers for requests that came without one. Such a request is sent into the log at most once, so
// "exactly once" needs no stored answer, and none is kept (UNNUMBERED_SEQ_MIN); the number serves
// only as the name of a grant. It is drawn at random from 2^52 values, so that no node has to know
// what another one drew for the same session: the odds of meeting a living grant's number are below
// 10,000 in 2^52, and then the request is refused as INVALID, not confused with the other.

import { UNNUMBERED_SEQ_MIN } from '../locks/commands.ts';
import type { Random } from '../ports/random.ts';

const HIGH_BITS = 20;
const LOW_VALUES = 2 ** 32;

/** Draws numbers from 2^52 to 2^53 - 1. */
export class UnnumberedSeqs {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  next(): number {
    const high = this.random.u32() >>> (32 - HIGH_BITS);
    return UNNUMBERED_SEQ_MIN + high * LOW_VALUES + this.random.u32();
  }
}
