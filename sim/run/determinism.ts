// Shows that scripts are the same run wherever they run (DET-1): twice in this process, in a fresh
// one, and in one without just-in-time compilation.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { attempting } from './attempt.ts';
import { EXIT, Failure, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { createRunner } from './run.ts';
import { corpusFiles, readScriptFile, shown } from './script-files.ts';
import { readTraceLines, traceLines } from './trace-lines.ts';
import { describeParting, partingOf } from './twice.ts';
import type { RunResult, RunScript, RunTrace } from './types.ts';

/** `determinism`. */
export const determinismCommand: Command = {
  name: 'determinism',
  usage: '[FILE…]',
  summary: 'Compares runs of the same script in three ways; exit code 1 when any two differ.',
  help: [
    '  FILE  scripts (default: the corpus)',
    '',
    'Twice in one process, in a fresh process, and in one without just-in-time compilation. Where',
    'two runs part, the first event in which they differ is printed as either has it.',
  ],
  options: {},
  run: determinism,
};

/** `trace`: what `determinism` asks other processes for. */
export const traceCommand: Command = {
  name: 'trace',
  usage: '[--events] FILE…',
  summary: 'Prints the trace hash of each script, or all events of one.',
  help: ['  --events  all events, one JSON object a line'],
  options: { events: { type: 'boolean' } },
  run: trace,
};

/** How another process runs the same scripts. */
const ELSEWHERE = [
  { name: 'in a fresh process', flags: [] },
  { name: 'without just-in-time compilation', flags: ['--jitless'] },
] as const;

const OUTPUT_BYTES_MAX = 1 << 30;

async function determinism(given: Given): Promise<number> {
  const files = given.files.length > 0 ? given.files : corpusFiles();
  const run = attempting(createRunner());
  const here = new Map<string, string>();
  const partings: string[] = [];
  for (const file of files) {
    const first = await runFile(run, file);
    const second = await runFile(run, file);
    here.set(file, first.traceHash);
    if (first.traceHash === second.traceHash) continue;
    partings.push(...partingLines(file, 'in the same process', [first.trace, second.trace]));
  }
  for (const { name, flags } of ELSEWHERE) {
    const hashes = elsewhere(flags, [...files]);
    for (const [at, file] of files.entries()) {
      if (hashes[at] === here.get(file)) continue;
      const there = readTraceLines(elsewhere(flags, ['--events', file]));
      partings.push(...partingLines(file, name, [(await runFile(run, file)).trace, there]));
    }
  }
  print(...partings);
  const verdict = partings.length === 0 ? 'the same run in all of them' : 'not always the same run';
  print(`${files.length} scripts, twice, in a fresh process and without a compiler: ${verdict}`);
  return partings.length === 0 ? EXIT.kept : EXIT.violated;
}

async function trace(given: Given): Promise<number> {
  const run = attempting(createRunner());
  if (!given.has('events')) {
    for (const file of given.files) print((await runFile(run, file)).traceHash);
    return EXIT.kept;
  }
  const { trace: events } = await runFile(run, given.file());
  if (events !== null) print(...traceLines(events));
  return EXIT.kept;
}

function runFile(run: RunScript, file: string): Promise<RunResult> {
  return run(readScriptFile(file).script, { trace: true });
}

/** Lines that `trace` prints in another process. */
function elsewhere(flags: readonly string[], args: readonly string[]): readonly string[] {
  if (args.length === 0) return [];
  const program = fileURLToPath(new URL('./cli.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, program, 'trace', ...args],
    { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX },
  );
  if (status === 0) return stdout.trimEnd().split('\n');
  throw new Failure(EXIT.internal, `INTERNAL: node ${flags.join(' ')} failed: ${stderr.trim()}`);
}

function partingLines(
  file: string,
  where: string,
  [left, right]: readonly [RunTrace | null, RunTrace | null],
): readonly string[] {
  const lines = describeParting(partingOf(left, right));
  return [`${shown(file)} is another run ${where}:`, ...lines.map((line) => `  ${line}`)];
}
