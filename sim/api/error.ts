import type { OracleName } from '../oracle/verdict.ts';

/** What a failed simulation knows. */
export interface Failure {
  /** Which promise was broken. */
  readonly oracle: OracleName;
  /** One sentence with the facts. */
  readonly message: string;
  /** Of the run. */
  readonly seed: number;
  /** Virtual milliseconds since the scenario began. */
  readonly atMs: number;
  /** Over all events up to the end of the run. */
  readonly traceHash: string;
  /** How many events there were. */
  readonly events: number;
  /** What happened, in prose. */
  readonly story: readonly string[];
}

/**
 * A simulation found something broken. `oracle` says what:
 * - `CHECK`: the scenario's own `world.check`; `PROGRAM`: a program, or the scenario, threw.
 * - `AMBIENT`: code in the world used real time, chance, files or network.
 * - `DEADLOCK`: everybody waits, and nothing is left that could end it. `LIMIT`: it took too long.
 *   `SPIN`: something went on without time passing.
 * - `INV-n`, `LIV-n`, `EXIT`, `ASSERT`, `API`: a promise of Holdfast itself (sim/README.md).
 */
export class SimulationError extends Error {
  /** Always this. */
  override readonly name = 'SimulationError';
  /** Always this; `oracle` tells them apart. */
  readonly code = 'SIMULATION_FAILED';
  /** Which promise was broken. */
  readonly oracle: OracleName;
  /** Of the run: with the same options and program it fails again. */
  readonly seed: number;
  /** Virtual milliseconds since the scenario began. */
  readonly atMs: number;
  /** Equal for equal runs: 16 hexadecimal digits over every event. */
  readonly traceHash: string;
  /** How many events there were. */
  readonly events: number;
  /** What happened, in prose. */
  readonly story: readonly string[];
  /** With it `replay` runs the same again; null when none was asked for. */
  replayFile: string | null = null;
  /** The report as one HTML file; null when none was asked for. */
  reportFile: string | null = null;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, cause === undefined ? {} : { cause });
    this.oracle = failure.oracle;
    this.seed = failure.seed;
    this.atMs = failure.atMs;
    this.traceHash = failure.traceHash;
    this.events = failure.events;
    this.story = failure.story;
  }
}
