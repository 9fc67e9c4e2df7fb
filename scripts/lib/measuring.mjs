// What benchmarks share: quantiles, processor time and memory of processes.

import { readFile } from 'node:fs/promises';

/** The value below which this share of an ascending list lies. */
export const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** The middle of a list. */
export const median = (list) =>
  quantile(
    [...list].sort((left, right) => left - right),
    0.5,
  );

/** Three decimals. */
export const round = (value) => Math.round(value * 1_000) / 1_000;

/** Processor time that a process has used so far, seconds. */
export async function cpuSeconds(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Memory that a process has in use, MiB. */
export async function residentMib(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
