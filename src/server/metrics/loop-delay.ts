import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { IntervalHistogram } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const NS_PER_S = 1e9;

/** Tells how long the event loop was kept from its work at the longest. */
export class LoopDelay {
  private readonly histogram: IntervalHistogram;

  constructor() {
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
  }

  /** The longest since the last call, in seconds. */
  takeMax(): number {
    const longest = Math.max(0, this.histogram.max / NS_PER_S - RESOLUTION_MS / 1_000);
    this.histogram.reset();
    return longest;
  }

  stop(): void {
    this.histogram.disable();
  }
}
