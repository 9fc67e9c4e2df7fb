// Looks for a run in which the user's program breaks a promise, makes it small, and tells it.

import * as fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import type { ProbeId } from '../../src/base/probe.ts';
import { SimulationError } from '../api/error.ts';
import { simulateTold } from '../api/simulate.ts';
import type { Scenario, Simulation } from '../api/types.ts';
import { Stopwatch } from '../run/stopwatch.ts';
import { KeyedRandom } from '../world/random.ts';
import { planOf } from './arbitrary.ts';
import { FAULT_MS_MAX, drawFaults } from './draw.ts';
import { explorePlan } from './explore-options.ts';
import type { ExploreOptions, ExplorePlan } from './explore-options.ts';
import { tellFailure } from './failure.ts';
import { scenarioOf } from './program.ts';
import type { ExploredProgram } from './program.ts';
import { readReplay, replayPath, replayText, writeReplay } from './replay-file.ts';
import { replay } from './replay.ts';
import { ShrinkSearch, promiseOf } from './search.ts';
import type { Case, Found } from './search.ts';

/** What an exploration saw, when nothing was broken. */
export interface Exploration {
  /** How many runs there were. */
  readonly runs: number;
  /** Events of all runs. */
  readonly events: number;
  /** Virtual milliseconds of all runs. */
  readonly virtualMs: number;
  /** Locks, semaphores and leaderships that were granted in all runs. */
  readonly grants: number;
  /** Faults that struck in all runs. */
  readonly strikes: number;
  /** Rare states of Holdfast that were reached in any run (docs/probes.md). */
  readonly rareStates: readonly ProbeId[];
  /** Why all of it may prove little: nothing was granted, or nothing went wrong. */
  readonly warnings: readonly string[];
}

const SHRINK_MS = 20_000;

/**
 * Runs the program in many simulated worlds, each with other luck and other faults, until one of
 * them fails or `runs` are over. The first run is calm: nothing goes wrong in it. A failure is made
 * small and run again; then the promise rejects with its SimulationError, whose message tells what
 * happened, and which names a replay file and a report. Rejects with INVALID for wrong options.
 *
 * With `HOLDFAST_REPLAY=file` in the environment only the run of that file is run.
 */
export async function explore<Inputs = undefined>(
  options: ExploreOptions<Inputs>,
  program: ExploredProgram<Inputs>,
): Promise<Exploration> {
  const plan = explorePlan(options);
  const file = process.env['HOLDFAST_REPLAY'];
  if (file !== undefined && file !== '') {
    const tally = new Tally();
    if (readReplay(file).name !== plan.name) return tally.sum();
    tally.add(await replay(file, program, { report: plan.report }));
    return tally.sum();
  }
  const start = (inputs: unknown): Scenario<unknown> => scenarioOf(program, inputs);
  return new Explorer(plan, options.inputs ?? fc.constant(undefined), start).run();
}

class Explorer {
  private readonly plan: ExplorePlan;
  private readonly arbitrary: fc.Arbitrary<unknown>;
  private readonly start: (inputs: unknown) => Scenario<unknown>;
  private readonly random: KeyedRandom;
  private readonly tally = new Tally();

  constructor(
    plan: ExplorePlan,
    arbitrary: fc.Arbitrary<unknown>,
    start: (inputs: unknown) => Scenario<unknown>,
  ) {
    this.plan = plan;
    this.arbitrary = arbitrary;
    this.start = start;
    this.random = new KeyedRandom(plan.seed);
  }

  async run(): Promise<Exploration> {
    const { plan, tally } = this;
    const watch = new Stopwatch();
    for (let number = 0; number < plan.runs; number++) {
      if (number > 0 && watch.elapsedMs >= plan.timeMs) break;
      const one = this.draw(number);
      const error = await this.attempt(one, (simulation) => tally.add(simulation));
      if (error !== null) throw await this.failed({ one, error }, number + 1);
    }
    return warned(tally.sum(), plan);
  }

  private draw(number: number): Case {
    const seed = this.random.draw('run', number);
    const { faults } = this.plan;
    const horizonMs = Math.min(FAULT_MS_MAX, Math.ceil(this.tally.busyMs ?? 0));
    const isCalm = number === 0 || faults === false;
    const drawn = isCalm ? [] : drawFaults(seed, planOf({ horizonMs, ...faults }));
    return { seed, faults: drawn, inputs: drawValue(this.arbitrary, seed) };
  }

  private async attempt(
    one: Case,
    onPassed: (simulation: Simulation<unknown>) => void = () => {},
  ): Promise<SimulationError | null> {
    return this.simulate(one, false).then(
      (simulation) => {
        onPassed(simulation);
        return null;
      },
      (error: unknown) => {
        if (error instanceof SimulationError) return error;
        throw error;
      },
    );
  }

