// A run with all that it needs of this process, put in place before it and taken away after it.

import { probes } from '../../src/base/probe.ts';
import type { Recorder } from '../report/recorder.ts';
import { describeParting, partingOf } from '../run/twice.ts';
import { SimulationError } from './error.ts';
import { checkTimers } from './globals/fake-timers.ts';
import { worldGlobals } from './globals/install.ts';
import { grounds } from './ground.ts';
import { watchReferences } from './references.ts';
import { rejections } from './rejections.ts';
import { Shared } from './shared.ts';
import { SimulationRun } from './simulation-run.ts';
import type { Scenario, SimulateOptions, Simulation } from './types.ts';

/** Each world is told of its own. */
const rareStates = new Shared(() => probes.collect((id) => grounds.getStore()?.world.onProbe(id)));

/** Following code through promises costs all of them something: not when nobody needs it. */
const followed = new Shared(() => () => grounds.disable());

/** Plays the scenario once, or twice to compare. Rejects with SimulationError. */
export async function play<T>(
  options: SimulateOptions,
  scenario: Scenario<T>,
  recorder: Recorder | null,
): Promise<Simulation<T>> {
  const first = new SimulationRun<T>(options, recorder);
  const simulation = await playOnce(first, options, scenario);
  if (options.check !== 'references') return simulation;
  const second = new SimulationRun<T>({ ...options, console: 'keep' }, null);
  // The second may fail where the first did not, and that is a difference, too.
  const again = await playOnce(second, options, scenario).catch(errorOf);
  if (again.traceHash === simulation.traceHash) return simulation;
  const { seed } = options;
  const message =
    'the same seed was two different runs, so something reads real time or chance; ' +
    describeParting(partingOf(first.trace, second.trace)).join('; ');
  const { traceHash, events, virtualMs: atMs, story } = simulation;
  throw new SimulationError({ oracle: 'DET-1', message, seed, atMs, traceHash, events, story });
}

async function playOnce<T>(
  run: SimulationRun<T>,
  { check }: SimulateOptions,
  scenario: Scenario<T>,
): Promise<Simulation<T>> {
  checkTimers();
  const ends = [
    followed.enter(),
    worldGlobals.enter(),
    rejections.enter(),
    rareStates.enter(),
    check === 'references' ? watchReferences() : (): void => {},
  ];
  try {
    const ground = { world: run, name: 'the cluster', own: null };
    return await grounds.run(ground, () => run.play(scenario));
  } finally {
    for (const end of ends.toReversed()) end();
  }
}

function errorOf(error: unknown): SimulationError {
  if (error instanceof SimulationError) return error;
  throw error;
}
