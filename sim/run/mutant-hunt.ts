// Lets the random campaign loose on programs with a mutant, several at a time.

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mutant } from '../mutants/types.ts';
import { EXIT } from './command.ts';
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
  /** With scripts as those of `bounds`. */
  readonly isAtBounds: boolean;
}

/** What became of one mutant. */
export interface Hunted {
  readonly mutant: Mutant;
  /**
   * The promise that a run found broken, though the unchanged program keeps it in the same script;
   * null: it survived.
   */
  readonly killedBy: string | null;
  /** The unchanged program broke a promise in the same script: the hunt proved nothing. */
  readonly isVoid: boolean;
  /** Random runs up to that one, or all. */
  readonly runs: number;
  /** What was broken, in a sentence; or why the program did not even report. */
  readonly message: string;
  /** What of the script was left, made small or not. */
  readonly shrunk: { readonly faults: number; readonly ops: number } | null;
  readonly elapsedMs: number;
}

/** A hunt that takes longer is ended: the program of the mutant hangs. */
const HUNT_MS_MAX = 600_000;
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
  const { script, ...report } = readReport((await runProgram(folder, huntWords(plan))).output);
  const isVoid = report.killedBy !== null && !(await isHarmless(trees, folder, script));
  const fate = isVoid ? { ...report, killedBy: null, message: blame(report) } : report;
  await trees.remove(mutant);
  return { mutant, ...fate, isVoid, elapsedMs: watch.elapsedMs };
}

/** Whether the unchanged program keeps its promises in that script; else a kill proves nothing. */
async function isHarmless(trees: MutantTrees, folder: string, script: unknown): Promise<boolean> {
  const file = join(folder, 'script.json');
  await writeFile(file, JSON.stringify({ about: 'Kills a mutant.', violated: null, script }));
  const { exitCode } = await runProgram(trees.plain, ['replay', file]);
  return exitCode === EXIT.kept;
}

function blame({ killedBy, message }: Pick<Report, 'killedBy' | 'message'>): string {
  return `the unchanged program breaks ${killedBy} in that script, too: ${message}`;
}

function huntWords({ seed, runs, shrinks, isAtBounds }: HuntPlan): readonly string[] {
  const words = ['hunt', '--seed', String(seed), '--runs', String(runs)];
  return [...words, ...(shrinks ? ['--shrink'] : []), ...(isAtBounds ? ['--bounds'] : [])];
}

interface Ended {
  readonly output: string;
  /** null: it was killed, or did not even start. */
  readonly exitCode: number | null;
}

function runProgram(folder: string, words: readonly string[]): Promise<Ended> {
  const program = join(folder, 'sim', 'run', 'cli.js');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: HUNT_MS_MAX,
    });
    let output = '';
    const take = (part: Buffer): void => {
      if (output.length < OUTPUT_BYTES_MAX) output += part.toString('utf8');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error) => resolve({ output: error.message, exitCode: null }));
    child.once('close', (exitCode) => resolve({ output, exitCode }));
  });
}

type Report = Pick<Hunted, 'killedBy' | 'runs' | 'message' | 'shrunk'> & {
  readonly script: unknown;
};

// The last line is the report; a program that printed none has failed, and so has not died of what
// the oracles saw.
function readReport(output: string): Report {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  try {
    const { killedBy, runs, message, shrunk, script }: Report = JSON.parse(line);
    return { killedBy, runs, message: message ?? '', shrunk, script };
  } catch {
    const message = `no report: ${line.slice(0, 400)}`;
    return { killedBy: null, runs: 0, message, shrunk: null, script: null };
  }
}
