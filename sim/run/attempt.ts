// A run that cannot even end is a violation like any other: campaigns and shrinking go on.

import { NO_HAND_OVERS } from '../oracle/hand-overs.ts';
import { promiseIn } from '../oracle/verdict.ts';
import type { Violation } from '../oracle/verdict.ts';
import type { Script } from '../script/types.ts';
import type { RunOptions, RunResult, RunScript } from './types.ts';

/** The same, but a throw becomes the violation `SPIN` (too many events), or what its text names. */
export function attempting(run: RunScript): RunScript {
  return async (script: Script, options?: RunOptions): Promise<RunResult> => {
    try {
      return await run(script, options);
    } catch (error) {
      return broken(violationOf(error));
    }
  };
}

function violationOf(error: unknown): Violation {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place =
    stack
      .split('\n')
      .find((line) => /^\s+at /.test(line))
      ?.trim() ?? 'nowhere';
  const isSpin = /\bevents\b/.test(message);
  const oracle = isSpin ? 'SPIN' : promiseIn(message, 'ASSERT');
  return { oracle, message: `${message} (${place})`, atUs: 0 };
}

function broken(violation: Violation): RunResult {
  const nothing = { events: 0, virtualUs: 0, leaderChanges: 0, expiries: 0, grants: 0 };
  const handOvers = NO_HAND_OVERS;
  return { ...nothing, handOvers, violation, traceHash: '', probes: new Map(), trace: null };
}
