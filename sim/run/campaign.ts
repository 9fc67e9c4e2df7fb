// Runs many scripts on all cores: the corpus first, then fresh ones and variations of those that
// reached something rare, until the budget is spent or a promise is broken.

import { availableParallelism, cpus } from 'node:os';
import { randomInt } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { describeScript } from '../script/describe.ts';
import type { Violation } from '../oracle/verdict.ts';
import { KeyedRandom } from '../world/random.ts';
import { EXIT, U32, firstLine, note, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { employ } from './crew.ts';
import type { Employer } from './crew.ts';
import { MutationPool, Novelty } from './novelty.ts';
import type { FoundFailure, Report, Task } from './protocol.ts';
import { corpusFiles, readScriptFile, shown, writeFailure } from './script-files.ts';
import { scriptSeed } from './script-seed.ts';
import { CampaignStatistics } from './statistics.ts';
import { Stopwatch } from './stopwatch.ts';
import { scriptOf } from './task-script.ts';

const PROGRESS_MS = 10_000;
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
    'is shrunk and written to .cache/failures/, beside a test that shows it.',
    '',
    'The last line: leaderChanges and expiries are the shares of runs with at least one of them;',
    'probes are rare states reached of all that are known, the missing ones are listed before;',
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
  run: campaign,
};

async function campaign(given: Given): Promise<number> {
  given.noFiles();
  const jobs = given.number('jobs', availableParallelism(), { least: 1, most: 256 });
  const plan = planOf(given);
  print(`seed=${plan.seed} jobs=${jobs}`);
  const running = new Campaign(plan);
  const progress = setInterval(() => note(`${running.summary()} …`), PROGRESS_MS);
  try {
    await employ(running, jobs);
  } finally {
    clearInterval(progress);
  }
  print(...running.missedLines(), rateLine(running, jobs), running.summary());
  return running.statistics.violations > 0 ? EXIT.violated : EXIT.kept;
}

interface Plan {
  readonly seed: number;
  readonly runs: number;
  readonly ms: number;
  readonly failures: number;
}

function planOf(given: Given): Plan {
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
  };
}

class Campaign implements Employer {
  readonly statistics = new CampaignStatistics();
  readonly watch = new Stopwatch();
  private readonly plan: Plan;
  private readonly random: KeyedRandom;
  private readonly pool: MutationPool;
  private readonly novelty = new Novelty();
  private readonly corpus = corpusFiles();
  private assigned = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.random = new KeyedRandom(plan.seed);
    this.pool = new MutationPool(plan.seed);
  }

  next(): Task | null {
    const { runs, ms, failures } = this.plan;
    const isOver = this.assigned >= runs || this.watch.elapsedMs >= ms;
    if (isOver || this.statistics.violations >= failures) return null;
    const number = ++this.assigned;
    const seed = scriptSeed(this.random, number);
    const file = this.corpus[number - 1];
    if (file !== undefined) {
      const base = readScriptFile(file).script;
      return { number, origin: 'corpus', base, seed, isTwice: true };
    }
    const base = this.pool.base(number);
    const origin = base === null ? 'fresh' : 'mutated';
    return { number, origin, base, seed, isTwice: number % TWICE_ONE_IN === 0 };
  }

  reported(report: Report): void {
    this.statistics.add(report);
    if (report.rare !== null && this.novelty.isNew(report.probes)) this.pool.add(report.rare);
    const file = this.corpus[report.number - 1];
    if (report.failure !== null) printFailure(report.failure, file);
  }

  lost(task: Task, cause: string): void {
    const message = `a run did not end, or ended its process (${cause})`;
    const script = scriptOf(task);
    const from = { faults: script.faults.length, ops: script.ops.length };
    this.statistics.violations++;
    const violation: Violation = { oracle: 'SPIN', message, atUs: 0 };
    printFailure({ script, violation, shrinkRuns: 0, from }, this.corpus[task.number - 1]);
  }

  summary(): string {
    return this.statistics.summary(this.watch.elapsedMs);
  }

  missedLines(): readonly string[] {
    const missed = this.statistics.missed();
    if (missed.length === 0) return [];
    return ['never reached:', ...missed.map(([id, what]) => `  ${id}: ${what}`)];
  }
}

function printFailure(failure: FoundFailure, corpusFile: string | undefined): void {
  const { script, violation, from, shrinkRuns } = failure;
  const { scriptPath, testPath } = writeFailure(failure);
  const size = sizeText(script.faults.length, script.ops.length);
  const before = sizeText(from.faults, from.ops);
  print(
    '',
    `${violation.oracle} broken: ${firstLine(violation.message)}`,
    ...(corpusFile === undefined ? [] : [`by ${shown(corpusFile)}`]),
    `shrunk to ${size} from ${before} in ${shrinkRuns} runs:`,
    '',
    ...describeScript(script, violation).map((line) => `  ${line}`),
    '',
    `see it again:  npm run sim -- replay ${scriptPath}`,
    `as a test:     npx vitest run --root ${dirname(testPath)} ${basename(testPath)}`,
    `to keep it:    mv ${scriptPath} sim/corpus/, or mv ${testPath} test/sim/`,
    '',
  );
}

function sizeText(faults: number, ops: number): string {
  const count = (number: number, noun: string): string =>
    `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `${count(faults, 'fault')} and ${count(ops, 'operation')}`;
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
