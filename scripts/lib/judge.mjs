// The verdict of an experiment under load, printed and as the exit code.

import { median, quantile, round } from './measuring.mjs';

/** What the load saw. `allowedMs`: the longest request that is still good. */
function factsOf(load, allowedMs) {
  const sorted = [...load.latenciesMs].sort((left, right) => left - right);
  return {
    requests: load.requests,
    failed: load.failures.length,
    leasesLost: load.lostLeases.length,
    p50Ms: round(median(sorted)),
    p99Ms: round(quantile(sorted, 0.99)),
    longestMs: round(load.longestMs),
    allowedMs,
  };
}

/**
 * Ends an experiment: `steps` are what was done, one line each by `describe`. With `isJson` all of
 * it is one line of JSON. The process ends with 1 if anything went wrong or took too long.
 */
export function conclude(load, { allowedMs, isJson, steps, describe, also = '' }) {
  const facts = factsOf(load, allowedMs);
  const { requests, failed, leasesLost, p50Ms, p99Ms, longestMs } = facts;
  if (isJson) {
    console.log(JSON.stringify({ steps, ...facts }));
  } else {
    for (const step of steps) console.log(describe(step));
    if (also !== '') console.log(also.trim());
    console.log(
      `load: ${requests} requests, ${failed} failed, ${leasesLost} leases lost, p50 ${p50Ms} ms, ` +
        `p99 ${p99Ms} ms, longest ${longestMs} ms (at most ${allowedMs} ms wanted)`,
    );
    for (const text of [...load.failures, ...load.lostLeases].slice(0, 20)) console.log(text);
  }
  process.exitCode = failed === 0 && leasesLost === 0 && longestMs <= allowedMs ? 0 : 1;
}