  private simulate(
    one: Case,
    report: string | false,
    again: (error: SimulationError) => string = () => '',
  ): Promise<Simulation<unknown>> {
    const { seed, faults, inputs } = one;
    const options = { ...this.plan.options, seed, faults, report, console: 'keep' } as const;
    return simulateTold(options, this.start(inputs.value), again);
  }

  /** The smallest failure that was found, told to a person. */
  private async failed(found: Found, runs: number): Promise<Error> {
    const { plan } = this;
    const budget = { runs: plan.shrinkRuns, ms: SHRINK_MS };
    const attempt = (one: Case): Promise<SimulationError | null> => this.attempt(one);
    const search = new ShrinkSearch(found, attempt, this.arbitrary, budget);
    const { one, error } = await search.shrink();
    const last = await this.again(one, error);
    const before = found.one.faults.length;
    const size = `${counted(before, 'fault')} shrunk to ${one.faults.length}`;
    const foundText = `Found in run ${runs}, ${size} in ${counted(search.runs, 'run')}`;
    if (plan.report === false) return tellFailure(last, { one, found: foundText, again: [] });
    const { name, options, report } = plan;
    const { seed, faults, inputs } = one;
    const file = { name, seed, options, faults, inputs: inputs.value, error: last };
    last.replayFile = writeReplay(file, report);
    const again = [`Again: ${replayText(last.replayFile)}`];
    return tellFailure(last, { one, found: foundText, again });
  }

  /** Twice more, the second time with a report: it must be the same run each time. */
  private async again(one: Case, first: SimulationError): Promise<SimulationError> {
    const { report } = this.plan;
    const second = await this.attempt(one);
    const third = await this.simulate(one, report, (error) =>
      error.traceHash === first.traceHash
        ? replayText(replayPath(error, report === false ? undefined : report))
        : 'the same seed was different runs: it may never be seen again',
    ).then(
      () => null,
      (error: unknown) => (error instanceof SimulationError ? error : null),
    );
    const isSame = [second, third].every((error) => error?.traceHash === first.traceHash);
    if (isSame && third !== null) return third;
    const { seed, atMs, traceHash, events, story } = third ?? first;
    const message =
      'the same seed was different runs, so the program reads something that is not of its ' +
      `world, or keeps state from run to run; one of them broke ${promiseOf(first)}`;
    return new SimulationError({ oracle: 'DET-1', message, seed, atMs, traceHash, events, story });
  }
}

/** A value with what fast-check needs to shrink it; the same for the same seed. */
function drawValue(arbitrary: fc.Arbitrary<unknown>, seed: number): fc.Value<unknown> {
  const drawn: fc.Value<unknown>[] = [];
  class Kept extends fc.Arbitrary<unknown> {
    override generate(random: fc.Random, bias: number | undefined): fc.Value<unknown> {
      const value = arbitrary.generate(random, bias);
      drawn.push(value);
      return value;
    }
    override canShrinkWithoutContext(value: unknown): value is unknown {
      return arbitrary.canShrinkWithoutContext(value);
    }
    override shrink(value: unknown, context: unknown): fc.Stream<fc.Value<unknown>> {
      return arbitrary.shrink(value, context);
    }
  }
  fc.sample(new Kept(), { seed: seed | 0, numRuns: 1 });
  return present(drawn[0], 'a value that was drawn');
}

/** What all runs together did. */
class Tally {
  /** Until then locks were granted in the first run, or without any it was over. */
  busyMs: number | null = null;
  private runs = 0;
  private events = 0;
  private virtualMs = 0;
  private grants = 0;
  private strikes = 0;
  private readonly reached = new Set<ProbeId>();

  add(simulation: Simulation<unknown>): void {
    this.runs++;
    this.events += simulation.events;
    this.virtualMs += simulation.virtualMs;
    this.grants += simulation.grants;
    this.strikes += simulation.strikes;
    const { grants, lastGrantMs, virtualMs } = simulation;
    this.busyMs ??= grants === 0 ? virtualMs : lastGrantMs;
    for (const id of simulation.rareStates) this.reached.add(id);
  }

  sum(): Exploration {
    const { runs, events, virtualMs, grants, strikes } = this;
    const rareStates = [...this.reached];
    return { runs, events, virtualMs, grants, strikes, rareStates, warnings: [] };
  }
}

/** With a warning of the process where what passed proves little. */
function warned(sum: Exploration, { faults, name }: ExplorePlan): Exploration {
  const { runs, grants, strikes } = sum;
  const isAwaited = runs > 1 && faults !== false;
  const warnings = [
    ...(grants === 0 ? ['nothing was ever granted: does the program take a lock?'] : []),
    ...(isAwaited && strikes === 0 ? ['no fault ever struck: is the program over too soon?'] : []),
  ];
  const what = name === '' ? 'explore' : `explore "${name}"`;
  for (const text of warnings) process.emitWarning(`${what}: ${text}`, 'HoldfastWarning');
  return { ...sum, warnings };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
