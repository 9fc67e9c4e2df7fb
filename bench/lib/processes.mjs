// What several processes use together.

import { cpuSeconds, residentMib } from '../../scripts/lib/measuring.mjs';

/** Processor time of all of them so far, seconds. */
export async function sumOfCpuSeconds(pids) {
  const each = await Promise.all(pids.map(cpuSeconds));
  return each.reduce((sum, one) => sum + one, 0);
}

/** Memory of the one that has most of it. */
export async function largestMib(pids) {
  return Math.max(...(await Promise.all(pids.map(residentMib))));
}
