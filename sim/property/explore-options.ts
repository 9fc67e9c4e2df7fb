// What an exploration may be told, by its caller and by the environment.

import type * as fc from 'fast-check';
import { HoldfastError } from '../../src/base/error.ts';
import { checkKnown, checkWhole } from '../../src/client/options.ts';
import type { SimulateOptions } from '../api/types.ts';
import type { FaultsOptions } from './arbitrary.ts';
import type { WorldOptions } from './replay-file.ts';

/** What `explore` may be told: everything that `simulate` may, and how to explore. */
export interface ExploreOptions<Inputs = undefined> extends Omit<
  SimulateOptions,
  'seed' | 'faults' | 'console'
> {
  /** Tells explorations of one test file apart, in replay files; default: none. */
  readonly name?: string;
  /** How many runs; default 100. `HOLDFAST_RUNS` in the environment comes first. */
  readonly runs?: number;
  /** No new run after so many real milliseconds; default: `runs` alone decide. */
  readonly timeMs?: number;
  /**
   * Of all runs together, a whole number below 2^32; default 1, so that every time the same is
   * explored. `HOLDFAST_SEED` in the environment comes first; `random` there explores elsewhere
   * each time.
   */
  readonly seed?: number;
  /** What goes wrong; false: nothing. By default within the time that a calm run takes. */
  readonly faults?: FaultsOptions | false;
  /** A fast-check arbitrary of what the program gets as its second argument. */
  readonly inputs?: fc.Arbitrary<Inputs>;
  /** At most so many runs to make a failure small, from 0; default 200. */
  readonly shrinkRuns?: number;
}

/** The options with their defaults, besides those of the world. */
export interface ExplorePlan {
  readonly name: string;
  readonly runs: number;
  readonly timeMs: number;
  readonly seed: number;
  readonly faults: FaultsOptions | false;
  readonly shrinkRuns: number;
  readonly report: string | false;
  readonly options: WorldOptions;
}

const SEED_MAX = 2 ** 32 - 1;
const RUNS_MAX = 100_000_000;
const TIME_MS_MAX = 2 ** 40;
const OWN = ['name', 'runs', 'timeMs', 'seed', 'faults', 'inputs', 'shrinkRuns', 'report'];
const WORLD = ['nodes', 'heartbeatMs', 'electionMs', 'network', 'clocks', 'limitMs', 'eventsMax'];

/** Throws HoldfastError INVALID for what is wrong, of the options or of the environment. */
export function explorePlan<Inputs>(given: ExploreOptions<Inputs>): ExplorePlan {
  checkKnown(given, [...OWN, ...WORLD, 'check']);
  const { name = '', runs = 100, timeMs, seed = 1, faults = {}, inputs, ...others } = given;
  const { shrinkRuns = 200, report = '.holdfast', ...options } = others;
  checkWhole('shrinkRuns', shrinkRuns, [0, RUNS_MAX]);
  if (inputs !== undefined && typeof inputs.generate !== 'function') {
    throw new HoldfastError('INVALID', 'inputs must be a fast-check arbitrary, such as fc.nat()');
  }
  return {
    name,
    runs: checkWhole('runs', fromEnvironment('HOLDFAST_RUNS') ?? runs, [1, RUNS_MAX]),
    timeMs: timeMs === undefined ? Infinity : checkWhole('timeMs', timeMs, [1, TIME_MS_MAX]),
    seed: checkWhole('seed', fromEnvironment('HOLDFAST_SEED') ?? seed, [0, SEED_MAX]),
    faults,
    shrinkRuns,
    report,
    options,
  };
}

function fromEnvironment(variable: 'HOLDFAST_RUNS' | 'HOLDFAST_SEED'): number | null {
  const text = process.env[variable];
  if (text === undefined || text === '') return null;
  if (variable === 'HOLDFAST_SEED' && text === 'random') {
    return Number(process.hrtime.bigint() % BigInt(SEED_MAX));
  }
  const value = Number(text);
  if (Number.isInteger(value)) return value;
  throw new HoldfastError('INVALID', `${variable} must be a whole number, got "${text}"`);
}
