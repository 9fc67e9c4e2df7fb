// Runs that only look at their script: for tests of what is around a run.

import { NO_HAND_OVERS } from '../../sim/oracle/hand-overs.ts';
import type { OracleName, Violation } from '../../sim/oracle/verdict.ts';
import type { RunResult, RunScript } from '../../sim/run/types.ts';
import type { Fault, Op, Script } from '../../sim/script/types.ts';

export function fault(part: Partial<Fault>): Fault {
  return { kind: 'pause', target: 3, atMs: 700, forMs: 333, arg: 5, ...part };
}

export function op(part: Partial<Op>): Op {
  return { id: 1, client: 2, kind: 'acquire', key: 2, atMs: 700, holdMs: 333, arg: 5, ...part };
}

export function violationOf(oracle: OracleName, atMs = 2_000): Violation {
  return { oracle, message: 'a toy says so', atUs: atMs * 1_000 };
}

/** A run in which nothing happened. */
export function result(part: Partial<RunResult> = {}): RunResult {
  const counts = { events: 100, virtualUs: 5e6, leaderChanges: 0, expiries: 0, grants: 0 };
  const handOvers = NO_HAND_OVERS;
  return {
    ...counts,
    handOvers,
    violation: null,
    traceHash: 'a',
    probes: new Map(),
    trace: null,
    ...part,
  };
}

/** Breaks what the function says of the script. */
export function toyRun(breaks: (script: Script) => OracleName | null): RunScript {
  return (script) => {
    const oracle = breaks(script);
    return Promise.resolve(result({ violation: oracle === null ? null : violationOf(oracle) }));
  };
}
