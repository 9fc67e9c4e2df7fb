// Runs many scripts on all cores: the corpus first, then fresh ones and variations of those that
// reached something rare, until the budget is spent or a promise is broken.

import { availableParallelism, cpus } from 'node:os';
import { randomInt } from 'node:crypto';
import { clearInterval, setInterval } from 'node:timers';
import type { Violation } from '../oracle/verdict.ts';
import type { Distribution } from '../script/distributions.ts';
import { KeyedRandom } from '../world/random.ts';
import { EXIT, U32, note, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { Crew } from './crew.ts';
import type { Employer } from './crew.ts';
import { Findings } from './findings.ts';
import { Interruption } from './interruption.ts';
import { MutationPool, Novelty } from './novelty.ts';
import type { Report, Stage, Task } from './protocol.ts';
import { corpusFiles, readScriptFile } from './script-files.ts';
import { scriptSeed } from './script-seed.ts';
import { CampaignStatistics } from './statistics.ts';
import { Stopwatch } from './stopwatch.ts';
import { scriptOf } from './task-script.ts';

const PROGRESS_MS = 10_000;
/** After fewer random runs it says nothing that a rare state was never reached. */
const TELLING_RUNS = 200;
/** One exploring run in so many is run twice (DET-1). */
const TWICE_ONE_IN = 10;

/** `run`. */
export const campaignCommand: Command = {
  name: 'run',
  usage: '[--runs N] [--minutes M] [--seed S] [--jobs J] [--failures F]',
  summary: 'Runs the corpus, then random scripts; stops at a broken promise, with exit code 1.',
  help: [
    '  --runs N      at most so many runs, the corpus included (default: no limit)',
    '  --minutes M   at most so long (default 1; with --runs: no limit)',
    '  --seed S      which random scripts, 0 to 2^32 - 1 (default: drawn, and printed)',
    '  --jobs J      worker processes (default: as many as there are cores)',
    '  --failures F  goes on until so many promises are broken (default 1)',
    '',
    'Half of the random scripts are variations of those that reached a new combination of rare',
    'states. With --jobs 1 the same seed and --runs give the same campaign. What breaks a promise',
    'is shrunk and written to .cache/failures/, beside a test that shows it. A run that takes',
    'longer than 30 s is ended, and has broken a promise, too: SPIN.',
    '',
    'The last line: leaderChanges and expiries are the shares of runs with at least one of them;',
    'probes are rare states reached of all that are known; from 200 random runs on, the others',
    'are named above;',
    'events/s and simulated:real are per second of real time, all jobs together. The line before',
    'it has the speed of a core: per second of its work, waiting and shrinking not counted.',
  ],
  options: {
    runs: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    jobs: { type: 'string' },
    failures: { type: 'string' },
  },
  run: (given) => campaign(given, 'wide'),
};

/** `bounds`. */
export const boundsCommand: Command = {
  name: 'bounds',
  usage: '[--beyond] [--runs N] [--minutes M] [--seed S] [--jobs J] [--failures F]',
  summary: 'Runs scripts in which leases are as tight as they may be, and tells how tight it got.',
  help: [
    '  --beyond      clocks leave the bound of leases: only fencing is promised, and overlaps come',
    '  The other options are those of `run`.',
    '',
    'The last line: handOvers are locks that changed hands because a session expired; near are',
    'those with less than 5 % of the TTL, in real time, between the end of what the former holder',
    'might believe and the belief of the next one; overlaps are those without any.',
  ],
  options: { ...campaignCommand.options, beyond: { type: 'boolean' } },
  run: (given) => campaign(given, given.has('beyond') ? 'beyond' : 'bounds'),
};

async function campaign(given: Given, distribution: Distribution): Promise<number> {
  given.noFiles();
  const jobs = given.number('jobs', availableParallelism(), { least: 1, most: 256 });
  const plan = planOf(given, distribution);
  const running = new Campaign(plan);
  print(`seed=${plan.seed} jobs=${jobs}`);
  const progress = setInterval(() => note(`${running.summary()} …`), PROGRESS_MS);
  const crew = new Crew(running, jobs);
  const interruption = new Interruption(() => crew.end());
  try {
    await crew.work();
  } finally {
    clearInterval(progress);
    interruption.release();
  }
  print(...running.endLines(), rateLine(running, jobs), running.summary());
  if (interruption.exitCode !== null) return interruption.exitCode;
  return running.statistics.violations > 0 ? EXIT.violated : EXIT.kept;
}

interface Plan {
  readonly seed: number;
  readonly runs: number;
  readonly ms: number;
  readonly failures: number;
  readonly distribution: Distribution;
}

function planOf(given: Given, distribution: Distribution): Plan {
  const minutes = given.number('minutes', given.has('runs') ? Infinity : 1, {
    least: 0.01,
    most: 1e5,
    isWhole: false,
  });
  return {
    seed: given.number('seed', randomInt(U32.most), U32),
    runs: given.number('runs', Infinity, { least: 1, most: 1e12 }),
    ms: minutes * 60_000,
    failures: given.number('failures', 1, { least: 1, most: 1e6 }),
    distribution,
  };
}

class Campaign implements Employer {
  readonly statistics = new CampaignStatistics();
  readonly watch = new Stopwatch();
  private readonly plan: Plan;
  private readonly random: KeyedRandom;
  private readonly pool: MutationPool;
  private readonly novelty = new Novelty();
  private readonly corpus: readonly string[];
  private readonly findings: Findings;
  private assigned = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.corpus = plan.distribution === 'wide' ? corpusFiles() : [];
    this.random = new KeyedRandom(plan.seed);
    this.pool = new MutationPool(plan.seed);
    this.findings = new Findings(plan.failures);
  }

  get isStopped(): boolean {
    return this.findings.isLimitReached || this.watch.elapsedMs >= this.plan.ms;
  }

  next(): Task | null {
    if (this.isStopped || this.assigned >= this.plan.runs) return null;
    const number = ++this.assigned;
    const seed = scriptSeed(this.random, number);
    const { distribution } = this.plan;
    const file = this.corpus[number - 1];
    if (file !== undefined) {
      const base = readScriptFile(file).script;
      return { number, origin: 'corpus', base, distribution, seed, isTwice: true };
    }
    const base = distribution === 'wide' ? this.pool.base(number) : null;
    const origin = base === null ? 'fresh' : 'mutated';
    return { number, origin, base, distribution, seed, isTwice: number % TWICE_ONE_IN === 0 };
  }

  entered({ number, found }: Stage): boolean {
    return found === null || this.findings.found(number, found.violation);
  }

  reported(report: Report): void {
    const { failure, number, rare, probes } = report;
    this.statistics.add(report);
    if (rare !== null && this.novelty.isNew(probes)) this.pool.add(rare);
    if (failure !== null) this.findings.add(failure, this.corpus[number - 1]);
  }

  lost(task: Task, { found }: Stage, cause: string): void {
    const file = this.corpus[task.number - 1];
    const script = scriptOf(task);
    const from = { faults: script.faults.length, ops: script.ops.length };
    const violation: Violation = { oracle: 'SPIN', message: `a run ${cause}`, atUs: 0 };
    if (found === null && !this.findings.found(task.number, violation)) return;
    this.statistics.runs++;
    this.statistics.violations++;
    this.findings.add(found ?? { script, violation, shrinkRuns: 0, from, page: null }, file);
  }

  summary(): string {
    const { statistics, watch, plan } = this;
    if (plan.distribution !== 'wide') return statistics.bounds(watch.elapsedMs);
    return statistics.summary(watch.elapsedMs);
  }

  /** What was never reached, and what was broken. */
  endLines(): readonly string[] {
    const random = this.statistics.runs - this.corpus.length;
    const isTelling = random >= TELLING_RUNS && this.plan.distribution === 'wide';
    const missed = !isTelling ? [] : this.statistics.missed().map(([id]) => id);
    const never = missed.length === 0 ? [] : [`never reached: ${missed.join(', ')}`];
    return [...never, ...this.findings.lines()];
  }
}

/** Speed per core: of work, so that it says the same on a busy machine. */
function rateLine({ statistics, watch }: Campaign, jobs: number): string {
  const { runs, events, workMs } = statistics;
  const perSecond = (count: number): string => (count / (Math.max(workMs, 1) / 1_000)).toFixed(0);
  const cores = cpus();
  const model = cores[0]?.model.trim() ?? 'an unknown processor';
  const machine = `${cores.length} × ${model}, ${process.platform}, Node ${process.version}`;
  const seconds = (watch.elapsedMs / 1_000).toFixed(1);
  return (
    `${seconds} s with ${jobs} jobs; per second of work of a core: ${perSecond(runs)} runs, ` +
    `${perSecond(events)} events (${machine})`
  );
}
