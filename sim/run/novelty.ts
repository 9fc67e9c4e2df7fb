// Which runs are worth varying: those in which two rare states come together that never did.

import type { ProbeId } from '../../src/base/probe.ts';
import { KeyedRandom } from '../world/random.ts';
import type { Script } from '../script/types.ts';

/** Remembers pairs of probes; there are at most as many as the catalogue has pairs. */
export class Novelty {
  private readonly pairs = new Set<string>();

  /** True when some two of these, or one alone, were never hit in one run before. */
  isNew(probes: readonly ProbeId[]): boolean {
    const before = this.pairs.size;
    for (const [at, one] of probes.entries()) {
      for (const other of probes.slice(at)) this.pairs.add(`${one} ${other}`);
    }
    return this.pairs.size > before;
  }
}

const POOL_MAX = 200;

/** Scripts to vary; full, each new one takes the place of a drawn one. */
export class MutationPool {
  private readonly scripts: Script[] = [];
  private readonly random: KeyedRandom;
  private added = 0;

  constructor(seed: number) {
    this.random = new KeyedRandom(seed);
  }

  add(script: Script): void {
    this.added++;
    if (this.scripts.length < POOL_MAX) this.scripts.push(script);
    else this.scripts[this.random.below(POOL_MAX, 'replace', this.added)] = script;
  }

  /** The script that the `number`-th run varies; null for a fresh one, which half of them are. */
  base(number: number): Script | null {
    if (this.random.below(2, 'origin', number) === 0) return null;
    return this.scripts[this.random.below(this.scripts.length, 'base', number)] ?? null;
  }
}
