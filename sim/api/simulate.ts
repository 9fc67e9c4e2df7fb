import { HoldfastError } from '../../src/base/error.ts';
import { Recorder } from '../report/recorder.ts';
import { grounds } from './ground.ts';
import { recordingOf, writeReport } from './report-file.ts';
import { describeWorldFault } from '../property/describe.ts';
import { SimulationError } from './error.ts';
import { checkedOptions } from './options.ts';
import { play } from './play.ts';
import type { Scenario, SimulateOptions, Simulation } from './types.ts';

/**
 * Runs the scenario in a simulated world of its own, under virtual time: a cluster of shipped nodes
 * that has a leader, and the user's own programs with the shipped client. Rejects with a
 * SimulationError when a program fails, a check does not hold, or Holdfast breaks a promise; with
 * INVALID for wrong options.
 */
export async function simulate<T>(
  given: SimulateOptions,
  scenario: Scenario<T>,
): Promise<Simulation<T>> {
  const again = `simulate({ seed: ${given.seed}, … }, scenario) with the same options and scenario`;
  return simulateTold(given, scenario, () => again);
}

/** The same, for those who know another way to see a failure again: the page names it. */
export async function simulateTold<T>(
  given: SimulateOptions,
  scenario: Scenario<T>,
  again: (error: SimulationError) => string,
): Promise<Simulation<T>> {
  const options = checkedOptions(given);
  if (grounds.getStore() !== undefined) {
    throw new HoldfastError('INVALID', 'a simulation cannot begin within another one');
  }
  const recorder = options.report === false ? null : new Recorder();
  try {
    return await play(options, scenario, recorder);
  } catch (error) {
    if (recorder !== null && error instanceof SimulationError) {
      const replay = again(error);
      error.reportFile = await report({ options, scenario, recorder, error, replay });
    }
    throw error;
  }
}

interface Failed<T> {
  readonly options: SimulateOptions;
  readonly scenario: Scenario<T>;
  readonly recorder: Recorder;
  readonly error: SimulationError;
  readonly replay: string;
}

/** Writes the page; the same without the last fault is run for it, where there is one. */
async function report<T>(failed: Failed<T>): Promise<string> {
  const { options, scenario, recorder, error, replay } = failed;
  const recording = recordingOf(recorder, error, replay);
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
  const without = recordingOf(other, failure, replay);
  const withoutWhat = describeWorldFault(last);
  return writeReport(recording, options, { ...about, without, withoutWhat });
}
