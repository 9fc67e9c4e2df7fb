// `month`: a month of cluster time with everything that happens to a cluster in years.

import { runMonth } from '../month/month.ts';
import type { MonthResult } from '../month/month.ts';
import { DAY_MS } from '../month/settings.ts';
import { EXIT, U32, note, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { Stopwatch } from './stopwatch.ts';

const DAYS = 30;
/** Real time between two lines of progress. */
const PROGRESS_MS = 15_000;

/** `month`. */
export const monthCommand: Command = {
  name: 'month',
  usage: '[--days N] [--seed N]',
  summary:
    'Lives through a month of cluster time and counts it; exit code 1 when a promise breaks.',
  help: [
    `  --days N  cluster time, from 0.1 (default ${DAYS})`,
    '  --seed N  whose luck (default 1)',
    '',
    'Five clusters, each but the first made of a backup of one before, one backup twice. Clients',
    'work all the time; nodes and networks fail, members are replaced, leaders move. Each entry of',
    'each log is judged, and tokens must grow over all of it.',
  ],
  options: { days: { type: 'string' }, seed: { type: 'string' } },
  run: month,
};

async function month(given: Given): Promise<number> {
  given.noFiles();
  const days = given.number('days', DAYS, { least: 0.1, most: 366, isWhole: false });
  const seed = given.number('seed', 1, U32);
  const watch = new Stopwatch();
  let toldMs = 0;
  const result = await runMonth({
    days,
    seed,
    onProgress: ({ operations, replacements }, timeMs) => {
      if (watch.elapsedMs - toldMs < PROGRESS_MS) return;
      toldMs = watch.elapsedMs;
      const day = (timeMs / DAY_MS).toFixed(2);
      note(`day ${day}: ${operations} operations, ${replacements} replacements`);
    },
  });
  print(...lines(result, watch));
  return result.violation === null ? EXIT.kept : EXIT.violated;
}

function lines({ tally, violation, traceHash }: MonthResult, watch: Stopwatch): readonly string[] {
  const seconds = (watch.elapsedMs / 1_000).toFixed(0);
  const work = (watch.workMs / 1_000).toFixed(0);
  const verdict =
    violation === null
      ? 'no promise was broken'
      : `${violation.oracle} at ${(violation.atUs / 1e6).toFixed(3)} s: ${violation.message}`;
  return [
    ...tally.lines(),
    `violations                   ${(violation === null ? '0' : '1').padStart(12)}`,
    `real seconds                 ${seconds.padStart(12)}  (${work} s of work)`,
    `trace ${traceHash}`,
    verdict,
  ];
}
