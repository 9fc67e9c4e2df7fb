// How a failure is told: what broke, what happened, where more is to be seen. At most 40 lines.

import { relative } from 'node:path';
import * as fc from 'fast-check';
import type { SimulationError } from '../api/error.ts';
import { describeWorldFault } from './describe.ts';
import type { Case } from './search.ts';

const LINES_MAX = 40;
const FIRST_LINES = 8;

/** What is told besides the failure itself. */
export interface Telling {
  readonly one: Case;
  /** How it was found, as a clause. */
  readonly found: string;
  /** How to run it again. */
  readonly again: readonly string[];
}

/** Gives the error the message that a person reads; its first line stays. */
export function tellFailure(
  error: SimulationError,
  { one, found, again }: Telling,
): SimulationError {
  const { faults, inputs, seed } = one;
  const drawn = inputs.value === undefined ? [] : [`  inputs: ${fc.stringify(inputs.value)}`];
  const plan =
    faults.length === 0
      ? ['  without any fault']
      : faults.map((fault) => `  fault: ${describeWorldFault(fault)}`);
  const page = error.reportFile;
  const files = page === null ? [] : [`As a picture: ${relative('', page)}`];
  const head = [`${error.oracle}: ${error.message}`, '', `${found}, seed ${seed}:`];
  const tail = [`  at ${(error.atMs / 1_000).toFixed(3)} s ${error.oracle} is broken`, ''];
  const frame = [...head, ...drawn, ...plan, 'What happened:', ...tail, ...files, ...again];
  const story = shortened(error.story, LINES_MAX - frame.length);
  const lines = [
    ...[...head, ...drawn, ...plan, 'What happened:'],
    ...story.map((line) => `  ${line}`),
    ...[...tail, ...files, ...again],
  ];
  error.message = lines.join('\n');
  // The frames of the simulator say nothing about the user's program.
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

function shortened(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const last = Math.max(1, most - FIRST_LINES - 1);
  const left = lines.length - FIRST_LINES - last;
  return [...lines.slice(0, FIRST_LINES), `… ${left} more lines …`, ...lines.slice(-last)];
}
