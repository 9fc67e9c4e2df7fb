// Preloaded into a node process (`--import`): tells on standard error, as one JSON line a second,
// the longest time for which its event loop stood still in that second.

import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 2;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();
setInterval(() => {
  const stopMs = Math.max(0, histogram.max / 1e6 - RESOLUTION_MS);
  histogram.reset();
  process.stderr.write(`{"loopStopMs":${stopMs.toFixed(1)}}\n`);
}, 1_000).unref();
