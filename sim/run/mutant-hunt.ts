// Lets the random campaign loose on programs with a mutant, several at a time.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Mutant } from '../mutants/types.ts';
import type { MutantTrees } from './mutant-tree.ts';
import { Stopwatch } from './stopwatch.ts';

/** How long and with which scripts to hunt; the same for all mutants. */
export interface HuntPlan {
  readonly seed: number;
  readonly runs: number;
  /** Programs that run at the same time. */
  readonly jobs: number;
  /** Whether a script that kills is made small. */
  readonly shrinks: boolean;
}

/** What became of one mutant. */
export interface Hunted {
  readonly mutant: Mutant;
  /** The promise that a run found broken; null: it survived. */
  readonly killedBy: string | null;
  /** Random runs up to that one, or all. */
  readonly runs: number;
  /** What was broken, in a sentence; or why the program did not even report. */
  readonly message: string;
  /** What of the script was left, made small or not. */
  readonly shrunk: { readonly faults: number; readonly ops: number } | null;
  readonly elapsedMs: number;
}

/** A hunt that takes longer is ended: the program of the mutant hangs. */
const HUNT_MS_MAX = 300_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Hunts all of them; in the order given. `onDone` is told of each as it comes. */
export async function huntAll(
  trees: MutantTrees,
  mutants: readonly Mutant[],
  plan: HuntPlan,
  onDone: (hunted: Hunted) => void,
): Promise<readonly Hunted[]> {
  const results = new Map<Mutant, Hunted>();
  const queue = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const hunted = await hunt(trees, mutant, plan);
      results.set(mutant, hunted);
      onDone(hunted);
    }
  };
  await Promise.all(Array.from({ length: plan.jobs }, work));
  return mutants.flatMap((mutant) => results.get(mutant) ?? []);
}

async function hunt(trees: MutantTrees, mutant: Mutant, plan: HuntPlan): Promise<Hunted> {
  const watch = new Stopwatch();
  const folder = await trees.plant(mutant);
  const output = await runHunt(folder, plan);
  await trees.remove(mutant);
  return { mutant, ...readReport(output), elapsedMs: watch.elapsedMs };
}

function runHunt(folder: string, { seed, runs, shrinks }: HuntPlan): Promise<string> {
  const program = join(folder, 'sim', 'run', 'cli.js');
  const words = ['hunt', '--seed', String(seed), '--runs', String(runs)];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words, ...(shrinks ? ['--shrink'] : [])], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: HUNT_MS_MAX,
    });
    let output = '';
    const take = (part: Buffer): void => {
      if (output.length < OUTPUT_BYTES_MAX) output += part.toString('utf8');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(output));
  });
}

type Report = Pick<Hunted, 'killedBy' | 'runs' | 'message' | 'shrunk'>;

// The last line is the report; a program that printed none has failed, and so has not died of what
// the oracles saw.
function readReport(output: string): Report {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  try {
    const { killedBy, runs, message, shrunk }: Report = JSON.parse(line);
    return { killedBy, runs, message: message ?? '', shrunk };
  } catch {
    return { killedBy: null, runs: 0, message: `no report: ${line.slice(0, 400)}`, shrunk: null };
  }
}
