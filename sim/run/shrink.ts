// Makes a failing script small (SIMULATOR.md §4.11): first what happens, then what it happens to,
// then the numbers. A smaller script counts only if it breaks the same promise; where and how it
// breaks it may change.

import type { Violation } from '../oracle/verdict.ts';
import type { Script } from '../script/types.ts';
import { reduceGroups, reduceList } from './reduce-list.ts';
import { lowerNumbers } from './shrink-numbers.ts';
import { makePlain } from './shrink-settings.ts';
import { Stopwatch } from './stopwatch.ts';
import type { RunScript } from './types.ts';

/** How long to look for something smaller. */
export interface ShrinkBudget {
  /** At most so many runs. */
  readonly runs: number;
  /** No new run after so many milliseconds of work of this process. */
  readonly ms: number;
}

/** What was found. */
export interface Shrunk {
  readonly script: Script;
  readonly violation: Violation;
  /** Runs that it took. */
  readonly runs: number;
}

/** SIMULATOR.md §5. */
export const SHRINK_BUDGET: ShrinkBudget = { runs: 150, ms: 10_000 };

/** The smallest script found that breaks the same promise as `violation`, which `script` breaks. */
export async function shrink(
  script: Script,
  violation: Violation,
  run: RunScript,
  budget: ShrinkBudget = SHRINK_BUDGET,
): Promise<Shrunk> {
  const search = new ShrinkSearch(script, violation, run, budget);
  for (let before: Script | null = null; before !== search.best && !search.isOver;) {
    before = search.best;
    await cutEnd(search);
    await dropFaults(search);
    await dropOps(search);
    await shrinkShape(search);
    await makePlain(search);
    if (before === search.best) await lowerNumbers(search);
  }
  return { script: search.best, violation: search.violation, runs: search.runs };
}

/** One search: the smallest script so far, and what may still be spent. */
export class ShrinkSearch {
  best: Script;
  violation: Violation;
  runs = 0;
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
    this.tried.add(JSON.stringify(script));
  }

  get isOver(): boolean {
    return this.runs >= this.budget.runs || this.watch.workMs >= this.budget.ms;
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
}

/**
 * Ends the script at its violation, or earlier if that will do. What is only seen after healing
 * (LIV-…, histories) comes at the end of any script: there halving finds how much is needed.
 */
async function cutEnd(search: ShrinkSearch): Promise<void> {
  const endMs = Math.ceil(search.violation.atUs / 1_000) + 1;
  if (endMs < search.best.horizonMs) await search.accepts(upTo(search.best, endMs));
  for (const share of [1 / 4, 1 / 2, 3 / 4]) {
    const shorterMs = Math.floor(search.best.horizonMs * share);
    if (await search.accepts(upTo(search.best, shorterMs))) return;
  }
}

function upTo({ faults, ops }: Script, horizonMs: number): Partial<Script> {
  return {
    horizonMs,
    faults: faults.filter(({ atMs }) => atMs < horizonMs),
    ops: ops.filter(({ atMs }) => atMs < horizonMs),
  };
}

async function dropFaults(search: ShrinkSearch): Promise<void> {
  const accepts = (faults: Script['faults']): Promise<boolean> => search.accepts({ faults });
  await reduceGroups(search.best.faults, ({ kind }) => kind, accepts);
  await reduceList(search.best.faults, accepts);
}

async function dropOps(search: ShrinkSearch): Promise<void> {
  const accepts = (ops: Script['ops']): Promise<boolean> => search.accepts({ ops });
  if (await accepts([])) return;
  await reduceGroups(search.best.ops, ({ client }) => client, accepts);
  await reduceGroups(search.best.ops, ({ key }) => key, accepts);
  await reduceList(search.best.ops, accepts);
}

const NODES = [1, 3, 5] as const;

async function shrinkShape(search: ShrinkSearch): Promise<void> {
  const { shape } = search.best;
  const fewer = NODES.filter((nodes) => nodes < shape.nodes);
  await search.acceptsAny(fewer.map((nodes) => ({ shape: { ...shape, nodes } })));
  for (const count of ['clients', 'keys'] as const) {
    const now = search.best.shape;
    const values = [1, 2, Math.floor(now[count] / 2)].filter((value) => value < now[count]);
    const distinct = [...new Set(values)].filter((value) => value >= 1);
    await search.acceptsAny(distinct.map((value) => ({ shape: { ...now, [count]: value } })));
  }
}
