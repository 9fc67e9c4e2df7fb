import { HoldfastError, describeValue } from '../../src/base/error.ts';
import { Recorder } from '../report/recorder.ts';
import { grounds } from './ground.ts';
import { recordingOf, writeReport } from './report-file.ts';
import { SimulationError } from './error.ts';
import { play } from './play.ts';
import type { Scenario, SimulateOptions, Simulation } from './types.ts';

/**
 * Runs the scenario in a simulated world of its own, under virtual time: a cluster of shipped nodes
 * that has a leader, and the user's own programs with the shipped client. Rejects with a
 * SimulationError when a program fails, a check does not hold, or Holdfast breaks a promise; with
 * INVALID for wrong options.
 */
export async function simulate<T>(
  options: SimulateOptions,
  scenario: Scenario<T>,
): Promise<Simulation<T>> {
  checkOptions(options);
  if (grounds.getStore() !== undefined) {
    throw new HoldfastError('INVALID', 'a simulation cannot begin within another one');
  }
  const recorder = options.report === false ? null : new Recorder();
  try {
    return await play(options, scenario, recorder);
  } catch (error) {
    if (recorder !== null && error instanceof SimulationError) {
      error.reportFile = await report({ options, scenario, recorder, error });
    }
    throw error;
  }
}

interface Failed<T> {
  readonly options: SimulateOptions;
  readonly scenario: Scenario<T>;
  readonly recorder: Recorder;
  readonly error: SimulationError;
}

/** Writes the page; the same without the last fault is run for it, where there is one. */
async function report<T>({ options, scenario, recorder, error }: Failed<T>): Promise<string> {
  const recording = recordingOf(recorder, error, options.seed);
  const about = { scenario: String(scenario) };
  const faults = (options.faults ?? []).toSorted((left, right) => left.atMs - right.atMs);
  const last = faults.at(-1);
  if (last === undefined) return writeReport(recording, options, about);
  const other = new Recorder();
  const fewer = { ...options, faults: faults.slice(0, -1), console: 'keep' } as const;
  const failure = await play(fewer, scenario, other).then(
    () => null,
    (reason: unknown) => (reason instanceof SimulationError ? reason : null),
  );
  const without = recordingOf(other, failure, options.seed);
  const withoutWhat = `${last.kind} of ${last.target} for ${last.forMs} ms`;
  return writeReport(recording, options, { ...about, without, withoutWhat });
}

function checkOptions({ seed, nodes = 3 }: SimulateOptions): void {
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    const text = `seed must be a whole number from 0 to 4294967295 (got ${describeValue(seed)})`;
    throw new HoldfastError('INVALID', text);
  }
  if (![1, 3, 5].includes(nodes)) {
    throw new HoldfastError('INVALID', `nodes must be 1, 3 or 5 (got ${describeValue(nodes)})`);
  }
}
