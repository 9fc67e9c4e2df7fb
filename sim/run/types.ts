import type { ProbeId } from '../../src/base/probe.ts';
import type { HandOverCounts } from '../oracle/hand-overs.ts';
import type { Violation } from '../oracle/verdict.ts';
import type { Recorder } from '../report/recorder.ts';
import type { Script } from '../script/types.ts';
import type { Trace } from '../world/trace.ts';

/** Everything that happened in a run, event by event. */
export interface RunTrace {
  readonly trace: Trace;
  /** Names of the processes: the first is number 1 in the events; 0 is the world itself. */
  readonly processes: readonly string[];
}

/** How to run a script. */
export interface RunOptions {
  /** Hands the trace out with the result; default false. */
  readonly trace?: boolean;
  /** Takes the run down, for a report; see sim/report. */
  readonly recorder?: Recorder;
}

/** Runs a script from its beginning to its verdict. */
export type RunScript = (script: Script, options?: RunOptions) => Promise<RunResult>;

/** What one run came to. */
export interface RunResult {
  /** null: every promise was kept. */
  readonly violation: Violation | null;
  /** Equal for equal runs (SIMULATOR.md §4.12). */
  readonly traceHash: string;
  readonly events: number;
  readonly virtualUs: number;
  /** Terms in which somebody led, less the first. */
  readonly leaderChanges: number;
  /** Sessions that the cluster expired. */
  readonly expiries: number;
  /** Grants that a client was told of. */
  readonly grants: number;
  readonly handOvers: HandOverCounts;
  readonly probes: ReadonlyMap<ProbeId, number>;
  /** null unless it was asked for. */
  readonly trace: RunTrace | null;
}

/** A script in a file: a shrunk failure, or one that reaches something rare. */
export interface ScriptFile {
  /** One sentence: what it shows. */
  readonly about: string;
  /** What it violated when it was found, or null. */
  readonly violated: string | null;
  readonly script: Script;
}
