// What a campaign and its worker processes tell each other.

import type { ProbeId } from '../../src/base/probe.ts';
import type { Violation } from '../oracle/verdict.ts';
import type { HandOverCounts } from '../oracle/hand-overs.ts';
import type { Distribution } from '../script/distributions.ts';
import type { Script } from '../script/types.ts';

/** One run for a worker. */
export interface Task {
  /** The place in the campaign, from 1. */
  readonly number: number;
  /** Fresh from the seed; the base itself, from the corpus; or a variation of it by the seed. */
  readonly origin: 'fresh' | 'corpus' | 'mutated';
  readonly base: Script | null;
  /** Of which a fresh one is. */
  readonly distribution: Distribution;
  readonly seed: number;
  /** Runs it twice and compares. */
  readonly isTwice: boolean;
}

/** A task that a worker has begun, or whose failure it has begun to shrink. */
export interface Stage {
  readonly kind: 'stage';
  readonly number: number;
  /** The failure as it was found; null as long as none was. */
  readonly found: FoundFailure | null;
}

/** What became of it. */
export interface Report {
  readonly number: number;
  /** Of all its executions together. */
  readonly events: number;
  readonly virtualUs: number;
  /** Milliseconds of work of the worker, without shrinking. */
  readonly workMs: number;
  readonly leaderChanges: number;
  readonly expiries: number;
  readonly grants: number;
  readonly handOvers: HandOverCounts;
  readonly probes: readonly ProbeId[];
  /** The script, if it reached a combination of probes that was new to the worker. */
  readonly rare: Script | null;
  readonly failure: FoundFailure | null;
}

/** A broken promise, shrunk. */
export interface FoundFailure {
  readonly script: Script;
  readonly violation: Violation;
  readonly shrinkRuns: number;
  /** How many faults and operations it had before. */
  readonly from: { readonly faults: number; readonly ops: number };
  /** The page about it; null while there is none, or for a run that does not end. */
  readonly page: string | null;
}

/** True for what the campaign sends: both ends are one program, so a look at one field will do. */
export function isTask(message: unknown): message is Task {
  return typeof message === 'object' && message !== null && 'origin' in message;
}

/** True for what a worker sends when it begins. */
export function isStage(message: unknown): message is Stage {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

/** True for what a worker sends at the end. */
export function isReport(message: unknown): message is Report {
  return typeof message === 'object' && message !== null && 'failure' in message;
}
