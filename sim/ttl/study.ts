// How often a pause costs a lease, and what fencing makes of it: from the bare model, and with the
// shipped client against a simulated cluster.

import { UNSEEN, admit } from '../../src/fence/rule.ts';
import { simulate } from '../api/simulate.ts';
import { KeyedRandom } from '../world/random.ts';
import { Draws } from './draws.ts';
import { outcomeOf } from './model.ts';
import { runPair } from './pair.ts';
import type { PairPlan } from './pair.ts';
import { Tally } from './tally.ts';
import type { Estimate } from './tally.ts';

/** What a row of the table was found by. */
export type Way = 'model' | 'renewal off' | 'renewal on';

/** One row of the table. */
export interface TtlRow {
  readonly ttlMs: number;
  readonly way: Way;
  /** How many holders were looked at. */
  readonly cases: number;
  /** The lease ran out before the work was done. */
  readonly expired: Estimate;
  /** Without fencing the late write would have come after the next holder's. */
  readonly overlap: Estimate;
  /** Of the cases with an overlap, how many there were and how many a fence refused. */
  readonly overlaps: number;
  readonly caught: number;
}

/** What is measured. */
export interface StudyOptions {
  /** TTLs, each longer than the work. */
  readonly ttlsMs: readonly number[];
  readonly workMs: number;
  /** Of the bare model, for each TTL; from 2. */
  readonly trials: number;
  /** Simulated holders for each TTL, with and without renewal; from 2, or 0 for none. */
  readonly pairs: number;
  readonly seed: number;
}

/** So many pairs share a simulated cluster: enough to be quick, few enough to keep it idle. */
const PAIRS_PER_WORLD = 25;
const WORLD_HOURS = 2;
/** Those of the story; a later grant has a larger one. */
const TOKENS = { first: 33, next: 34 } as const;

/** All rows, by TTL. Deterministic: the same options give the same rows. */
export async function studyTtls(options: StudyOptions): Promise<TtlRow[]> {
  const rows: TtlRow[] = [];
  for (const ttlMs of options.ttlsMs) {
    rows.push(modelRow(ttlMs, options));
    if (options.pairs === 0) continue;
    rows.push(await simulatedRow({ ttlMs, isRenewing: false }, options));
    rows.push(await simulatedRow({ ttlMs, isRenewing: true }, options));
  }
  return rows;
}

function modelRow(ttlMs: number, { workMs, trials, seed }: StudyOptions): TtlRow {
  const draws = new Draws(seed);
  const count = new RowCount();
  const { first, next } = TOKENS;
  for (let at = 0; at < trials; at++) {
    const outcome = outcomeOf(draws.plain(at, workMs), { ttlMs, workMs });
    const seen = outcome.isOverlap ? admit(UNSEEN, 'exclusive', next) : UNSEEN;
    const isRefused = seen !== null && admit(seen, 'exclusive', first) === null;
    count.add({ ...outcome, isRefused });
  }
  return count.row(ttlMs, 'model');
}

interface Simulated {
  readonly ttlMs: number;
  readonly isRenewing: boolean;
}

async function simulatedRow(kind: Simulated, options: StudyOptions): Promise<TtlRow> {
  const { ttlMs, isRenewing } = kind;
  const { workMs, pairs, seed } = options;
  const draws = new Draws(seed);
  const count = new RowCount();
  for (let from = 0; from < pairs; from += PAIRS_PER_WORLD) {
    const numbers = Array.from({ length: Math.min(PAIRS_PER_WORLD, pairs - from) }, (_, at) => at);
    const trials = numbers.map((at) => draws.weighted(from + at, { ttlMs, workMs }));
    const plans = trials.map((trial, at) => ({
      ...trial,
      ...{ ttlMs, workMs, isRenewing, name: `job-${from + at}` },
    }));
    const worldSeed = new KeyedRandom(seed).draw('world', ttlMs, from);
    const outcomes = await runWorld(worldSeed, plans);
    for (const [at, outcome] of outcomes.entries()) count.add(outcome, trials[at]?.weight);
  }
  return count.row(ttlMs, isRenewing ? 'renewal on' : 'renewal off');
}

async function runWorld(seed: number, plans: readonly PairPlan[]): Promise<readonly Outcome[]> {
  const { value } = await simulate(
    {
      seed,
      ...{ limitMs: `${WORLD_HOURS}h`, report: false, console: 'keep' },
    },
    (world) => Promise.all(plans.map((plan) => runPair(world, plan))),
  );
  return value;
}

interface Outcome {
  readonly isExpired: boolean;
  readonly isOverlap: boolean;
  readonly isRefused: boolean;
}

class RowCount {
  private readonly expired = new Tally();
  private readonly overlap = new Tally();
  private cases = 0;
  private overlaps = 0;
  private caught = 0;

  add({ isExpired, isOverlap, isRefused }: Outcome, weight = 1): void {
    this.cases += 1;
    this.expired.add(isExpired, weight);
    this.overlap.add(isOverlap, weight);
    if (!isOverlap) return;
    this.overlaps += 1;
    if (isRefused) this.caught += 1;
  }

  row(ttlMs: number, way: Way): TtlRow {
    const { cases, overlaps, caught } = this;
    const [expired, overlap] = [this.expired.estimate(), this.overlap.estimate()];
    return { ttlMs, way, cases, expired, overlap, overlaps, caught };
  }
}
