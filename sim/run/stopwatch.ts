// Real time, for budgets and rates of the runners around a run. Nothing inside one sees it.

/** Starts to measure. */
export class Stopwatch {
  private readonly startNs = process.hrtime.bigint();

  /** Real milliseconds since it was made. */
  get elapsedMs(): number {
    return Number(process.hrtime.bigint() - this.startNs) / 1e6;
  }
}
