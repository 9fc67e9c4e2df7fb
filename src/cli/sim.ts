// holdfast sim ttl: what a pause does to a lease, by the model and by the shipped client in the
// simulator, and which TTL to choose.

import { InvalidArgumentError, Option } from 'commander';
import { addExamples, addJsonOption, durationArgument } from './program.ts';
import { durationWithin, integerArgument } from './program.ts';
import type { Invocation } from './program.ts';

/** What `sim ttl` was asked for. */
export interface SimTtlOptions {
  readonly work: number;
  readonly ttl: readonly number[];
  readonly trials: number;
  readonly pairs: number;
  readonly seed: number;
  readonly holdTimes?: string;
  readonly p99Hold?: number;
  readonly pauseBudget?: number;
  readonly svg?: string;
  readonly json?: true;
}

const WORK_MS = 2_000;
const TTLS_MS = [5_000, 10_000, 30_000];
const TTLS_MAX = 20;
const TRIALS = 200_000;
const TRIALS_MAX = 10_000_000;
const PAIRS = 100;
const PAIRS_MAX = 100_000;
const SEED_MAX = 2 ** 32 - 1;
const TTL_MS_LIMITS = [1_000, 600_000] as const;
const DAY_MS = 86_400_000;

const EXAMPLES = [
  'holdfast sim ttl                                        # the table, in half a minute',
  'holdfast sim ttl --p99-hold 800ms --pause-budget 5s     # and which TTL to choose',
  'holdfast sim ttl --hold-times holds.txt --pause-budget 5s --svg ttl.svg',
];

const NOTES = `
The model: a holder works, and stands still once at a random moment of its work; 99 of 100 pauses
last up to 200 ms, the others 1 to 30 s. The next holder acquires when the lease is over, and writes
1 s later. "Overlap": the first holder slept through the end of its lease and writes after the next
one did. The bare model counts trials; the other rows run the shipped client against three simulated
nodes, with rare pauses drawn more often and weighted down. ± is one standard error. "No renewal":
what the holder sends reaches no node once it has the lock.

--hold-times names a file with one duration per line, such as 350ms or 1.2s; # begins a comment.
The advice is 5 × p99 of the hold times plus the pause budget, in whole seconds from 1s to 10m.

The same options print the same numbers. Exit code: 0 printed, 64 usage, 65 hold times that cannot
be read.`;

/** Adds `sim ttl` to the program. */
export function addSimCommand(invocation: Invocation): void {
  const group = invocation.program.command('sim').description('try things in the simulator');
  const command = group
    .command('ttl')
    .description('how often a pause costs a lease, and which TTL to choose')
    .addOption(
      new Option('--work <duration>', 'how long a holder works')
        .default(WORK_MS, '2s')
        .argParser(durationArgument),
    )
    .addOption(
      new Option('--ttl <list>', 'TTLs to try').default(TTLS_MS, '5s,10s,30s').argParser(ttlList),
    )
    .option('--trials <n>', 'of the bare model', integerArgument(2, TRIALS_MAX), TRIALS)
    .option('--pairs <n>', 'simulated holders per row; 0: none', pairsArgument, PAIRS)
    .option('--seed <n>', 'where luck begins', integerArgument(0, SEED_MAX), 1)
    .option('--hold-times <file>', 'measured hold times, one per line')
    .option('--p99-hold <duration>', 'their p99, if it is known', durationWithin(1, DAY_MS))
    .option('--pause-budget <duration>', 'pause that must not cost a lease', durationArgument)
    .option('--svg <file>', 'draw the table, too')
    .addHelpText('after', NOTES)
    .action(async (options: SimTtlOptions) => {
      const { simTtl } = await import('./sim-ttl.ts');
      await simTtl(options);
    });
  addExamples(addJsonOption(command), EXAMPLES);
}

function pairsArgument(text: string): number {
  const pairs = integerArgument(0, PAIRS_MAX)(text);
  if (pairs !== 1) return pairs;
  throw new InvalidArgumentError('expected 0, or at least 2: one tells nothing of its error.');
}

function ttlList(text: string): readonly number[] {
  const ttls = text.split(',').map(durationWithin(...TTL_MS_LIMITS));
  if (ttls.length <= TTLS_MAX) return ttls;
  throw new InvalidArgumentError(`expected at most ${TTLS_MAX} of them.`);
}
