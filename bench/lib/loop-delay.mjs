// Preloaded into a node process (`--import`): tells on standard error, as one JSON line twice a
// second, for how long its event loop stood still at most since the last one (`loopStopMs`). It is
// Node's own histogram, which looks every 10 ms outside of JavaScript: a node costs what it costs
// without. With more work than processors this counts also how long the thread waited for one.

import { monitorEventLoopDelay } from 'node:perf_hooks';

const LOOK_MS = 10;
const TELL_MS = 500;

const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
delay.enable();
setInterval(() => {
  const loopStopMs = Math.max(0, Math.round(delay.max / 1e6) - LOOK_MS);
  delay.reset();
  process.stderr.write(`${JSON.stringify({ loopStopMs })}\n`);
}, TELL_MS).unref();
