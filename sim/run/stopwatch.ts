// Real time, for budgets and rates of the runners around a run. Nothing inside one sees it.

/** Starts to measure. */
export class Stopwatch {
  private readonly startNs = process.hrtime.bigint();
  private readonly startCpu = process.cpuUsage();

  /** Real milliseconds since it was made. */
  get elapsedMs(): number {
    return Number(process.hrtime.bigint() - this.startNs) / 1e6;
  }

  /** Milliseconds of work that this process did since then, however busy the machine is. */
  get workMs(): number {
    const { user, system } = process.cpuUsage(this.startCpu);
    return (user + system) / 1_000;
  }
}
