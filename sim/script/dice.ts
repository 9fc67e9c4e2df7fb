// Luck for drawing scripts: keyed like that of the world, so that one more draw somewhere does not
// change what all others come to.

import { present } from '../../src/base/assert.ts';
import { KeyedRandom } from '../world/random.ts';
import type { DrawId } from '../world/random.ts';
import type { Range } from './ranges.ts';

/** What a draw is about: a label, then ids. */
export type Key = readonly [string, ...DrawId[]];

/** The luck of one script. */
export class Dice {
  private readonly random: KeyedRandom;

  constructor(seed: number) {
    this.random = new KeyedRandom(seed);
  }

  /** True in `perMille` of 1,000 cases. */
  isHit(perMille: number, ...key: Key): boolean {
    return this.random.below(1_000, ...key) < perMille;
  }

  /** A whole number of the range, all alike. */
  within({ min, max }: Range, ...key: Key): number {
    return min + this.random.below(max - min + 1, ...key);
  }

  /** One of the list, which is not empty, all alike. */
  pick<T>(list: readonly T[], ...key: Key): T {
    return present(list[this.random.below(list.length, ...key)], 'a list to pick from');
  }

  /** The first, which is the default; each other one in `perMille` of 1,000 cases. */
  settle<T>(choices: readonly T[], perMille: number, ...key: Key): T {
    const place = Math.floor(this.random.below(1_000, ...key) / perMille) + 1;
    return present(choices[place] ?? choices[0], 'a choice');
  }

  /** One of the list, as often as its weight says against all others. */
  weigh<const T>(list: readonly (readonly [T, number])[], ...key: Key): T {
    const sum = list.reduce((total, [, weight]) => total + weight, 0);
    let left = this.random.below(sum, ...key);
    for (const [value, weight] of list) {
      if (left < weight) return value;
      left -= weight;
    }
    return present(list[0], 'a list to weigh')[0];
  }
}
