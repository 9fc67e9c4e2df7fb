// The verdict of an experiment under load, printed and as the exit code.

import { median, quantile, round } from './measuring.mjs';

/** What the load saw. `allowedMs`: the longest request that is still good. */
export function judgeLoad(load, allowedMs) {
  const sorted = [...load.latenciesMs].sort((left, right) => left - right);
  const facts = {
    requests: load.requests,
    failed: load.failures.length,
    leasesLost: load.lostLeases.length,
    p50Ms: round(median(sorted)),
    p99Ms: round(quantile(sorted, 0.99)),
    longestMs: round(load.longestMs),
    allowedMs,
  };
  const isGood = facts.failed === 0 && facts.leasesLost === 0 && facts.longestMs <= allowedMs;
  return { facts, isGood };
}

/** As one sentence, with the first things that went wrong below it. */
export function printLoad(load, { facts }) {
  const { requests, failed, leasesLost, p50Ms, p99Ms, longestMs, allowedMs } = facts;
  console.log(
    `load: ${requests} requests, ${failed} failed, ${leasesLost} leases lost, p50 ${p50Ms} ms, ` +
      `p99 ${p99Ms} ms, longest ${longestMs} ms (at most ${allowedMs} ms wanted)`,
  );
  for (const text of [...load.failures, ...load.lostLeases].slice(0, 20)) console.log(text);
}
