import { HoldfastError, describeValue } from '../../src/base/error.ts';
import { probes } from '../../src/base/probe.ts';
import { grounds } from './ground.ts';
import { SimulationRun } from './simulation-run.ts';
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
  const run = new SimulationRun<T>(options);
  const ground = { world: run, name: 'the cluster', own: null };
  const release = probes.collect((id) => run.onProbe(id));
  try {
    return await grounds.run(ground, () => run.play(scenario));
  } finally {
    release();
  }
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
