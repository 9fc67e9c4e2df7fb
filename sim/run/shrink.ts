// Makes a failing script small (SIMULATOR.md §4.11): first what happens, then what it happens to,
// then the numbers. A smaller script counts only if it breaks the same promise; where and how it
// breaks it may change, and so may the luck: what is left out moves everything that comes later,
// and a bug that showed by chance before may need another chance.

import type { Violation } from '../oracle/verdict.ts';
import type { Script } from '../script/types.ts';
import { reduceGroups, reduceList } from './reduce-list.ts';
import { leap, thinOut, tryFew } from './shrink-leaps.ts';
import { lowerNumbers } from './shrink-numbers.ts';
import { ShrinkSearch } from './shrink-search.ts';
import type { ShrinkBudget } from './shrink-search.ts';
import { makePlain } from './shrink-settings.ts';
import type { RunScript } from './types.ts';

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
  await cutToViolation(search);
  await leap(search);
  await tryFew(search);
  for (let before: Script | null = null; before !== search.best;) {
    before = search.best;
    await dropItems(search);
    if (search.isSmall) break;
    if (search.isBig) await thinOut(search);
  }
  await shrinkShape(search);
  await makePlain(search);
  await lowerNumbers(search);
  await cutEnd(search);
  return { script: search.best, violation: search.violation, runs: search.runs };
}

async function dropItems(search: ShrinkSearch): Promise<void> {
  await cutEnd(search);
  await dropFaults(search);
  await dropOps(search);
}

/**
 * Ends the script at its violation, or earlier if that will do. What is only seen after healing
 * (LIV-…, histories) comes at the end of any script: there halving finds how much is needed.
 */
async function cutEnd(search: ShrinkSearch): Promise<void> {
  await cutToViolation(search);
  for (const share of [0, 1 / 4, 1 / 2, 3 / 4]) {
    const shorterMs = Math.floor(search.best.horizonMs * share);
    if (await search.accepts(upTo(search.best, shorterMs))) return;
  }
}

/** Times of violations count from before the script begins, so that this is never too early. */
async function cutToViolation(search: ShrinkSearch): Promise<void> {
  const endMs = Math.ceil(search.violation.atUs / 1_000) + 1;
  if (endMs < search.best.horizonMs) await search.accepts(upTo(search.best, endMs));
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
