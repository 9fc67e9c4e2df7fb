// Makes a failing case small: fewer faults, smaller inputs, rounder numbers. A smaller case counts
// only if it breaks the same promise.

import * as fc from 'fast-check';
import type { SimulationError } from '../api/error.ts';
import { reduceList } from '../run/reduce-list.ts';
import { Stopwatch } from '../run/stopwatch.ts';
import type { WorldFault } from './world-fault.ts';

/** What one run is made of, besides the program and its options. */
export interface Case {
  readonly seed: number;
  readonly faults: readonly WorldFault[];
  readonly inputs: fc.Value<unknown>;
}

/** Runs it; null when nothing is broken. */
export type Attempt = (one: Case) => Promise<SimulationError | null>;

/** A case that fails, and how. */
export interface Found {
  readonly one: Case;
  readonly error: SimulationError;
}

/** How long to look for something smaller. */
export interface SearchBudget {
  /** At most so many runs. */
  readonly runs: number;
  /** No new run after so many milliseconds of work of this process. */
  readonly ms: number;
}

/** Begins with the case that was found. */
export class ShrinkSearch {
  best: Found;
  runs = 0;
  private readonly attempt: Attempt;
  private readonly arbitrary: fc.Arbitrary<unknown>;
  private readonly budget: SearchBudget;
  private readonly watch = new Stopwatch();
  // At most as many as the budget has runs.
  private readonly tried = new Set<string>();

  constructor(
    found: Found,
    attempt: Attempt,
    arbitrary: fc.Arbitrary<unknown>,
    budget: SearchBudget,
  ) {
    this.best = found;
    this.attempt = attempt;
    this.arbitrary = arbitrary;
    this.budget = budget;
    this.tried.add(keyOf(found.one));
  }

  /** The smallest case within the budget. */
  async shrink(): Promise<Found> {
    await this.accepts({ faults: [] });
    // Milder faults may need less company: all of it, until nothing changes.
    for (let before: Found | null = null; before !== this.best;) {
      before = this.best;
      await reduceList(this.best.one.faults, (faults) => this.accepts({ faults }));
      await this.shrinkInputs();
      if (before === this.best) await this.lowerNumbers();
    }
    return this.best;
  }

  private get isOver(): boolean {
    return this.runs >= this.budget.runs || this.watch.workMs >= this.budget.ms;
  }

  private async accepts(changes: Partial<Case>): Promise<boolean> {
    const one = { ...this.best.one, ...changes };
    const key = keyOf(one);
    if (this.isOver || this.tried.has(key)) return false;
    this.tried.add(key);
    this.runs++;
    const error = await this.attempt(one);
    if (error === null || promiseOf(error) !== promiseOf(this.best.error)) return false;
    this.best = { one, error };
    return true;
  }

  private async shrinkInputs(): Promise<void> {
    while (!this.isOver && (await this.shrinkInputsOnce()));
  }

  private async shrinkInputsOnce(): Promise<boolean> {
    const { inputs } = this.best.one;
    for (const smaller of this.arbitrary.shrink(inputs.value, inputs.context)) {
      if (this.isOver) return false;
      if (await this.accepts({ inputs: smaller })) return true;
    }
    return false;
  }

  private async lowerNumbers(): Promise<void> {
    for (const step of STEPS) {
      for (let at = 0; at < this.best.one.faults.length; at++) {
        const fault = this.best.one.faults[at];
        for (const milder of fault === undefined ? [] : step(fault)) {
          const faults = this.best.one.faults.with(at, milder);
          if (await this.accepts({ faults })) break;
        }
      }
    }
  }
}

const ROUND_MS = [10_000, 1_000, 100, 10] as const;

/** Milder and rounder ones, the mildest first. */
const STEPS: readonly ((fault: WorldFault) => readonly WorldFault[])[] = [
  (fault) => [{ ...fault, arg: 0 }],
  (fault) => [0, fault.atMs >> 1].map((atMs) => ({ ...fault, atMs })),
  (fault) => [fault.forMs >> 2, fault.forMs >> 1].map((forMs) => ({ ...fault, forMs })),
  (fault) => ROUND_MS.map((unit) => ({ ...fault, forMs: rounded(fault.forMs, unit) })),
  (fault) => ROUND_MS.map((unit) => ({ ...fault, atMs: rounded(fault.atMs, unit) })),
];

function rounded(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}

/** What was broken: of checks and throws also which one, whatever numbers it tells. */
export function promiseOf({ oracle, message }: SimulationError): string {
  const isOfUser = oracle === 'CHECK' || oracle === 'PROGRAM';
  return isOfUser ? `${oracle} ${message.replace(/\d+/g, '#')}` : oracle;
}

function keyOf({ seed, faults, inputs }: Case): string {
  return `${seed} ${JSON.stringify(faults)} ${fc.stringify(inputs.value)}`;
}
