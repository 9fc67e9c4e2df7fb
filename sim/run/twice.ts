// The same script must be the same run (DET-1): two of them are compared event by event.

import type { Script } from '../script/types.ts';
import { firstDifference } from '../world/trace.ts';
import type { TraceDifference, TraceEvent } from '../world/trace.ts';
import type { RunOptions, RunResult, RunScript, RunTrace } from './types.ts';

/** Where two runs of one script part. */
export interface Parting {
  readonly difference: TraceDifference;
  /** Names of the processes in either run. */
  readonly processes: readonly string[];
}

/** Runs every script twice: a run that differs from the one before it violates `DET-1`. */
export function twice(run: RunScript): RunScript {
  return async (script: Script, options?: RunOptions): Promise<RunResult> => {
    const first = await run(script, { ...options, trace: true });
    const second = await run(script, { trace: true });
    const result = options?.trace === true ? first : { ...first, trace: null };
    if (first.traceHash === second.traceHash) return result;
    const parting = partingOf(first.trace, second.trace);
    const message = ['two runs of the script differ', ...describeParting(parting)].join('; ');
    const atUs = parting?.difference.left?.timeUs ?? first.virtualUs;
    return { ...result, violation: { oracle: 'DET-1', message, atUs } };
  };
}

/** Where the traces part; null when they are equal, or when one of them is missing. */
export function partingOf(left: RunTrace | null, right: RunTrace | null): Parting | null {
  if (left === null || right === null) return null;
  const difference = firstDifference(left.trace, right.trace);
  return difference === null ? null : { difference, processes: left.processes };
}

/** The first event in which they differ, as each of the two had it. */
export function describeParting(parting: Parting | null): readonly string[] {
  if (parting === null) return ['their traces are equal, but not their hashes'];
  const { difference, processes } = parting;
  return [
    `one has ${eventText(difference.left, processes)}`,
    `the other has ${eventText(difference.right, processes)}`,
  ];
}

function eventText(event: TraceEvent | null, processes: readonly string[]): string {
  if (event === null) return 'ended';
  const { seq, timeUs, process, kind, a, b, c, cause } = event;
  const name = process === 0 ? 'the world' : (processes[process - 1] ?? `process ${process}`);
  const numbers = `a=${a} b=${b} c=${c} cause=${cause}`;
  return `event ${seq} at ${(timeUs / 1e6).toFixed(6)} s: ${kind} of ${name} (${numbers})`;
}
