import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { millisecondsOf } from '../../sim/api/duration.ts';
import {
  HOLDS_MIN,
  HOLDS_WANTED,
  adviseTtl,
  p99,
  plotTtls,
  studyTtls,
} from '../../sim/ttl/index.ts';
import type { Advice, Estimate, TtlRow } from '../../sim/ttl/index.ts';
import { showDuration } from './duration.ts';
import { errorSentence } from './error-json.ts';
import { EXIT, Failure } from './exit-code.ts';
import { note, printJson, printLine, printTable } from './output.ts';
import type { SimTtlOptions } from './sim.ts';

const HOLD_TIMES_BYTES_MAX = 64 * 1024 * 1024;
/** Below so many hold times their p99 is the longest of them. */
const HOLD_TIMES_FEW = 100;

/** Below it a client warns of its TTL. */
const FAILOVER_MS = 3_000;
const SHORT = '  Below 3s a silent change of the leader may outlast a lease; clients warn of it.';

const HEADER = ['TTL', 'HOW', 'LEASE RAN OUT', 'OVERLAP', 'CAUGHT BY FENCING'];
const WAY_TEXTS = {
  model: 'bare model',
  'renewal off': 'shipped client, no renewal',
  'renewal on': 'shipped client, renewing',
} as const;

/** Prints the table, and the advice if there is something to go by. Throws a Failure. */
export async function simTtl(options: SimTtlOptions): Promise<void> {
  const advice = adviceOf(options);
  const tooShort = options.ttl.find((ttlMs) => ttlMs <= options.work);
  if (tooShort !== undefined || options.work === 0) {
    const work = showDuration(options.work);
    const limits = `longer than 0s and shorter than every TTL`;
    throw usage(`--work must be ${limits}: the model knows no renewal; got ${work}`);
  }
  if (options.svg !== undefined) checkPlace(options.svg);
  const { ttl: ttlsMs, work: workMs, trials, pairs, seed } = options;
  const rows = await studyTtls({ ttlsMs, workMs, trials, pairs, seed });
  if (options.svg !== undefined) {
    const svg = plotTtls(rows, { workMs, chosenMs: advice?.ttlMs ?? null });
    writeOut(options.svg, svg);
  }
  if (options.json === true) printJson({ workMs, seed, rows, advice });
  else print(rows, advice, options);
}

function print(rows: readonly TtlRow[], advice: Advice | null, options: SimTtlOptions): void {
  const { work, trials, pairs, seed } = options;
  const count = grouped(trials);
  const simulated = pairs === 0 ? '' : `; ${pairs} weighted pairs per row`;
  printLine(`work ${showDuration(work)} with one pause; ${count} trials${simulated}; seed ${seed}`);
  printLine('');
  printTable(HEADER, rows.map(cells));
  if (options.svg !== undefined) note(`wrote ${options.svg}`);
  if (advice === null) return;
  printLine('');
  for (const line of adviceLines(advice)) printLine(line);
}

function cells({ ttlMs, way, expired, overlap, overlaps, caught }: TtlRow): string[] {
  const share = overlaps === 0 ? '-' : `${Number(((100 * caught) / overlaps).toFixed(2))} %`;
  const of = `${share} (${caught} of ${overlaps})`;
  return [showDuration(ttlMs), WAY_TEXTS[way], percent(expired), percent(overlap), of];
}

function percent({ share, error }: Estimate): string {
  return `${(100 * share).toFixed(3)} % ± ${(100 * error).toFixed(3)}`;
}

function adviceLines(advice: Advice): string[] {
  const { p99HoldMs, pauseBudgetMs, leastMs, wantedMs, ttlMs, limit } = advice;
  const [hold, budget] = [show(p99HoldMs), show(pauseBudgetMs)];
  const best = `${HOLDS_WANTED} × ${hold} + ${budget} = ${show(wantedMs)}`;
  const least = `${HOLDS_MIN} × ${hold} + ${budget} = ${show(leastMs)}`;
  const limits = {
    none: [],
    shortest: ['  1s is the shortest TTL.'],
    longest: [
      '  10m is the longest TTL, unless the cluster has other limits, and less than that: hold',
      '  locks for shorter, in smaller pieces of work.',
    ],
  } as const satisfies Record<Advice['limit'], readonly string[]>;
  return [
    `advised: --ttl ${showDuration(ttlMs)}`,
    `  ${best}, in whole seconds; at least ${least}.`,
    ...limits[limit],
    ...(ttlMs < FAILOVER_MS ? [SHORT] : []),
    `  A holder that dies keeps its locks for up to ${showDuration(ttlMs)}; one that lives renews.`,
    '  Some pause is longer than any TTL: give the token to what is protected, whatever the TTL.',
  ];
}

/** `200,000`. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function show(ms: number): string {
  return showDuration(Math.round(ms));
}

function adviceOf({ holdTimes, p99Hold, pauseBudget }: SimTtlOptions): Advice | null {
  if (holdTimes !== undefined && p99Hold !== undefined) {
    throw usage('--hold-times and --p99-hold say the same: give one of them');
  }
  const hasHolds = holdTimes !== undefined || p99Hold !== undefined;
  if (hasHolds !== (pauseBudget !== undefined)) {
    const both = '--hold-times or --p99-hold, and --pause-budget';
    throw usage(`an advice needs ${both}: how long holds take, and which pause they must survive`);
  }
  if (pauseBudget === undefined) return null;
  const p99HoldMs = p99Hold ?? p99(readHoldTimes(holdTimes ?? ''));
  return adviseTtl({ p99HoldMs, pauseBudgetMs: pauseBudget });
}

function readHoldTimes(file: string): number[] {
  const lines = readLines(file);
  const times = lines.flatMap((line, at) => {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') return [];
    if (/^[\d.]+$/.test(text)) {
      throw unreadable(`line ${at + 1} of ${file}: a duration has a unit, as in ${text}ms`);
    }
    try {
      const ms = millisecondsOf(text);
      return ms > 0 ? [ms] : [];
    } catch (error) {
      throw unreadable(`line ${at + 1} of ${file}: ${errorSentence(error)}`);
    }
  });
  if (times.length === 0) throw unreadable(`${file} has no hold time above 0`);
  if (times.length < HOLD_TIMES_FEW) {
    const count = times.length === 1 ? '1 hold time is' : `${times.length} hold times are`;
    note(`${count} few: the longest stands for the p99`);
  }
  return times;
}

function readLines(file: string): string[] {
  try {
    const { size } = statSync(file);
    if (size <= HOLD_TIMES_BYTES_MAX) return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    throw unreadable(`${file}: ${errorSentence(error)}`);
  }
  throw unreadable(`${file} has more than ${HOLD_TIMES_BYTES_MAX} bytes`);
}

/** Before anything is tried, for that takes a while. */
function checkPlace(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new Failure(EXIT.refused, `REFUSED: cannot write ${file}: ${errorSentence(error)}`);
  }
}

function writeOut(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure(EXIT.refused, `REFUSED: cannot write ${file}: ${errorSentence(error)}`);
  }
}

function unreadable(message: string): Failure {
  return new Failure(EXIT.dataFormat, `INVALID: ${message}`);
}

function usage(message: string): Failure {
  return new Failure(EXIT.usage, `USAGE: ${message}`);
}
