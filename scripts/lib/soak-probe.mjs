// Preloaded into a node process (`--import`): tells on standard error, as one JSON line every two
// seconds, the memory of its heap and for how long its event loop stood still at most meanwhile. It
// is Node's own histogram, which looks every 10 ms outside of JavaScript. With more work than
// processors that counts also how long the thread waited for one.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { watchHeap } from './soak-heap.mjs';

const LOOK_MS = 10;
const TELL_MS = 2_000;

const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
const heap = watchHeap();
delay.enable();
setInterval(() => {
  const loopStopMs = Math.max(0, Math.round(delay.max / 1e6) - LOOK_MS);
  delay.reset();
  process.stderr.write(`${JSON.stringify({ loopStopMs, ...heap() })}\n`);
}, TELL_MS).unref();
