// What a campaign found broken: written to files at once, told at its end.

import { basename, dirname } from 'node:path';
import { describeScript } from '../script/describe.ts';
import type { Violation } from '../oracle/verdict.ts';
import { note } from './command.ts';
import type { FoundFailure } from './protocol.ts';
import { shown, writeFailure } from './script-files.ts';

/** Failures that are told in full; all are in files. */
const TOLD_MAX = 20;

/** Failures of a campaign that ends when it has found enough. */
export class Findings {
  private readonly limit: number;
  /** By number of the run, each once; at most `limit`, and one for each promise. */
  private readonly promises = new Map<number, string>();
  private readonly told: (readonly string[])[] = [];
  private untold = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** True as soon as so many runs broke a promise, shrunk or not. */
  get isLimitReached(): boolean {
    return this.promises.size >= this.limit;
  }

  /** A run broke a promise; false if the limit was reached before, and that promise broken. */
  found(number: number, { oracle }: Violation): boolean {
    const isKnown = [...this.promises.values()].includes(oracle);
    if (this.isLimitReached && isKnown) return false;
    this.promises.set(number, oracle);
    return true;
  }

  /** A failure that is small by now; `corpusFile` is where it came from, if it did. */
  add(failure: FoundFailure, corpusFile: string | undefined): void {
    const lines = failureLines(failure, corpusFile);
    note(lines[0] ?? '');
    if (this.told.length < TOLD_MAX) this.told.push(lines);
    else this.untold++;
  }

  /** All of them, one after the other. */
  lines(): readonly string[] {
    const lines = this.told.flatMap((each) => ['', ...each]);
    const more = this.untold === 0 ? [] : ['', `and ${this.untold} more in .cache/failures/`];
    return lines.length === 0 ? [] : [...lines, ...more, ''];
  }
}

function failureLines(failure: FoundFailure, corpusFile: string | undefined): readonly string[] {
  const { script, violation, from, shrinkRuns } = failure;
  const { scriptPath, testPath, pagePath } = writeFailure(failure);
  const size = sizeText(script.faults.length, script.ops.length);
  const before = sizeText(from.faults, from.ops);
  const [sentence = '', ...evidence] = violation.message.split('\n');
  return [
    `${violation.oracle} broken: ${sentence}`,
    ...evidence,
    ...(corpusFile === undefined ? [] : [`by ${shown(corpusFile)}`]),
    shrinkRuns === 0 ? `${size}:` : `shrunk to ${size} from ${before} in ${shrinkRuns} runs:`,
    // Its last line is the violation once more.
    ...describeScript(script, violation)
      .slice(0, -1)
      .map((line) => `  ${line}`),
    `script:        ${scriptPath} (to keep it: mv it to sim/corpus/)`,
    `test:          npx vitest run --root ${dirname(testPath)} ${basename(testPath)}`,
    ...(pagePath === null ? [] : [`as a picture:  ${pagePath}`]),
    `see it again:  npm run sim -- replay ${scriptPath}`,
  ];
}

function sizeText(faults: number, ops: number): string {
  const count = (number: number, noun: string): string =>
    `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `${count(faults, 'fault')} and ${count(ops, 'operation')}`;
}
