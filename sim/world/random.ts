// Keyed randomness: every draw is a hash of the seed, a label and ids, never the next number of a
// stream. Removing one event of a run therefore leaves the luck of all others as it was
// (SIMULATOR.md §4.9).

import { mix32 } from '../../src/base/hash.ts';
import type { Random } from '../../src/ports/random.ts';

/** What a draw is about: names of processes, whole numbers of links, frames, timers. */
export type DrawId = string | number;

/** The luck of one world. */
export class KeyedRandom {
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = mix32(seed ^ 0x9e3779b9);
  }

  /** A whole number from 0 to 2^32 - 1, the same for the same label and ids. */
  draw(label: string, ...ids: readonly DrawId[]): number {
    let state = feedText(this.seed, label);
    for (const id of ids) state = typeof id === 'string' ? feedText(state, id) : feed(state, id);
    return mix32(state ^ 0x5bd1e995) >>> 0;
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

function feed(state: number, value: number): number {
  const high = Math.floor(value / 0x1_0000_0000);
  return mix32(Math.imul(state ^ value, 0x01000193) + high);
}

// FNV-1a: one multiplication for each character, and one good stir at the end.
function feedText(seed: number, text: string): number {
  let state = seed;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return mix32(state + text.length);
}
