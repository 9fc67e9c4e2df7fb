// Preloaded into a node process (`--import`): tells on standard error, as one JSON line a second,
// the longest time for which its event loop stood still in that second (`loopStopMs`), and the
// most processor time that its thread used between two looks (`loopBusyMs`). On a machine with
// more work than processors the first one counts also how long the thread waited for one.

import { readFileSync } from 'node:fs';

const LOOK_MS = 2;
const TELL_MS = 1_000;

/** Processor time of the main thread so far, milliseconds. */
const busyMs = () => Number.parseInt(readFileSync('/proc/self/schedstat', 'latin1'), 10) / 1e6;

let seenMs = performance.now();
let seenBusyMs = busyMs();
let toldMs = seenMs;
let loopStopMs = 0;
let loopBusyMs = 0;
setInterval(() => {
  const nowMs = performance.now();
  const nowBusyMs = busyMs();
  loopStopMs = Math.max(loopStopMs, nowMs - seenMs - LOOK_MS);
  loopBusyMs = Math.max(loopBusyMs, nowBusyMs - seenBusyMs);
  [seenMs, seenBusyMs] = [nowMs, nowBusyMs];
  if (nowMs - toldMs < TELL_MS) return;
  const told = { loopStopMs: Math.round(loopStopMs), loopBusyMs: Math.round(loopBusyMs) };
  process.stderr.write(`${JSON.stringify(told)}\n`);
  [toldMs, loopStopMs, loopBusyMs] = [nowMs, 0, 0];
}, LOOK_MS).unref();
