// Keyed randomness: every draw is a hash of the seed, a label and ids, never the next number of a
// stream. Removing one event of a run therefore leaves the luck of all others as it was
// (SIMULATOR.md §4.9).

import { Hasher } from '../../src/base/hash.ts';
import type { Random } from '../../src/ports/random.ts';

/** What a draw is about: names of processes, numbers of links, frames, timers. */
export type DrawId = string | number;

/** The luck of one world. */
export class KeyedRandom {
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** A whole number from 0 to 2^32 - 1, the same for the same label and ids. */
  draw(label: string, ...ids: readonly DrawId[]): number {
    const hasher = new Hasher(this.seed).text(label);
    for (const id of ids) {
      if (typeof id === 'string') hasher.text(id);
      else hasher.number(id);
    }
    return hasher.u32(0x5bd1e995).lanes()[0];
  }

  /** A whole number from 0 to `limit` - 1; 0 when the limit is 0. */
  below(limit: number, label: string, ...ids: readonly DrawId[]): number {
    return Math.floor((this.draw(label, ...ids) / 0x1_0000_0000) * limit);
  }

  /** The Random port of one life of a process: other lives and processes do not disturb it. */
  port(processName: string, incarnation: number): Random {
    let drawn = 0;
    return { u32: () => this.draw('process', processName, incarnation, drawn++) };
  }
}
