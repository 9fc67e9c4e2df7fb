// One search for a smaller script: the smallest one so far, and what may still be spent.

import type { Violation } from '../oracle/verdict.ts';
import type { Script } from '../script/types.ts';
import { KeyedRandom } from '../world/random.ts';
import { Stopwatch } from './stopwatch.ts';
import type { RunScript } from './types.ts';

/** How long to look for something smaller. */
export interface ShrinkBudget {
  /** At most so many runs. */
  readonly runs: number;
  /** No new run after so many milliseconds of work of this process. */
  readonly ms: number;
}

/** SIMULATOR.md §5: more than that is too much to read. */
const BIG = { faults: 4, ops: 6 } as const;
/** With no more than that, what is left is soon looked through. */
const SMALL = { faults: 2, ops: 3 } as const;

/** Begins with the script that was found. */
export class ShrinkSearch {
  best: Script;
  violation: Violation;
  runs = 0;
  /** The same for the same failing script. */
  readonly random: KeyedRandom;
  private readonly run: RunScript;
  private readonly budget: ShrinkBudget;
  private readonly watch = new Stopwatch();
  // At most as many as the budget has runs.
  private readonly tried = new Set<string>();

  constructor(script: Script, violation: Violation, run: RunScript, budget: ShrinkBudget) {
    this.best = script;
    this.violation = violation;
    this.run = run;
    this.budget = budget;
    this.random = new KeyedRandom(script.noise);
    this.tried.add(JSON.stringify(script));
  }

  get isOver(): boolean {
    return this.runs >= this.budget.runs || this.watch.workMs >= this.budget.ms;
  }

  get isSmall(): boolean {
    return this.isWithin(SMALL);
  }

  get isBig(): boolean {
    return !this.isWithin(BIG);
  }

  /** Takes the best script with these changes for the new best one if it fails the same way. */
  async accepts(changes: Partial<Script>): Promise<boolean> {
    const script = { ...this.best, ...changes };
    const key = JSON.stringify(script);
    if (this.isOver || this.tried.has(key)) return false;
    this.tried.add(key);
    this.runs++;
    const { violation } = await this.run(script);
    if (violation?.oracle !== this.violation.oracle) return false;
    this.best = script;
    this.violation = violation;
    return true;
  }

  /** Tries one after the other until one is accepted. */
  async acceptsAny(candidates: readonly Partial<Script>[]): Promise<boolean> {
    for (const candidate of candidates) if (await this.accepts(candidate)) return true;
    return false;
  }

  private isWithin(most: typeof BIG | typeof SMALL): boolean {
    const { faults, ops } = this.best;
    return faults.length <= most.faults && ops.length <= most.ops;
  }
}
