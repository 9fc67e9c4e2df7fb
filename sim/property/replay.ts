// The run of a replay file once more, with a report.

import { SimulationError } from '../api/error.ts';
import { simulateTold } from '../api/simulate.ts';
import type { Simulation } from '../api/types.ts';
import { describeWorldFault } from './describe.ts';
import { scenarioOf } from './program.ts';
import type { ExploredProgram } from './program.ts';
import { inputsOf, readReplay, replayText } from './replay-file.ts';
import type { ReplayFile } from './replay-file.ts';

/** What `replay` may be told. */
export interface ReplayOptions {
  /** Where the report goes, default `.holdfast` in the working directory; false: nowhere. */
  readonly report?: string | false;
}

/**
 * Runs exactly what the file tells. Rejects with the SimulationError of the run, whose message says
 * so if it is another failure than that of the file. Resolves when nothing is broken any more, with
 * a warning of the process, for the program or Holdfast is another one than when the file was
 * written. Rejects with INVALID for what is no replay file.
 */
export async function replay<Inputs>(
  path: string,
  program: ExploredProgram<Inputs>,
  { report = '.holdfast' }: ReplayOptions = {},
): Promise<Simulation<unknown>> {
  const file = readReplay(path);
  const { seed, faults, options } = file;
  const scenario = scenarioOf(program, inputsOf(file));
  try {
    const again = (): string => replayText(path);
    const given = { ...options, seed, faults, report };
    const simulation = await simulateTold(given, scenario, again);
    const text = `${path} does not fail any more: ${file.oracle} is kept (${file.message})`;
    process.emitWarning(text, 'HoldfastWarning');
    return simulation;
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    error.replayFile = path;
    throw told(error, file, path);
  }
}

function told(error: SimulationError, file: ReplayFile, path: string): Error {
  const isSame = error.traceHash === file.traceHash;
  const other =
    error.oracle === file.oracle
      ? 'Not event by event the same run as when the file was written.'
      : `The run of ${path} behaves differently now: then it was ${file.oracle}: ${file.message}`;
  const lines = [
    `${error.oracle}: ${error.message}`,
    ...(isSame ? [] : [other]),
    ...file.faults.map((fault) => `  fault: ${describeWorldFault(fault)}`),
    ...error.story.map((line) => `  ${line}`),
    ...(error.reportFile === null ? [] : [`As a picture: ${error.reportFile}`]),
  ];
  error.message = lines.join('\n');
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
